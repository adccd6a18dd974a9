"""`MetricOptions` made into what metrics compute with: folders are read, endpoints are probed."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

from analysis.metric_options import EndpointModel, MetricOptions
from analysis.metrics import MetricSettings
from analysis.metrics.endpoint_embeddings import EndpointEmbedder
from analysis.metrics.endpoint_perplexity import EndpointPerplexity
from analysis.metrics.onnx_model import OnnxModel
from analysis.not_computed import NotComputed
from judge.endpoints import ready_endpoint
from judge.patient import PatientClient


@contextmanager
def metric_settings(
    options: MetricOptions, before_request: Callable[[], None] = lambda: None
) -> Iterator[MetricSettings]:
    """The settings, as long as their endpoints are needed. Raises JudgeNotReady and NotComputed.

    `before_request` is called before each request to an endpoint, and may raise.
    """
    folder = OnnxModel(options.model) if options.model else None
    with ExitStack() as stack:

        def client(chosen: EndpointModel, option: str) -> PatientClient | None:
            if not chosen.endpoint and not chosen.model:
                return None
            if not chosen.endpoint or not chosen.model:
                missing = "model" if chosen.endpoint else "endpoint"
                raise NotComputed(
                    f"{option} needs an endpoint and a model: name the {missing}, too"
                )
            source = f"the model of {option}"
            here = ready_endpoint(chosen.endpoint)
            asked = PatientClient(here, model_source=source, before_request=before_request)
            return stack.enter_context(closing(asked))

        if options.given_prompt and not options.perplexity.endpoint:
            raise NotComputed("perplexity given the prompt needs an endpoint for perplexity")
        embeddings = client(options.embeddings, "embeddings")
        perplexity = client(options.perplexity, "perplexity")
        yield MetricSettings(
            phrases=options.phrases,
            wordnet=options.wordnet,
            sentence_model=EndpointEmbedder(embeddings, options.embeddings.model)
            if embeddings
            else folder,
            token_model=folder,
            perplexity_source=EndpointPerplexity(
                perplexity, options.perplexity.model, given_prompt=options.given_prompt
            )
            if perplexity
            else None,
        )

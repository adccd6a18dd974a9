"""What a person, or this installation, chooses for automatic metrics, made into `MetricSettings`:
folders are read, endpoints are found and probed.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from analysis.metrics import CORE, METRICS, MetricSettings
from analysis.metrics.endpoint_embeddings import EndpointEmbedder
from analysis.metrics.endpoint_perplexity import EndpointPerplexity
from analysis.metrics.onnx_model import OnnxModel
from judge.endpoints import JudgeNotReady, ready_endpoint
from judge.exchange import ExchangeFailed
from judge.patient import PatientClient

#: Why metrics could not be computed; the message says it in one line.
NOT_COMPUTED = (ValueError, ImportError, OSError, JudgeNotReady, ExchangeFailed)


@dataclass(frozen=True)
class EndpointModel:
    """A model at one of the endpoints that judges use, by name; both or none are given."""

    endpoint: str = ""
    model: str = ""


@dataclass(frozen=True)
class MetricOptions:
    """`wordnet` is a folder of WordNet and `model` one of an ONNX model. Where `embeddings` are
    given, sentence vectors are the endpoint's, and those of tokens the folder's.
    """

    phrases: tuple[str, ...] = ()
    wordnet: Path | None = None
    model: Path | None = None
    embeddings: EndpointModel = EndpointModel()
    perplexity: EndpointModel = EndpointModel()
    given_prompt: bool = False


@contextmanager
def metric_settings(
    options: MetricOptions, while_waiting: Callable[[], None] = lambda: None
) -> Iterator[MetricSettings]:
    """The settings, as long as their endpoints are needed. Raises one of NOT_COMPUTED.

    `while_waiting` is called while an endpoint lets us wait, and may raise.
    """
    folder = OnnxModel(options.model) if options.model else None
    with ExitStack() as stack:

        def client(chosen: EndpointModel, option: str) -> PatientClient | None:
            if not chosen.endpoint and not chosen.model:
                return None
            if not chosen.endpoint or not chosen.model:
                missing = "model" if chosen.endpoint else "endpoint"
                raise ValueError(f"{option} needs an endpoint and a model: name the {missing}, too")
            source = f"the model of {option}"
            here = ready_endpoint(chosen.endpoint)
            asked = PatientClient(here, model_source=source, while_waiting=while_waiting)
            return stack.enter_context(closing(asked))

        if options.given_prompt and not options.perplexity.endpoint:
            raise ValueError("perplexity given the prompt needs an endpoint for perplexity")
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


def possible(settings: MetricSettings) -> list[str]:
    """The metrics for which everything is given."""
    return [name for name, m in METRICS.items() if name in CORE or getattr(settings, m.needs)]

"""What a person, or this installation, chooses for automatic metrics. Web processes may load it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings


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

    def without_perplexity(self) -> "MetricOptions":
        """Without the model that gives perplexities."""
        return replace(self, perplexity=EndpointModel(), given_prompt=False)

    def only(self, needs: Collection[str]) -> "MetricOptions":
        """Without the models that give none of these fields of `MetricSettings`."""
        has = {"embeddings": ["sentence_model"], "perplexity": ["perplexity_source"]}
        has["model"] = ["sentence_model", "token_model"]
        unused = {name for name, gives in has.items() if not {*gives} & {*needs}}
        kept = self.without_perplexity() if "perplexity" in unused else self
        return replace(
            kept,
            model=None if "model" in unused else self.model,
            embeddings=EndpointModel() if "embeddings" in unused else self.embeddings,
        )


def installed_options() -> MetricOptions:
    """What the environment has for every study."""
    return MetricOptions(
        wordnet=_folder(settings.METRICS_WORDNET),
        model=_folder(settings.METRICS_MODEL),
        embeddings=EndpointModel(
            settings.METRICS_EMBEDDINGS_ENDPOINT, settings.METRICS_EMBEDDINGS_MODEL
        ),
        perplexity=EndpointModel(
            settings.METRICS_PERPLEXITY_ENDPOINT, settings.METRICS_PERPLEXITY_MODEL
        ),
        given_prompt=settings.METRICS_PERPLEXITY_GIVEN_PROMPT,
    )


def _folder(path: str) -> Path | None:
    return Path(path) if path else None

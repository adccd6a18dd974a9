"""Which automatic metrics can be chosen, for pages, commands and the API; it loads nothing big."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from analysis.metric_labels import LABELS
from survey.definition.options import FileEndings, SentFile
from survey.definition.parts import Part
from survey.files.suggestions import did_you_mean


def one_of(what: str, known: Mapping[str, str]) -> AfterValidator:
    """Takes the names that are `known`, and suggests one in place of another."""

    def checked(name: str) -> str:
        if name not in known:
            raise ValueError(f"there is no {what} {name!r}{did_you_mean(name, list(known))}")
        return name

    return AfterValidator(checked)


Metric = Annotated[str, one_of("metric", LABELS)]
Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class MetricsToCompute(Part):
    """Which automatic metrics are computed of a study's responses, and from what of its own."""

    metrics: list[Metric] = Field(
        default=[],
        title="Only these metrics",
        description="only this metric (default: all for which everything is given)",
    )
    phrases: list[Phrase] = Field(
        default=[],
        title="Stock phrases, a line each",
        max_length=1000,
        description="a stock phrase to count, for the metric stock_phrases",
    )
    perplexity: Annotated[SentFile | None, FileEndings(".csv,.tsv,.xlsx")] = Field(
        default=None,
        title="Perplexities (optional file)",
        description="perplexities from elsewhere: scenario, set, model, condition and perplexity",
    )

"""What can be chosen for perturbations, for pages, commands and the API; it loads nothing big."""

from typing import Annotated

from pydantic import AfterValidator, Field

from analysis.metric_choice import Metric, one_of
from analysis.perturbation_labels import PERTURBATION_LABELS
from survey.definition.options import ValueLabels
from survey.definition.parts import Part

#: Responses that are perturbed unless asked otherwise.
RESPONSES = 20
#: A metric of a text that depends on all other texts.
OF_ALL = "tfidf_cosine"


def _of_one_text(name: str) -> str:
    if name == OF_ALL:
        raise ValueError(f"{name} of a text depends on the other texts: leave it out")
    return name


Perturbation = Annotated[str, one_of("perturbation", PERTURBATION_LABELS)]
MetricOfOneText = Annotated[Metric, AfterValidator(_of_one_text)]


class PerturbingOptions(Part):
    """What is perturbed, how, and whose scores are compared."""

    responses: int = Field(
        default=RESPONSES,
        ge=1,
        le=100_000,
        description="how many responses, drawn from the scenarios in turn",
    )
    all_responses: bool = Field(default=False, description="all responses, however many there are")
    seed: int = Field(default=1, ge=0, le=2**31 - 1, description="of the draw and of every change")
    perturbations: Annotated[list[Perturbation], ValueLabels(PERTURBATION_LABELS)] = Field(
        default=[],
        description="only these (default: those by rule, and those by a language model where one "
        "is given)",
    )
    metrics: list[MetricOfOneText] = Field(
        default=[], description="score by these metrics (default: those computed for the study)"
    )
    judges: list[str] = Field(
        default=[],
        description="score by these judges of single responses too, such as `llama@2`, which ask "
        "for each text and may cost; needs the permission to have judges asked",
    )
    without_scorer: bool = Field(default=False, description="leave out the study's trained scorer")

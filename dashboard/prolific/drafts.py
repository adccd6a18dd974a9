"""The draft of a study on Prolific, from what our study says; and why one can't be published."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from django.conf import settings as django_settings
from django.utils import timezone
from pydantic import Field, model_validator

from dashboard.overview.links import prolific_link
from dashboard.prolific.groups import lets_in_only
from dashboard.prolific.models import Recruitment
from dashboard.prolific.waves import Wave
from dashboard.shared.stand_in import prolific_is_local
from survey.definition.codes import possible_endings
from survey.definition.options import InCents, ValueLabels, WhenMissing
from survey.definition.parts import Part, wrong
from survey.definition.placeholders import why_not_public
from survey.definition.policy import SIGNS, least_per_hour
from survey.definition.settings import Prolific, Settings
from survey.models import Slot, Study
from survey.prolific.codes import completion_codes
from survey.prolific.replies import UNPUBLISHED, ProlificStudy
from survey.slots import slot_counts
from survey.templatetags.markdown import without_markdown
from survey.tidy import definition_of

DEVICES = {"desktop": "Computer", "tablet": "Tablet", "mobile": "Phone"}
REVIEWS = {
    "automatic": "Approve and pay who enters the completion code",
    "all": "I review every submission before it is paid",
}
MOST_PLACES = 100_000


class DraftOptions(Part):
    """A study on Prolific; links and codes come from ours."""

    name: str = Field(title="Title", description="the title", min_length=1, max_length=200)
    description: str = Field(min_length=1, max_length=5000)
    places: int = Field(ge=1, le=MOST_PLACES)
    reward: Annotated[int, InCents()] = Field(title="Reward per participant", ge=0, le=100_000)
    minutes: int = Field(title="Estimated minutes", ge=1, le=1440)
    devices: Annotated[
        list[Literal["desktop", "tablet", "mobile"]],
        ValueLabels(DEVICES),
        WhenMissing("Choose at least one device."),
    ] = Field(min_length=1)
    review: Annotated[Literal["automatic", "all"], ValueLabels(REVIEWS)] = Field(
        title="Completed submissions",
        description="`automatic` pays who enters the completion code; `all` waits for your review",
    )
    sensitive: bool = Field(default=False, title="Content warning: the study has sensitive content")
    warning: str = Field(
        default="",
        title="What the content is",
        max_length=2000,
        description="what the sensitive content is",
    )

    @model_validator(mode="after")
    def _warns_of_something(self) -> Self:
        if self.sensitive and not self.warning:
            raise wrong(("warning",), "Describe the sensitive content.")
        return self


class PlacesOptions(Part):
    """A new total of places."""

    places: Annotated[int, WhenMissing("Enter the new number of places.")] = Field(
        ge=1, le=MOST_PLACES
    )


def first_values(study: Study, wave: Wave | None = None) -> dict[str, Any]:
    """What the form of a draft begins with; a wave has a place for each of its people."""
    definition = definition_of(study)
    places = slot_counts(study, pool=Slot.Pool.REAL, at=timezone.now()).maximum
    return {
        "name": definition.title,
        "description": f"You will rate texts. It takes about {definition.estimated_minutes} "
        "minutes.",
        "places": places if wave is None else min(places or len(wave.ids), len(wave.ids)),
        "minutes": definition.estimated_minutes,
        "devices": list(DEVICES),
        "sensitive": definition.texts.warning is not None,
        "warning": without_markdown(definition.texts.warning or ""),
        "review": "automatic",
    }


def values_of(theirs: ProlificStudy) -> dict[str, Any]:
    """What the form of a draft that is on Prolific begins with."""
    codes = theirs.completion_codes or []
    approves = any(
        action.get("action") == "AUTOMATICALLY_APPROVE"
        for code in codes
        for action in code.get("actions", [])
    )
    return {
        "name": theirs.name,
        "description": theirs.description,
        "places": theirs.total_available_places,
        "reward": theirs.reward,
        "minutes": round(theirs.estimated_completion_time),
        "devices": theirs.device_compatibility or list(DEVICES),
        "sensitive": "sensitive" in (theirs.content_warnings or []),
        "warning": theirs.content_warning_details or "",
        "review": "automatic" if approves else "all",
    }


def draft_of(study: Study, options: DraftOptions) -> dict[str, Any]:
    """A study as Prolific's API takes it."""
    return {
        "name": options.name,
        "description": options.description,
        "external_study_url": prolific_link(study),
        "is_external_study_url_secure": signs_links(study),
        "prolific_id_option": "url_parameters",
        "total_available_places": options.places,
        "reward": options.reward,
        "estimated_completion_time": options.minutes,
        "device_compatibility": options.devices,
        "content_warnings": ["sensitive"] if options.sensitive else [],
        "content_warning_details": options.warning if options.sensitive else "",
        "completion_codes": codes_of(study, review_all=options.review == "all"),
    }


def is_same(theirs: ProlificStudy, draft: dict[str, Any]) -> bool:
    """Whether the study on Prolific is as the draft says, as far as it is read."""
    there = theirs.model_dump()
    return all(there[name] == value for name, value in draft.items() if name in there)


def signs_links(study: Study) -> bool:
    """Whether people are only let in by a link that Prolific signed."""
    prolific = Settings.model_validate(study.settings).prolific
    return prolific is not None and prolific.signed_links


def codes_of(study: Study, *, review_all: bool = False) -> list[dict[str, Any]]:
    """The study's codes with their recommended actions."""
    settings = Settings.model_validate(study.settings)
    endings = possible_endings(definition_of(study), settings)
    return completion_codes(settings.prolific or Prolific(), endings, review_all=review_all)


def too_little(*, reward: float, minutes: int, currency: str) -> str:
    """Why a reward is below Prolific's minimum per hour; empty if it is not."""
    sign, hourly = SIGNS.get(currency, ""), least_per_hour(currency)
    if reward * 60 / minutes >= hourly:
        return ""
    return (
        f"{sign}{reward:.2f} for {minutes} minutes is less than Prolific's minimum of "
        f"{sign}{hourly} an hour: pay at least {sign}{hourly * minutes / 60:.2f}."
    )


def against_publishing(recruitment: Recruitment, theirs: ProlificStudy) -> Iterator[str]:
    """Why the study on Prolific can't send people here, each with what to do."""
    study, earlier = recruitment.study, recruitment.earlier
    is_local = prolific_is_local()
    if study.state != Study.State.OPEN:
        yield f"This study is {study.state}, and admits nobody: open it on Overview first."
    elif study.is_rehearsal and not is_local:
        yield "This study is a rehearsal, which admits nobody from Prolific: open it first."
    if not is_local and (why := why_not_public(django_settings.SITE_URL)):
        yield (
            f"Prolific would lead people to {django_settings.SITE_URL}, {why}. "
            "Set SITE_URL to a public address."
        )
    if theirs.status == UNPUBLISHED and differs(study, theirs):
        yield (
            "The link or the completion codes changed since the draft was saved: save the draft "
            "again."
        )
    if earlier is not None and not lets_in_only(theirs, recruitment.group):
        yield (
            f"The study on Prolific no longer lets in only people of {earlier}: choose the "
            f"participant group “{recruitment.internal_name}” there again."
        )


def differs(study: Study, theirs: ProlificStudy) -> bool:
    """Whether the study on Prolific has another link, signed or not, or other codes than ours."""
    ours = {code["code"] for code in codes_of(study)}
    there = {code.get("code") for code in theirs.completion_codes or []}
    return (
        theirs.external_study_url != prolific_link(study)
        or bool(theirs.is_external_study_url_secure) != signs_links(study)
        or there != ours
    )

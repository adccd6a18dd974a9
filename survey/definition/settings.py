"""Settings that may change while a study runs."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from survey.definition.composites import GivenComposites
from survey.definition.datasheet import Datasheet
from survey.definition.labels import GivenLabels
from survey.definition.model_facts import GivenModels
from survey.definition.parts import Part, Text, refuse_repeats
from survey.definition.preregistration import Preregistration
from survey.definition.sharing import Sharing
from survey.definition.text_language import LanguageTag

#: The possible endings; each has a text, and can have a code.
ENDINGS = (
    *("completed", "failed_attention", "failed_comprehension", "screened_out"),
    *("declined", "full", "withdrawn"),
)
PROLIFIC_HOSTS = ("prolific.com", "prolific.co", "prolific.ac")

#: Which counts of several judgments of one response by one rater, and which unless the study says
#: otherwise: that which a study without repeats has.
RepeatTaken = Literal["first", "last", "mean"]
USUAL_REPEAT: RepeatTaken = "first"


def _is_of(address: str, hosts: tuple[str, ...]) -> bool:
    """Whether an address is of one of these hosts, or of a part of it."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    return any(host == name or host.endswith(f".{name}") for name in hosts if name)


class LinkParameters(Part):
    """The recruiter's names for its identifiers in the participants' link."""

    participant: Text = "PROLIFIC_PID"
    study: Text = "STUDY_ID"
    session: Text = "SESSION_ID"

    @model_validator(mode="after")
    def _differ(self) -> "LinkParameters":
        refuse_repeats("parameter", [self.participant, self.study, self.session])
        return self


class Prolific(Part):
    """Completion codes, one for each ending, and where the button leads.

    Without any code the study gets random ones when it is loaded (`codes.with_codes`).
    """

    completion_code: Text | None = None
    failed_attention_code: Text | None = None
    #: The number of failed attention checks from which participants get that code.
    failed_attention_from: int = Field(default=2, ge=1)
    failed_comprehension_code: Text | None = None
    screened_out_code: Text | None = None
    declined_code: Text | None = None
    full_code: Text | None = None
    withdrawn_code: Text | None = None
    return_url: Text = "https://app.prolific.com/submissions/complete"
    parameters: LinkParameters = LinkParameters()
    #: Whether a person's first arrival needs a token that Prolific signed.
    signed_links: bool = False

    @property
    def is_prolific(self) -> bool:
        """Whether the recruiter is Prolific itself, whose IDs have a fixed form."""
        return _is_of(self.return_url, PROLIFIC_HOSTS)

    def is_recruiters(self, address: str) -> bool:
        """Whether an address is one of Prolific's sites, or of the recruiter's own."""
        return _is_of(address, (*PROLIFIC_HOSTS, urlsplit(self.return_url).hostname or ""))

    def code(self, ending: str) -> str | None:
        """The code of an ending, or None."""
        return getattr(self, self.key_of(ending))  # type: ignore[no-any-return]  # a field above

    @staticmethod
    def key_of(ending: str) -> str:
        """The key of an ending's code."""
        return "completion_code" if ending == "completed" else f"{ending}_code"

    @property
    def codes(self) -> list[str]:
        """Every code that is given."""
        return [code for ending in ENDINGS if (code := self.code(ending)) is not None]

    def code_shown(self, ending: str) -> str | None:
        """The code shown at an ending, or None.

        Participants who failed checks have completed too. If their ending has no code any more,
        they see the completion code.
        """
        code = self.code(ending)
        return self.completion_code if code is None and ending == "failed_attention" else code

    @field_validator("return_url")
    @classmethod
    def _leads_to_a_site(cls, address: str) -> str:
        try:
            parts = urlsplit(address)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.fragment:
            raise ValueError(
                "is not an address such as https://app.prolific.com/submissions/complete"
            )
        return address

    @model_validator(mode="after")
    def _prolific_signs(self) -> "Prolific":
        if self.signed_links and not self.is_prolific:
            raise ValueError(
                "signed_links: only Prolific signs links, and return_url leads elsewhere"
            )
        return self

    @model_validator(mode="after")
    def _codes_differ(self) -> "Prolific":
        refuse_repeats("completion code", self.codes)
        if self.codes and self.completion_code is None:
            raise ValueError(
                "completion_code is missing; add it, or remove every code to get random ones"
            )
        return self


class Places(Part):
    """How many participants a study takes, and when inactive ones can lose their place."""

    maximum: int | None = Field(default=None, ge=1)
    ratings_per_block: int | None = Field(default=None, ge=1)
    ratings_per_response: int | None = Field(default=None, ge=1)
    stale_minutes: int = Field(default=120, ge=1)

    @model_validator(mode="after")
    def _one_limit(self) -> "Places":
        if len(self.limits) > 1:
            raise ValueError(
                "give one of maximum, ratings_per_block and ratings_per_response: each determines "
                "the others"
            )
        return self

    @property
    def limits(self) -> list[int]:
        """The limit given, if any: without one, a study is never full."""
        given = (self.maximum, self.ratings_per_block, self.ratings_per_response)
        return [limit for limit in given if limit is not None]


class Settings(Part):
    """What may change while a study runs."""

    ways_in: list[Literal["prolific", "link", "invitation"]] = Field(
        default=["prolific"], min_length=1
    )
    prolific: Prolific | None = None
    places: Places = Places()
    #: How long a payment key outlives a withdrawal.
    withdrawal_key_days: int = Field(default=90, ge=0, le=3650)
    labels: GivenLabels = GivenLabels()
    composites: GivenComposites = {}
    models: GivenModels = {}
    repeats: RepeatTaken = Field(
        default=USUAL_REPEAT,
        description="Which of a rater's judgments of the same response the analysis takes",
    )
    preregistration: Preregistration = Preregistration()
    datasheet: Datasheet = Datasheet()
    share: Sharing = Sharing()
    responses_language: LanguageTag | None = Field(
        default=None, description="The language of the responses, where it is stated"
    )

    @property
    def lacks_codes(self) -> bool:
        """Whether the study recruits on Prolific but has no code."""
        return "prolific" in self.ways_in and not (self.prolific and self.prolific.codes)

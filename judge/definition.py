"""The `judge:` part of study.yaml, and what a judge is once its endpoint is known. Pure."""

import hashlib
import json
from typing import Annotated

from pydantic import Field, StringConstraints

from survey.definition.parts import Part, Text

#: The rubric of the study by B N et al. in our words; used where a study gives none.
WARMTH_FIT_GENUINENESS = (
    "Consider how emotionally warm the reply is, how well it fits this person's situation, "
    "and how genuine it sounds."
)

JudgeName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$")]


class JudgeDefinition(Part):
    """What a study says about its judge. Endpoint, model and key come from the environment."""

    name: JudgeName = "judge"
    rubric: Text = WARMTH_FIT_GENUINENESS
    #: Calls per response and dimension; the gold score is the mean of those answered.
    replicates: int = Field(default=3, ge=1, le=100)
    #: Null leaves it to the endpoint: some models refuse a request that names one.
    temperature: float | None = Field(default=1.0, ge=0, le=2)
    #: Null leaves it to the endpoint. An answer that was cut off is never read as a score.
    max_tokens: int | None = Field(default=None, ge=16)
    #: Replicate n is asked with seed + n, so that replicates differ and a run can be repeated.
    seed: int | None = Field(default=None, ge=0, le=2**31)
    #: A call fails after this many answers without a usable score.
    unusable_answers: int = Field(default=3, ge=1)


class JudgeConfiguration(JudgeDefinition):
    """A definition with where it is asked. Any change of it is another version of the judge."""

    base_url: Text
    model: Text
    stand_in: bool
    #: The wording around the rubric: `judge.prompts.FORMAT` at the time.
    prompt_format: int

    def definition(self) -> JudgeDefinition:
        """The study's part of it."""
        return JudgeDefinition(**self.model_dump(include=set(JudgeDefinition.model_fields)))

    def fingerprint(self) -> str:
        """SHA-256 of everything that may influence a score."""
        canonical = json.dumps(self.model_dump(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

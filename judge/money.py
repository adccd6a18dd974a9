"""What judging costs, and what it may cost, as a study's file says. Pure."""

from pydantic import Field

from survey.definition.parts import Part


class Price(Part):
    """US dollars per million tokens, for endpoints that do not report costs. Of a judge with
    `batch`, what tokens cost in a batch.
    """

    input: float = Field(ge=0, le=10_000)
    output: float = Field(ge=0, le=10_000)
    #: Of input that the endpoint had in its cache. Null: as other input.
    cached_input: float | None = Field(default=None, ge=0, le=10_000)


class Budget(Part):
    """The limits for all judges of a study together: US dollars and requests."""

    money: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    requests: int | None = Field(default=None, ge=1)

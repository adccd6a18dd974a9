"""The scores in a judge's completion. Pure."""

from collections.abc import Sequence

from judge.completions import Oddity, ReadCompletion
from judge.configuration import JudgeConfiguration
from judge.doubts import Unusable
from judge.literals import score_in_literal, verdicts_in_literal
from judge.parsing import Scored, parse_scores, parse_verdicts
from judge.prompts import TIE, letters


def scores_of(
    said: ReadCompletion,
    configuration: JudgeConfiguration,
    *,
    responses: int,
    dimensions: Sequence[str],
) -> list[Scored]:
    """The scores that an answer gives to so many responses, each on every one of `dimensions`.

    Raises Unusable.
    """
    if not said.is_whole:
        raise Unusable(said.why_not_whole)
    named = letters(responses)
    several = list(dimensions) if len(dimensions) > 1 else []
    try:
        if configuration.has_literal:
            (name,) = dimensions
            literal = configuration.answer_about(name)
            if configuration.presentation == "pair":
                return verdicts_in_literal(said.answer, literal, named, tie=TIE)
            return score_in_literal(
                said.answer,
                literal,
                configuration.scale,
                between=configuration.between,
                name=name,
                others=[each for each in configuration.dimensions if each != name],
            )
        if configuration.presentation == "pair":
            return parse_verdicts(said.answer, named, tie=TIE, dimensions=several)
        return parse_scores(
            said.answer,
            configuration.scale,
            letters=named if configuration.presentation == "block" else (),
            dimensions=several,
            between=configuration.between,
            names=tuple(dimensions),
        )
    except Unusable as reason:
        if Oddity.MAY_REFUSE in said.notices:
            raise Unusable(f"{reason} ({Oddity.MAY_REFUSE})") from None
        raise

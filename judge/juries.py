"""Juries of a study: versions of several judges as one source."""

from judge.definition import JudgingDefinition, JuryDefinition
from judge.gold import choose_gold
from judge.models import Judge, Jury
from judge.queries import current_judges, gold_decision, n_verdicts
from survey.models import Study


def seat_juries(study: Study, definition: JudgingDefinition) -> None:
    """Give each jury of the study's file the current versions of its judges.

    Where these or the way to combine them changed, a new version of the jury is current. As with
    judges, the scores of an earlier version stay gold until a person chooses others, unless it has
    none. Call it after the judges have changed, with the study locked.
    """
    current = {judge.name: judge for judge in current_judges(study)}
    names = [described.name for described in definition.juries]
    study.juries.exclude(name__in=names).update(is_current=False)
    for described in definition.juries:
        _seat(study, described, [current[name] for name in described.judges])


def _seat(study: Study, described: JuryDefinition, judges: list[Judge]) -> None:
    versions = study.juries.filter(name=described.name)
    replaced = versions.filter(is_current=True).first()
    jury = next((each for each in versions if _is(each, described, judges)), None)
    if jury is not None and jury == replaced:
        return
    versions.update(is_current=False)
    if jury is None:
        newest = versions.order_by("-version").first()
        jury = Jury(
            study=study,
            name=described.name,
            version=newest.version + 1 if newest else 1,
            combine=described.combine,
            is_stand_in=any(judge.is_stand_in for judge in judges),
        )
    jury.is_current = True
    jury.save()
    jury.judges.set(judges)
    decision = gold_decision(study)
    was_gold = replaced is not None and decision is not None and decision.jury == replaced
    if was_gold and replaced and not n_verdicts(replaced):
        choose_gold(study, jury=jury, why=f"replaces {replaced}, which has no scores")


def _is(jury: Jury, described: JuryDefinition, judges: list[Judge]) -> bool:
    return jury.combine == described.combine and set(jury.judges.all()) == set(judges)

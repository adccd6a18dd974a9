"""Who counts, decided for some people at a time: as of all at once."""

from collections.abc import Sequence

import pytest
from django.utils import timezone

from analysis import frames
from analysis.decisions import Decided, decide, snapshot_at
from analysis.manual_decisions import decide_on
from analysis.queries import Decision
from analysis.raters.filtering import filtered
from analysis.rule_sets import current_rule_set, rules_of
from survey.models import Participant, Rating, Study
from survey.tidy import counted_sources, participant_rows, participants, reading
from tests.factories import Key, add_gold, add_participant, make_study

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def study() -> Study:
    """Taken by people of every kind, in an order that is not that of their names."""
    study = make_study(dimensions=("warmth", "clarity"))
    for number, name in enumerate(["zoe", "ann", "mia", "ben", "eve"]):

        def rate(key: Key, number: int = number) -> int:
            return 1 + (number * len(key[2]) + ord(key[0][-1]) + len(key[4])) % 5

        add_participant(study, pseudonym=name, rate=rate, minutes=8 + 4 * number)
    add_participant(study, pseudonym="flat", rate=lambda key: 3)
    add_participant(study, pseudonym="idle", rate=lambda key: None, status="in_progress")
    add_participant(study, pseudonym="gone", rate=lambda key: None, status="declined")
    return study


def in_chunks(
    study: Study, monkeypatch: pytest.MonkeyPatch, size: int, sources: Sequence[str] = ()
) -> Decided:
    monkeypatch.setattr(frames, "PEOPLE_AT_ONCE", size)
    monkeypatch.setattr(frames, "ROWS_AT_ONCE", size)
    with reading():
        return decide(study, sources or counted_sources(), current_rule_set(study), at=NOW)


def at_once(study: Study) -> tuple[dict[str, Decision], str]:
    """What the filter of the analysis decides, and the hash of its snapshot."""
    rule_set = current_rule_set(study)
    with reading():
        snapshot = snapshot_at(study, counted_sources(), rule_set, at=NOW)
    raters = filtered(snapshot.data, rules_of(rule_set)).raters
    rows = raters[["participant", *Decision._fields]].astype(object)
    rows = rows.where(rows.notna(), None)
    decisions = {name: Decision(*rest) for name, *rest in rows.itertuples(index=False)}
    return decisions, snapshot.hash


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("gold", ["all", "one", "none"])
def test_each_decision_and_the_hash_are_those_of_all_people_at_once(
    study: Study, monkeypatch: pytest.MonkeyPatch, size: int, gold: str
) -> None:
    responses = {rating.response_id for rating in Rating.objects.all()}
    scored = {"all": responses, "one": {min(responses)}, "none": set()}[gold]
    if scored:
        add_gold(study, {(pk, "warmth"): 2.5 + pk % 3 for pk in scored})
    decide_on(
        study=study,
        participants=[Participant.objects.get(pseudonym="ben")],
        author=None,
        excluded=True,
        reason="He asked for it",
        at=NOW,
    )
    decided = in_chunks(study, monkeypatch, size)
    decisions, snapshot_hash = at_once(study)
    assert decided.decisions == decisions
    assert decided.manifest["snapshot_hash"] == snapshot_hash
    assert {d.exclusion for d in decisions.values()} >= {"decision", "duration", ""}


def test_gold_scores_that_only_some_people_met_count_for_all(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others have no σ and no MAE, whatever chunk they are in."""
    scored = Rating.objects.filter(dimension="clarity").earliest("id").response_id
    add_gold(study, {(scored, "clarity"): 4.0})
    Rating.objects.filter(response=scored, dimension="clarity").exclude(
        presentation__participant__pseudonym="zoe"
    ).delete()
    decided = in_chunks(study, monkeypatch, 1)
    assert decided.decisions == at_once(study)[0]
    assert [name for name, d in decided.decisions.items() if d.mae is not None] == ["zoe"]


def test_study_without_people_has_no_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    decided = in_chunks(study, monkeypatch, 2)
    assert decided.decisions == {}
    assert decided.manifest["snapshot_hash"] == at_once(study)[1]


@pytest.mark.parametrize("size", [1, 3])
def test_participants_are_the_same_however_many_are_read_together(
    study: Study, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    add_participant(study, pseudonym="old", demographics={"age": 80, "race": ["Asian", "Black"]})
    everyone = list(participant_rows(study, counted_sources()))
    monkeypatch.setattr(participants, "AT_ONCE", size)
    assert list(participant_rows(study, counted_sources())) == everyone
    assert len(everyone) == 9

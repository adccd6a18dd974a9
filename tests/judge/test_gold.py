"""Whose scores are gold: decided, recorded, never edited."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from judge.gold import add_gold_set, choose_gold
from judge.models import GoldDecision, GoldScore
from judge.queries import Gold, gold_decision, gold_scores, gold_source
from survey.models import Response, Study
from tests.judge.judging import describe

pytestmark = pytest.mark.django_db


@pytest.fixture
def gold(study: Study) -> Gold:
    """One score from a file."""
    return Gold(Response.objects.earliest("pk").pk, "warmth", 2.5, [2, 3])


def test_study_without_a_decision_has_no_gold(study: Study) -> None:
    assert (gold_decision(study), gold_source(study)) == (None, None)
    assert gold_scores(study).scores == []


def test_newest_decision_holds_and_the_earlier_ones_stay(study: Study, gold: Gold) -> None:
    judge = describe(study, name="j")
    gold_set = add_gold_set(study, name="experts", made_by="three experts", scores=[gold])
    author = User.objects.create_user("researcher")
    assert choose_gold(study, gold_set=gold_set, author=author, why="they are experts")
    assert choose_gold(study, judge=judge)
    assert choose_gold(study, panel="nurses")
    decisions = list(GoldDecision.objects.order_by("id"))
    assert [(d.judge, d.gold_set, d.panel, d.author, d.why) for d in decisions] == [
        (judge, None, "", None, "named in the study's file"),
        (None, gold_set, "", author, "they are experts"),
        (judge, None, "", None, "chosen"),
        (None, None, "nurses", None, "chosen"),
    ]
    source = gold_source(study)
    assert source is not None
    assert (source.name, source.kind) == ("panel nurses", "panel")


def test_same_decision_twice_is_one(study: Study) -> None:
    judge = describe(study)
    assert not choose_gold(study, judge=judge)
    assert GoldDecision.objects.count() == 1


def test_database_refuses_a_decision_for_two(study: Study) -> None:
    judge = describe(study)
    with pytest.raises(IntegrityError), transaction.atomic():
        GoldDecision.objects.create(study=study, judge=judge, panel="p", why="x")


def test_decision_may_be_for_none(study: Study) -> None:
    describe(study)
    assert choose_gold(study, why="the study has no judge")
    assert gold_source(study) is None
    assert not choose_gold(study)


def test_scores_from_a_file_are_kept_and_not_gold_before_somebody_says_so(
    study: Study, gold: Gold
) -> None:
    added = add_gold_set(study, name="experts", made_by="three experts", scores=[gold])
    assert str(added) == "experts (imported, made by three experts)"
    assert gold_source(study) is None
    choose_gold(study, gold_set=added)
    found = gold_scores(study)
    assert (found.scores, found.made_by, found.is_imported, found.kind) == (
        [gold],
        "three experts",
        True,
        "file",
    )


def test_second_file_of_the_same_name_is_refused_and_nothing_kept(study: Study, gold: Gold) -> None:
    add_gold_set(study, name="experts", made_by="", scores=[gold])
    with pytest.raises(ValueError, match="small@1 already has gold scores called 'experts'"):
        add_gold_set(study, name="experts", made_by="", scores=[gold])
    assert GoldScore.objects.count() == 1

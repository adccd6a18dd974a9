"""What simulated raters answer to each kind of task; ratings are in test_simulated_plan.py."""

import pytest

from survey.definition.tasks import TextTask
from survey.simulated import answers
from survey.simulated.content import BlockTexts, Content, RatingKey, Text
from survey.simulated.plan import RaterPlan, plan_raters
from survey.simulated.profile import Behaviour, SimulationProfile
from tests.survey import small_study


def content(yaml: str) -> Content:
    main, *others = small_study.definitions(yaml)
    texts = tuple(Text(model, "plain", f"{model} answers") for model in ("Ant", "Bee", "Cat"))
    return Content(
        definition=main,
        version=1,
        blocks=tuple(BlockTexts(f"S{n}", "1", "prompt", texts) for n in range(1, 5)),
        translations={other.language: other for other in others},
    )


def plans(yaml: str, participants: int = 20, **profile: object) -> list[RaterPlan]:
    return plan_raters(
        profile=SimulationProfile.model_validate(profile),
        content=content(yaml),
        participants=participants,
        seed=1,
    )


def test_the_highest_place_has_rank_one_and_equal_places_keep_their_order() -> None:
    assert answers.ranks([0.2, 0.9, 0.5]) == [3, 1, 2]
    assert answers.ranks([0.5, 0.5, 0.7]) == [2, 3, 1]


def test_ranks_never_contradict_the_ratings_of_their_dimension() -> None:
    for rater in plans(small_study.SLIDER_YAML):
        for block in content(small_study.SLIDER_YAML).blocks:
            texts = list(block.texts)
            placed = answers.ranks(rater.places(block, texts, ["warmth"]))
            rated = [
                rater.ratings[RatingKey(*block.name, text.model, text.condition, "warmth")]
                for text in texts
            ]
            by_rank = [rating for _, rating in sorted(zip(placed, rated, strict=True))]
            assert by_rank == sorted(by_rank, reverse=True)


def test_a_study_without_ratings_has_places_and_no_ratings() -> None:
    study = content(small_study.CHOICES_YAML)
    assert study.dimensions == [""]
    for rater in plans(small_study.CHOICES_YAML):
        assert (len(rater.seen), rater.ratings) == (12, {})


def test_straight_liners_rank_from_top_to_bottom() -> None:
    (rater,) = plans(small_study.CHOICES_YAML, 1, behaviours={"straight_liner": 1.0})
    block = content(small_study.CHOICES_YAML).blocks[0]
    assert answers.ranks(rater.places(block, list(block.texts), [""])) == [1, 2, 3]


def test_people_see_as_many_blocks_as_the_study_shows_them() -> None:
    assert {rater.blocks for rater in plans(small_study.SLIDER_YAML)} == {3}
    left = plans(small_study.SLIDER_YAML, behaviours={"early_exit": 1.0})
    assert {rater.blocks for rater in left} == {1, 2}


@pytest.mark.parametrize(("minimum", "maximum"), [(0, 2000), (200, 210), (0, 5)])
def test_what_is_written_has_a_length_that_is_allowed(minimum: int, maximum: int) -> None:
    task = TextTask(
        kind="text", name="why", question="Why?", required=True, minimum=minimum, maximum=maximum
    )
    for person in range(50):
        text = answers.remark(task, 1, person, language="en", share=0.0)
        assert max(minimum, 1) <= len(text) <= maximum


def test_optional_answers_are_given_by_their_share_of_people() -> None:
    task = TextTask(kind="text", name="why", question="Why?")
    written = [answers.remark(task, 1, n, language="zh-hans", share=0.5) for n in range(400)]
    assert 160 < sum(bool(text) for text in written) < 240
    assert {text[-1] for text in written if text} == {"。"}


def test_who_is_screened_out_gives_one_answer_that_is_not_eligible() -> None:
    out, careful = (
        plans(small_study.EVERYTHING_YAML, 5, behaviours={"screened_out": share})
        for share in (1.0, 0.0)
    )
    assert {rater.screening["home"] for rater in out} == {"Elsewhere"}
    assert {rater.screening["home"] for rater in careful} == {"Here"}
    assert {(rater.blocks, tuple(rater.seconds)) for rater in out} == {
        (0, ("consent", "screening"))
    }


def test_nobody_is_screened_out_of_a_study_without_screening() -> None:
    raters = plans(small_study.CHOICES_YAML, behaviours={"screened_out": 1.0})
    assert {rater.behaviour for rater in raters} == {Behaviour.CAREFUL}


@pytest.mark.slow
def test_languages_and_devices_follow_their_shares() -> None:
    raters = plans(
        small_study.EVERYTHING_YAML, 400, languages={"zh-hans": 0.25}, devices={"phone": 0.5}
    )
    assert 70 < sum(rater.language == "zh-hans" for rater in raters) < 130
    assert 160 < sum(rater.device == "phone" for rater in raters) < 240
    assert {rater.device for rater in raters} == {"phone", "desktop"}
    assert {rater.language for rater in plans(small_study.CHOICES_YAML)} == {"en"}


def test_names_that_the_study_lacks_are_listed() -> None:
    profile = SimulationProfile.model_validate(
        {"behaviours": {"screened_out": 0.1}, "languages": {"de": 0.1}}
    )
    assert list(answers.unmatched(profile, content(small_study.CHOICES_YAML))) == [
        (("behaviours", "screened_out"), "the study asks no screening question"),
        (("languages", "de"), "the study is not in this language"),
    ]

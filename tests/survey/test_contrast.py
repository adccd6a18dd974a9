"""What a study compares, by the systems that it has."""

import pytest

from survey.definition.contrast import System, comparison_of

ANT, BEE = [("Ant", "plain"), ("Ant", "tuned")], [("Bee", "plain"), ("Bee", "tuned")]


def weights(systems: list[System]) -> dict[System, float]:
    found = comparison_of(systems, "plain", "tuned")
    assert found is not None
    return found.of_all


def test_each_model_is_compared_with_itself_where_every_one_has_both_conditions() -> None:
    found = comparison_of([*ANT, *BEE, ("Owl", "human")], "plain", "tuned")
    assert found is not None and found.is_within
    assert found.of_models == {
        model: {(model, "plain"): 1.0, (model, "tuned"): -1.0} for model in ("Ant", "Bee")
    }
    assert found.of_all == {
        ("Ant", "plain"): 0.5, ("Bee", "plain"): 0.5, ("Ant", "tuned"): -0.5, ("Bee", "tuned"): -0.5
    }  # fmt: skip
    assert found.in_words == "plain against tuned, within each of 2 models"


def test_groups_of_systems_are_compared_where_no_model_has_both_conditions() -> None:
    systems = [("Ann", "plain"), *((name, "tuned") for name in "ABCDE")]
    found = comparison_of(systems, "plain", "tuned")
    assert found is not None and not found.is_within and found.models == ()
    assert found.of_models == {}
    assert found.of_all == {("Ann", "plain"): 1.0, **{(name, "tuned"): -0.2 for name in "ABCDE"}}
    assert found.in_words == (
        "1 system in plain against the mean of 5 systems in tuned: no model has both conditions"
    )


def test_a_model_in_one_condition_alone_makes_them_groups() -> None:
    found = comparison_of([*ANT, ("Bee", "plain")], "plain", "tuned")
    assert found is not None and not found.is_within
    assert list(found.of_models) == ["Ant"]
    assert found.of_all == {("Ant", "plain"): 0.5, ("Bee", "plain"): 0.5, ("Ant", "tuned"): -1.0}
    assert found.in_words == (
        "the mean of 2 systems in plain against 1 system in tuned: only 1 of the models has both "
        "conditions"
    )


def test_weights_of_a_contrast_sum_to_nothing() -> None:
    for systems in (ANT, [*ANT, *BEE], [*ANT, ("Bee", "tuned")], [("A", "plain"), ("B", "tuned")]):
        assert sum(weights(systems).values()) == pytest.approx(0)


@pytest.mark.parametrize("systems", [[], [("Ant", "plain")], [("Ant", "tuned"), ("Owl", "human")]])
def test_without_a_system_in_one_condition_nothing_is_compared(systems: list[System]) -> None:
    assert comparison_of(systems, "plain", "tuned") is None
    assert comparison_of(systems, None, None) is None

"""Which questions are answered, in which order, and on whose side."""

from analysis.text.findings import findings
from tests.analysis.written import ITEMS, PAPER, SHIPPED, SOUND, group, recipe, said, tables


def test_who_counts_stands_first() -> None:
    steps = [
        {"step": "duration", "excluded": 1, "remaining": 9},
        {"step": "attention", "excluded": 2, "remaining": 7},
    ]
    found = findings(tables(funnel=steps), SHIPPED)[0]
    assert (found.title, said(found.sound)) == (
        "Who counts",
        [
            "7 of 10 people who consented and finished or left are included. 3 are excluded "
            "by rule: 1 “Too fast or too slow”, 2 “Failed attention checks”."
        ],
    )


def test_one_recipe_alone_has_one_side() -> None:
    rows = [group("paper", "rating", 0.004), group("sound", "participant", 0.2)]
    made = tables(items=ITEMS, group_tests=rows)
    only_paper, only_sound = findings(made, [PAPER]), findings(made, [SOUND])
    assert (len(only_paper[0].sound), len(only_paper[0].paper)) == (0, 1)
    assert (len(only_sound[0].sound), len(only_sound[0].paper)) == (1, 0)


def test_recipe_of_ones_own_takes_the_side_of_its_unit() -> None:
    made = tables(items=ITEMS, group_tests=[group("mine", "rating", 0.2)])
    assert len(findings(made, [recipe("rating")])[0].paper) == 1


def test_dimensions_are_told_apart_in_titles() -> None:
    rows = [{"dimension": d} for d in ("warmth", "clarity")]
    agreement = [
        {"dimension": d, "statistic": "icc_2_1", "value": 0.5, "n_raters": 3, "n_items": 4}
        for d in ("warmth", "clarity")
    ]
    found = findings(tables(items=rows, agreement=agreement), SHIPPED)
    assert [finding.title for finding in found] == [
        "Agreement of raters (Warmth)",
        "Agreement of raters (Clarity)",
    ]


def test_nothing_is_said_of_nothing() -> None:
    assert findings({}, SHIPPED) == []
    assert findings(tables(items=ITEMS), SHIPPED) == []

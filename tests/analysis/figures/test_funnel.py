"""The flow of participants: every number of the funnel, once, with its reason."""

import re
from itertools import pairwise
from typing import Any

import pytest
from pandas import DataFrame

from analysis.figures.funnel import consort_flow
from analysis.not_available import NotAvailable
from analysis.quality_rules import QualityRules
from tests.analysis.figures.drawn import checked

STEPS = DataFrame(
    [
        ("duration", 9, 142, 9),
        ("attention", 5, 137, 6),
        ("early_exit", 13, 124, 13),
        ("sigma_mae", 8, 116, 12),
    ],
    columns=["step", "excluded", "remaining", "alone"],
)


def flow(
    steps: DataFrame = STEPS, outside: dict[str, int] | None = None, **rules: Any
) -> dict[str, Any]:
    made = consort_flow(steps, QualityRules.model_validate(rules), outside or {})
    return checked(made)


def boxes(made: dict[str, Any]) -> list[str]:
    """The texts of the boxes from the top down, as they are read."""
    texts = [a for a in made["layout"]["annotations"] if a["text"]]
    texts.sort(key=lambda a: -a["y"])
    return [re.sub("</?b>", "", a["text"]).replace("<br>", " ") for a in texts]


def test_the_published_funnel_is_drawn_from_151_to_116() -> None:
    assert boxes(flow()) == [
        "took part n = 151",
        "Too fast or too slow n = 9 under 10 or over 75 minutes",
        "remaining n = 142",
        "Failed attention checks n = 5 an attention check failed (by itself: 6)",
        "remaining n = 137",
        "Left early n = 13 left before the end",
        "remaining n = 124",
        "Low variance and far from gold n = 8 σ under 0.6 and MAE over 0.9 (by itself: 12)",
        "included n = 116",
    ]


def test_who_never_entered_stands_above() -> None:
    found = boxes(flow(outside={"declined": 5, "screened out": 2, "withdrawn": 0}))
    assert found[:3] == [
        "arrived n = 158",
        "not in the analysis n = 7 declined: 5 screened out: 2",
        "took part n = 151",
    ]


def test_reasons_say_what_the_rules_say() -> None:
    found = boxes(
        flow(
            duration_minutes={"minimum": 5, "maximum": 30},
            attention={"failures_allowed": 1},
            sigma_mae={"sigma_below": 0.3, "mae_above": 1.5, "sigma_over": "blocks"},
        )
    )
    assert "under 5 or over 30 minutes" in found[1]
    assert "more than 1 attention checks failed" in found[3]
    assert "σ under 0.3 and MAE over 1.5, σ of block means" in found[7]


def test_one_step_ends_with_who_is_included() -> None:
    assert boxes(flow(STEPS.head(1)))[-1] == "included n = 142"


def test_nobody_flows_too() -> None:
    nobody = STEPS.assign(excluded=0, remaining=0, alone=0)
    assert boxes(flow(nobody))[0] == "took part n = 0"


def test_without_rules_there_is_no_flow() -> None:
    with pytest.raises(NotAvailable, match="the study applies no quality rule"):
        consort_flow(STEPS.head(0), QualityRules(order=[]), {})


def test_boxes_do_not_overlap_and_hold_their_text_on_a_phone() -> None:
    made = flow(outside={"still taking the survey": 3})
    layout = made["layout"]
    shapes = [shape for shape in layout["shapes"] if shape["type"] == "rect"]
    shapes.sort(key=lambda shape: -shape["y1"])
    for above, below in pairwise(shapes):
        assert above["y0"] > below["y1"]
    # a unit upwards is a pixel
    margins = layout["margin"]["t"] + layout["margin"]["b"]
    low, high = layout["yaxis"]["range"]
    assert layout["height"] - margins == high - low
    texts = [a for a in layout["annotations"] if a["text"]]
    for shape, text in zip(shapes, sorted(texts, key=lambda a: -a["y"]), strict=True):
        lines = re.sub("</?b>", "", text["text"]).split("<br>")
        assert shape["y1"] - shape["y0"] >= 16 * len(lines)
        # letters of 12 pixels are 6.5 wide at the most, on average
        assert max(map(len, lines)) * 6.5 <= (shape["x1"] - shape["x0"]) * 328

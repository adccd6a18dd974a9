"""Benchmarks run as `make bench` runs them: without arguments. What documents quote is what was
measured.
"""

import csv
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import ai_flags, analysis_scale, mixed_models
from survey.simulated import writing

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("benchmark", "parts"),
    [(analysis_scale, ["study", "command", "scale", "whole"]), (mixed_models, ["r"])],
)
def test_without_arguments_there_is_something_to_measure(
    benchmark: ModuleType, parts: list[str]
) -> None:
    assert benchmark.arguments([]).parts == parts
    assert benchmark.arguments(["--parts", "scale"]).parts == ["scale"]


#: Ways of writing that are always flagged, and by which rules.
FLAGGED: dict[writing.Way, set[str]] = {
    writing.pasted: {"pasted", "returned", "at_once"},
    writing.pasted_and_edited: {"pasted", "returned"},
    writing.pasted_in_parts: {"pasted", "returned"},
    writing.dropped: {"pasted", "at_once"},
    writing.filled_in_by_a_tool: {"at_once"},
    writing.typed_by_a_tool: {"too_fast"},
    writing.from_own_notes: {"pasted", "returned", "at_once"},  # honest, and not to be told apart
}
NEVER = [
    way for way in (*writing.HONEST, writing.retyped) if way not in (*FLAGGED, writing.dictated)
]


def flagged_by(way: writing.Way, answers: int = 40) -> dict[str, int]:
    rates = ai_flags.rates_of(way, writer="", answers=answers)
    return {rate.rule: rate.flagged for rate in rates}


@pytest.mark.parametrize("way", NEVER, ids=lambda way: way.__name__)
def test_honest_ways_of_writing_are_not_flagged(way: writing.Way) -> None:
    assert set(flagged_by(way).values()) == {0}


@pytest.mark.parametrize("way", FLAGGED, ids=lambda way: way.__name__)
def test_text_from_elsewhere_is_flagged_by_the_rules_that_are_about_it(way: writing.Way) -> None:
    found = flagged_by(way)
    assert found["any"] == 40
    assert {rule for rule, flagged in found.items() if flagged} >= FLAGGED[way]


def test_rates_of_flags_in_the_docs_are_the_measured_ones() -> None:
    with ai_flags.RESULTS.open(encoding="utf-8", newline="") as file:
        measured = [row for row in csv.DictReader(file) if row["rule"] == "any"]
    table = (ROOT / "docs" / "ai-use.md").read_text(encoding="utf-8")
    rows = [line.split("|")[2:4] for line in table.splitlines() if line.count(" % |") == 1]
    quoted = [(rate.strip().removesuffix(" %"), interval.strip()) for rate, interval in rows]
    assert len(quoted) == len(measured) == 16
    for (rate, interval), row in zip(quoted, measured, strict=True):
        assert float(rate) == pytest.approx(100 * float(row["rate"]), abs=0.05), row["way"]
        ends = [100 * float(row[end]) for end in ("ci_low", "ci_high")]
        for said, end in zip(interval.split(" to "), ends, strict=True):
            assert float(said) == pytest.approx(end, abs=0.05), row["way"]

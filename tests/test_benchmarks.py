"""Benchmarks run as `make bench` runs them: without arguments. What documents quote is what was
measured.
"""

import csv
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import ai_flags, analysis_scale, mixed_models
from benchmarks.__main__ import BENCHMARKS, arguments, measured
from benchmarks.running.readme import Measured, Run, names, written
from benchmarks.running.tables import STORED_IN, Table, reported, stored_tables
from benchmarks.running.versions import Version
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


# ── `make bench` writes README.md ────────────────────────────────────────────────────────────

README = """\
Before.
<!-- bench: metrics -->
old
<!-- end -->
Between.
<!-- bench: corpus -->
kept
<!-- end -->
"""
QUICK = Table("CPU seconds", ["texts", "CPU"], [["120", "0.1"]])
SLOW = Table("CPU seconds", ["texts", "CPU"], [["120", "0.4"]])


def test_every_script_is_a_benchmark_with_a_place_for_its_tables() -> None:
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"__init__", "__main__"}
    assert {benchmark.name for benchmark in BENCHMARKS} == scripts
    assert {*names((ROOT / "benchmarks" / "README.md").read_text())} == scripts


def test_tables_are_stored_where_make_bench_asks_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with reported("CPU seconds", "texts", "CPU") as add:
        add(120, "0.1")
    assert "CPU seconds" in capsys.readouterr().out
    monkeypatch.setenv(STORED_IN, str(tmp_path / "tables"))
    with reported("CPU seconds", "texts", "CPU") as add:
        add(120, "0.1")
    assert stored_tables(tmp_path / "tables") == [QUICK]
    assert stored_tables(tmp_path / "none") == []


def test_tables_are_written_between_the_marks_with_commit_day_and_the_earlier_version() -> None:
    run = Run("metrics", "2026-11-30", Measured("abc", [QUICK]), Measured("v0.9.0", [SLOW]))
    text = written(README, run)
    ours = "| texts | CPU |\n| --- | --- |\n| 120 | 0.1 |"
    block = text.partition("metrics -->\n")[2].partition("\n<!-- end -->")[0]
    assert block == (
        "Commit `abc`, 2026-11-30, and in the same run `v0.9.0`, an earlier version.\n\n"
        f"CPU seconds:\n\n{ours}\n\nThe same, `v0.9.0`:\n\n{ours.replace('0.1', '0.4')}"
    )
    assert text.replace(block, "old") == README


def test_earlier_version_that_can_not_be_measured_says_why() -> None:
    failed = Measured("v0.9.0", failed="ImportError: no module")
    run = Run("metrics", "2026-11-30", Measured("abc", [QUICK]), failed, ["--texts", "120"])
    said = written(README, run)
    assert "Commit `abc`, 2026-11-30 with `--texts 120`. `v0.9.0` can't be measured so: Imp" in said


def test_earlier_version_is_measured_by_its_own_script_if_ours_can_not() -> None:
    printed = Measured("v0.9.0", failed="ImportError: no module", printed="texts  CPU\n120    0.4")
    text = written(README, Run("metrics", "2026-11-30", Measured("abc", [QUICK]), printed))
    own = text.partition("| 120 | 0.1 |\n\n")[2].partition("\n<!-- end -->")[0]
    assert own == (
        "`v0.9.0` in the same run, measured by its own script:\n\n```\ntexts  CPU\n120    0.4\n```"
    )


def test_own_script_of_an_earlier_version_is_run(tmp_path: Path) -> None:
    for folder, script in (("ours", "import nothing_like_it"), ("own", "print('120  0.4')")):
        (tmp_path / folder / "benchmarks").mkdir(parents=True)
        (tmp_path / folder / "benchmarks" / "metrics.py").write_text(script)
    earlier = Version("v0.9.0", tmp_path / "ours", Path(sys.executable), tmp_path / "own")
    done = measured("metrics", earlier, [])
    assert done.printed == "120  0.4"
    assert done.failed == "ModuleNotFoundError: No module named 'nothing_like_it'"
    assert not measured("metrics", replace(earlier, own=None), []).printed


def test_benchmark_without_a_place_changes_nothing() -> None:
    with pytest.raises(ValueError, match="no block `<!-- bench: shapes -->`"):
        written(README, Run("shapes", "2026-11-30", Measured("abc", [QUICK])))


def test_options_after_two_dashes_are_those_of_the_scripts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chosen, given = arguments(["metrics", "--alone", "--", "--texts", "120"])
    assert (chosen.names, chosen.alone, given) == (["metrics"], True, ["--texts", "120"])
    with pytest.raises(SystemExit):
        arguments(["metric"])
    assert "no benchmark is called metric: it is one of survey_load" in capsys.readouterr().err

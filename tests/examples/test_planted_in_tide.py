"""The study of the paper from files to tables: what is planted in simulated raters is found again.

Its 3,400 answered pages would take a minute over HTTP, so the raters come as files, with the
answers that they would have sent.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from survey.files.csv_text import csv_lines
from survey.simulated.answers import item_position, unmatched
from survey.simulated.content import Content, RatingKey
from survey.simulated.crowd import read_content
from survey.simulated.plan import RaterPlan, plan_raters
from survey.simulated.profile import SimulationProfile
from tests.analysis import published_study
from tests.approved import Approval, words_of_report
from tests.examples.planted import SEED, Analysed, analyze, interval, load, read_profile

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db,
    # That the database changes no table is seen by `dashboard/test_published_study.py`.
    pytest.mark.embedded,
]


def from_files(name: str, participants: int, folder: Path) -> Analysed:
    study = load(name, responses=published_study.write_responses(folder))
    profile, content = read_profile("published"), read_content(study)
    assert not list(unmatched(profile, content))
    plans = plan_raters(profile=profile, content=content, participants=participants, seed=SEED)
    tables = {
        "participants": [participant(plan, content) for plan in plans],
        "ratings": [row for plan in plans for row in ratings(plan, content)],
        "gold": list(gold(profile, content)),
    }
    for table, rows in tables.items():
        lines = csv_lines(list(rows[0]), (list(row.values()) for row in rows))
        (folder / f"{table}.csv").write_text("".join(lines), encoding="utf-8")
    files = {table: folder / f"{table}.csv" for table in tables}
    call_command("import_ratings", name, verbosity=0, **files)
    return analyze(name, folder / "out", profile)


def participant(plan: RaterPlan, content: Content) -> dict[str, object]:
    """A row of participants.csv."""
    rights = {check.name: check.right_answer for check in content.definition.attention_checks}
    said = {
        question.name: plan.demographics.get(question.name, [])
        for question in content.definition.demographics
    }
    several = {name: len(answers) > 1 for name, answers in said.items()}
    return {
        "participant": plan.person,
        "status": "in_progress" if plan.leaves else "completed",
        "duration_seconds": 60 * plan.minutes,
        "attention_checks_failed": sum(plan.checks[name] != rights[name] for name in rights),
        **{
            name: "Two or more races" if several[name] else "".join(answers)
            for name, answers in said.items()
        },
    }


def ratings(plan: RaterPlan, content: Content) -> Iterator[dict[str, object]]:
    """Rows of ratings.csv, blocks and responses in an order of the rater's own."""
    order = random.Random(plan.order_seed)
    blocks = order.sample(content.blocks, k=len(content.blocks))
    for block_position, block in enumerate(blocks[: plan.blocks], start=1):
        texts = order.sample(block.texts, k=len(block.texts))
        for response_position, text in enumerate(texts, start=1):
            cell = RatingKey(*block.name, text.model, text.condition, "empathy")
            yield {
                "participant": plan.person,
                **place(cell),
                "rating": plan.ratings[cell],
                "block_position": block_position,
                "response_position": response_position,
            }


def gold(profile: SimulationProfile, content: Content) -> Iterator[dict[str, object]]:
    """Rows of gold.csv: where each response stands, in points of the scale."""
    for cell in content.cells():
        yield {**place(cell), "gold": 0.5 + 5 * item_position(profile, SEED, cell)}


def place(cell: RatingKey) -> dict[str, object]:
    return {
        "scenario": cell.scenario,
        "set": cell.set_name,
        "model": cell.model,
        "condition": cell.condition,
        "dimension": cell.dimension,
    }


@pytest.fixture(scope="module")
def tide(database: None, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return from_files("tide", 151, tmp_path_factory.mktemp("tide"))


def test_tide_filters_leave_the_careful(tide: Analysed) -> None:
    assert [(row["step"], row["remaining"]) for row in tide.rows("funnel")] == [
        ("duration", "142"),
        ("attention", "137"),
        ("early_exit", "124"),
        ("sigma_mae", "116"),
    ]


def test_tide_report(tide: Analysed, approved: Approval) -> None:
    approved(*words_of_report((tide.folder / "report.html").read_text(encoding="utf-8")))


def test_tide_wins_are_the_planted_ones_and_as_many_as_published(tide: Analysed) -> None:
    planted = {(s.scenario, s.model): s for s in tide.profile.effects.systems}
    reference = tide.profile.effects.conditions["reference"]
    found = {(row["scenario"], row["model"]): row for row in tide.rows("wins")}
    assert {place: row["winner"] for place, row in found.items()} == {
        place: {"zero_shot": "a", "fine_tuned": "b"}[system.condition]
        for place, system in planted.items()
    }
    assert {place: row["reference_points"] for place, row in found.items()} == {
        place: "2" if system.shift < reference else "1" for place, system in planted.items()
    }
    totals = {
        row["scenario"]: (row["a_wins"], row["b_wins"], row["reference_points"])
        for row in tide.rows("wins_summary")
    }
    published = published_study.ZERO_SHOT_WINS
    points = published_study.REFERENCE_POINTS
    assert totals == {
        **{name: (str(n), str(8 - n), str(points[name])) for name, n in published.items()},
        "all": ("26", "22", "73"),
    }
    replicated = [row for row in tide.rows("replication") if row["item"].startswith("Wins of")]
    assert {row["match"] for row in replicated} == {"true"}


def test_tide_compares_the_raters_distance_and_the_judges_agreement_with_the_printed_ones(
    tide: Analysed,
) -> None:
    obtained = {row["item"]: row["obtained"] for row in tide.rows("replication")}
    [raters] = tide.rows("gold_distance", unit="participant", raters="included")
    [judge] = tide.rows("judge_consistency", is_gold="true")
    assert obtained["Raters left, mean MAE"] == raters["mean"] != ""
    # the planted gold scores come from a file, each as one number
    assert obtained["Pairwise ρ of the judge's calls"] == judge["rho"] == ""
    [row] = tide.rows("replication", item="Pairwise ρ of the judge's calls")
    assert row["note"] == judge["note"] == "not estimable, because there is one replicate"


def test_tide_groups_differ_as_planted_and_only_so(tide: Analysed) -> None:
    overall = {"recipe": "sound", "raters": "included", "scenario": "all", "condition": "all",
               "test": "welch"}  # fmt: skip
    differing = {
        (row["factor"], row["model"], float(row["difference"]) > 0)
        for row in tide.rows("group_tests", **overall)
        if float(row["p_adjusted"]) < 0.05
    }
    models = published_study.models()
    assert differing == {
        *(("age", model, True) for model in models),
        ("education", "Qwen 2.5-3B", False),
        ("education", "Qwen 2.5-1.5B", False),
        ("race", "Claude Sonnet 3.5", True),
    }
    for row in tide.rows("group_tests", **overall, factor="age"):
        low, high = interval(row)
        assert low < 0.5 < high  # 0.1 of the latent scale are half a point


def test_tide_ratings_as_units_find_more_than_raters_do(tide: Analysed) -> None:
    same = {"raters": "included", "scenario": "all", "condition": "all", "test": "student"}
    sound, paper = (
        {(row["factor"], row["model"]): row for row in tide.rows("group_tests", **same, recipe=r)}
        for r in ("sound", "paper")
    )
    assert sound.keys() == paper.keys()
    assert {row["unit"] for row in paper.values()} == {"rating"}
    assert {row["unit"] for row in sound.values()} == {"participant"}
    null = [place for place in paper if place[0] == "gender"]
    assert all(float(paper[place]["df"]) > 10 * float(sound[place]["df"]) for place in null)
    assert all(float(paper[place]["p"]) < float(sound[place]["p"]) for place in null)


def test_tide_mixed_model_finds_the_planted_differences_of_conditions(tide: Analysed) -> None:
    """Per model in points: a scenario's winner is ahead by its shift, of five points each."""
    planted: defaultdict[str, float] = defaultdict(float)
    for system in tide.profile.effects.systems:
        sign = {"zero_shot": 1, "fine_tuned": -1}[system.condition]
        planted[system.model] += sign * 5 * system.shift / 6
    same = {"recipe": "sound", "raters": "included", "scale": "ratings"}
    found = {row["model"]: row for row in tide.rows("mixed_contrasts", **same)}
    assert found.keys() == {*planted, "all"}
    for model, difference in planted.items():
        low, high = interval(found[model])
        assert low < difference < high
        if abs(difference) > 0.2:
            assert float(found[model]["difference"]) * difference > 0


def test_tide_order_of_pages_and_responses_has_no_effect(tide: Analysed) -> None:
    effects = tide.rows("order_effects", raters="included")
    assert [row["covariate"] for row in effects] == [
        "response_position", "block_position", "previous_rating"
    ]  # fmt: skip
    assert all(abs(float(row["estimate"])) < 0.05 for row in effects)
    assert {row["moves"] for row in tide.rows("order_conclusions")} == {"false"}

"""The example studies from files to tables: what is planted in simulated raters is found again.

`haleas` and `liu` are taken over HTTP. The 3,400 answered pages of `tide` would take a minute, so
its raters come as files, with the answers that they would have sent.
"""

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from survey.csv_text import csv_lines
from survey.definition import YamlFile
from survey.models import Study
from survey.simulated.answers import item_position, unmatched
from survey.simulated.content import Cell, Content
from survey.simulated.crowd import read_content
from survey.simulated.plan import RaterPlan, plan_raters
from survey.simulated.profile import Profile
from tests.analysis import published_study

EXAMPLES = Path(__file__).parents[2] / "examples"
SEED = 5
pytestmark = [pytest.mark.slow, pytest.mark.django_db]
needs_responses = pytest.mark.skipif(
    not published_study.RESPONSES.exists(), reason=f"{published_study.RESPONSES} is not here"
)
Row = dict[str, str]


@dataclass(frozen=True)
class Analysed:
    """What `analyze` wrote about a study, and the profile of its raters."""

    folder: Path
    profile: Profile

    def rows(self, table: str, **wanted: str) -> list[Row]:
        """The rows of a table that have these values."""
        with (self.folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            return [row for row in csv.DictReader(file) if wanted.items() <= row.items()]

    def row(self, table: str, **wanted: str) -> Row:
        [found] = self.rows(table, **wanted)
        return found

    @property
    def absent(self) -> dict[str, str]:
        manifest = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        absent: dict[str, str] = manifest["absent"]
        return absent


def profile_of(name: str) -> Path:
    return EXAMPLES / "profiles" / f"{name}.yaml"


def read_profile(name: str) -> Profile:
    file = YamlFile.read(profile_of(name))
    return file.check(Profile, file.plain())


def load(name: str, **options: Any) -> Study:
    call_command("load_study", EXAMPLES / name, verbosity=0, **options)
    call_command("set_study", name, "open", stdout=StringIO())
    return Study.objects.get(slug=name)


def analyze(name: str, folder: Path, profile: Profile) -> Analysed:
    call_command(
        "analyze",
        name,
        out=folder,
        include=["simulated"],
        images=False,
        stdout=StringIO(),
        stderr=StringIO(),
    )
    return Analysed(folder, profile)


def over_http(name: str, participants: int, folder: Path) -> Analysed:
    study, profile = load(name), read_profile(name)
    assert not list(unmatched(profile, read_content(study)))
    server = LiveServer("localhost")
    options = {"participants": participants, "seed": SEED, "server": server.url, "workers": 2}
    call_command("simulate", name, profile=profile_of(name), stdout=StringIO(), **options)
    server.stop()
    return analyze(name, folder, profile)


def from_files(name: str, participants: int, folder: Path) -> Analysed:
    study = load(name, responses=published_study.RESPONSES)
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
            cell = Cell(*block.name, text.model, text.condition, "empathy")
            yield {
                "participant": plan.person,
                **place(cell),
                "rating": plan.ratings[cell],
                "block_position": block_position,
                "response_position": response_position,
            }


def gold(profile: Profile, content: Content) -> Iterator[dict[str, object]]:
    """Rows of gold.csv: where each response stands, in points of the scale."""
    for cell in content.cells():
        yield {**place(cell), "gold": 0.5 + 5 * item_position(profile, SEED, cell)}


def place(cell: Cell) -> dict[str, object]:
    return {
        "scenario": cell.scenario,
        "set": cell.set_name,
        "model": cell.model,
        "condition": cell.condition,
        "dimension": cell.dimension,
    }


@pytest.fixture(scope="module")
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Open for all tests of the module, and empty afterwards."""
    with django_db_blocker.unblock():
        yield
        call_command("flush", verbosity=0, interactive=False)


@pytest.fixture(scope="module")
def tide(database: None, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return from_files("tide", 151, tmp_path_factory.mktemp("tide"))


@pytest.fixture(scope="module")
def haleas(database: None, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return over_http("haleas", 30, tmp_path_factory.mktemp("haleas"))


@pytest.fixture(scope="module")
def liu(database: None, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return over_http("liu", 8, tmp_path_factory.mktemp("liu"))


def interval(row: Row) -> tuple[float, float]:
    return float(row["ci_low"]), float(row["ci_high"])


# ── tide ─────────────────────────────────────────────────────────────────────────────────────


@needs_responses
def test_tide_filters_leave_the_careful(tide: Analysed) -> None:
    assert [(row["step"], row["remaining"]) for row in tide.rows("funnel")] == [
        ("duration", "142"),
        ("attention", "137"),
        ("early_exit", "124"),
        ("sigma_mae", "116"),
    ]


@needs_responses
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


@needs_responses
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


@needs_responses
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


@needs_responses
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


@needs_responses
def test_tide_order_of_pages_and_responses_has_no_effect(tide: Analysed) -> None:
    effects = tide.rows("order_effects", raters="included")
    assert [row["covariate"] for row in effects] == [
        "response_position", "block_position", "previous_rating"
    ]  # fmt: skip
    assert all(abs(float(row["estimate"])) < 0.05 for row in effects)
    assert {row["moves"] for row in tide.rows("order_conclusions")} == {"false"}


# ── haleas ───────────────────────────────────────────────────────────────────────────────────


def test_haleas_sources_are_chosen_in_the_planted_order(haleas: Analysed) -> None:
    overall = {"raters": "included", "scenario": "all"}
    found = {row["model"]: row for row in haleas.rows("choices", **overall)}
    best, worst = (
        {model: float(row[share]) for model, row in found.items()}
        for share in ("share_best", "share_worst")
    )
    assert sum(best.values()) == pytest.approx(1)
    assert sum(worst.values()) == pytest.approx(1)
    assert max(best, key=best.__getitem__) == min(worst, key=worst.__getitem__) == "Hazel"
    assert max(worst, key=worst.__getitem__) == min(best, key=best.__getitem__) == "Counselor"
    scores = {model: float(row["score"]) for model, row in found.items()}
    between = [scores["Maple 3B"], scores["Rowan"]]
    assert scores["Hazel"] > scores["Aspen"] > max(between) > min(between) > scores["Counselor"]


def test_haleas_choices_of_many_pages_are_permuted_and_those_of_one_are_not(
    haleas: Analysed,
) -> None:
    tests = haleas.rows("choice_tests", raters="included")
    overall = [row for row in tests if row["scenario"] == "all"]
    assert [(row["choice"], row["test"], row["because"]) for row in overall] == [
        ("best", "permuted_within_pages", "raters chose more than once"),
        ("best", "permuted_by_rater", "raters chose more than once"),
        ("worst", "permuted_within_pages", "raters chose more than once"),
        ("worst", "permuted_by_rater", "raters chose more than once"),
    ]
    assert all(float(row["p"]) < 0.001 for row in overall)
    by_page = {row["test"] for row in tests if row["scenario"] != "all"}
    assert by_page == {"chi_squared"}


def test_haleas_has_no_table_of_ratings_and_says_why(haleas: Analysed) -> None:
    for table in ("wins", "systems", "group_tests", "paired", "order_effects", "sensitivity"):
        assert haleas.absent[table] == "the study asks for no ratings"
        assert not (haleas.folder / f"{table}.csv").exists()
    assert haleas.absent["rankings"] == "nobody ranked anything"
    statistics = {row["statistic"] for row in haleas.rows("agreement")}
    assert statistics == {"randolphs_kappa_best", "randolphs_kappa_worst"}


# ── liu ──────────────────────────────────────────────────────────────────────────────────────


def test_liu_dimensions_move_as_planted(liu: Analysed) -> None:
    assert len(liu.rows("raters", included="true")) == 8
    found = {row["dimension"]: row for row in liu.rows("paired", model="Willow 1.8B")}
    assert list(found) == ["empathic_resonance", "coherence", "advice"]
    assert [row["method"] for row in found.values()] == ["exact"] * 3
    better, same, worse = found.values()
    # All eight moved in one direction: 2 of 2⁸ signs.
    assert (better["rank_biserial"], better["p"]) == ("-1.0", str(2 / 2**8))
    assert (worse["rank_biserial"], worse["p"]) == ("1.0", str(2 / 2**8))
    assert float(same["p"]) > 0.05


def test_liu_intervals_hold_the_planted_differences(liu: Analysed) -> None:
    planted = {"empathic_resonance": -1.0, "coherence": 0.0, "advice": 0.7}  # points
    by_model = liu.rows("mixed_contrasts", raters="included", scale="ratings")
    by_raters = liu.rows("contrasts", raters="included", generalises_to="raters")
    for rows in (by_model, by_raters):
        assert [row["dimension"] for row in rows] == list(planted)
    for model, raters in zip(by_model, by_raters, strict=True):
        difference = planted[model["dimension"]]
        low, high = interval(model)
        assert low < difference < high
        if difference:
            assert (low > 0) == (interval(raters)[0] > 0) == (difference > 0)
            assert (high < 0) == (interval(raters)[1] < 0) == (difference < 0)
        else:
            assert low < 0 < high


def test_liu_has_the_effects_of_order(liu: Analysed) -> None:
    effects = liu.rows("order_effects", raters="included")
    assert Counter(row["covariate"] for row in effects) == {
        "response_position": 3, "block_position": 3, "previous_rating": 3
    }  # fmt: skip
    assert all(row["estimate"] and not row["note"] for row in effects)
    assert {row["moves"] for row in liu.rows("order_conclusions")} == {"false"}


def test_liu_wins_are_summed_up_in_the_order_of_the_study(liu: Analysed) -> None:
    rows = liu.rows("wins_summary")
    dimensions = ["empathic_resonance", "coherence", "advice"]
    assert [row["dimension"] for row in rows] == dimensions * 13
    assert [row["scenario"] for row in rows[::3]] == [*(f"D{n:02}" for n in range(1, 13)), "all"]
    better, _, worse = rows[-3:]
    assert min(int(better["b_wins"]), int(worse["a_wins"])) >= 10


def test_both_recipes_compare_the_groups_that_were_asked_for_and_say_so_of_the_others(
    liu: Analysed,
) -> None:
    rows = liu.rows("group_tests")
    assert {(row["recipe"], row["factor"]) for row in rows} == {
        ("paper", "gender"), ("sound", "gender")
    }  # fmt: skip
    others = {name: why for name, why in liu.absent.items() if name.startswith("group_tests")}
    assert others == {
        f"group_tests.{factor}": f"nobody answered {factor}"
        for factor in ("age", "education", "race")
    }

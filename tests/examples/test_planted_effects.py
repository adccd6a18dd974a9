"""Two example studies over HTTP, from files to tables: what is planted in their raters is found."""

from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.live_server_helper import LiveServer

from survey.simulated.answers import unmatched
from survey.simulated.crowd import read_content
from tests.examples.planted import (
    SEED,
    Analysed,
    analyze,
    interval,
    load,
    profile_of,
    read_profile,
)

# Other tests store answers and read frames on every database.
pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.embedded]


def over_http(name: str, participants: int, folder: Path) -> Analysed:
    study, profile = load(name), read_profile(name)
    assert not list(unmatched(profile, read_content(study)))
    server = LiveServer("localhost")
    options = {"participants": participants, "seed": SEED, "server": server.url, "workers": 2}
    call_command("simulate", name, profile=profile_of(name), stdout=StringIO(), **options)
    server.stop()
    return analyze(name, folder, profile)


@pytest.fixture(scope="module")
def haleas(database: None, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return over_http("haleas", 30, tmp_path_factory.mktemp("haleas"))


@pytest.fixture(scope="module")
def liu(database: None, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return over_http("liu", 8, tmp_path_factory.mktemp("liu"))


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


def test_haleas_has_the_printed_numbers_beside_ours(haleas: Analysed) -> None:
    rows = haleas.rows("replication")
    assert [row["printed"] for row in rows[:10]] == [
        *("26.3 %", "25.7 %", "23.1 %", "19.7 %", "5.1 %"),
        *("3.4 %", "3.7 %", "4.9 %", "17.4 %", "70.6 %"),
    ]
    for some in (rows[:5], rows[5:10]):
        assert sum(float(row["obtained"]) for row in some) == pytest.approx(100)
    assert [row["note"][:16] for row in rows[10:]] == ["not replicated: "] * 2


def test_haleas_has_no_table_of_ratings_and_says_why(haleas: Analysed) -> None:
    for table in ("wins", "systems", "group_tests", "paired", "order_effects", "sensitivity"):
        assert haleas.absent[table] == "the study asks for no ratings"
        assert not (haleas.folder / f"{table}.csv").exists()
    assert haleas.absent["rankings"] == "there are no ranks"
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


def test_liu_has_the_printed_numbers_beside_ours(liu: Analysed) -> None:
    rows = liu.rows("replication")
    without = [row for row in rows if not row["obtained"]]
    assert len(rows) == 2 + 6 * 3 + 3 * 3 + 4 + 7
    assert [row["item"] for row in without if row["table"]] == [
        "Perplexity, base",
        "Perplexity, fine-tuned",
    ]
    assert len(without) == 2 + 9
    assert {row["note"][:16] for row in without if not row["table"]} == {"not replicated: "}
    ours = {row["item"]: float(row["obtained"]) for row in rows if row["obtained"]}
    tested = {row["unit"]: row for row in liu.rows("signed_ranks", dimension="advice")}
    assert ours["Advice appropriateness, base, mean"] == float(tested["scenario"]["mean_a"])
    assert ours["Advice appropriateness, p over dialogues"] == float(tested["scenario"]["p"])
    assert ours["Advice appropriateness, p over ratings"] == float(tested["rating"]["p"])
    assert ours["Advice appropriateness, p over raters"] == 2 / 2**8
    assert (ours["Raters"], ours["Dialogues"]) == (8, 12)


def test_liu_published_tests_move_as_planted(liu: Analysed) -> None:
    rows = liu.rows("signed_ranks")
    assert {(row["recipe"], row["raters"]) for row in rows} == {("paper", "included")}
    n = {(row["unit"], row["n"], row["method"]) for row in rows}
    assert n == {("scenario", "12", "exact"), ("rating", str(8 * 12), "asymptotic")}
    for row in rows:
        effect, p = float(row["rank_biserial"]), float(row["p"])
        if row["dimension"] == "empathic_resonance":
            assert effect < 0 and p < 0.01
        elif row["dimension"] == "advice":
            assert effect > 0 and p < 0.01


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
        f"group_tests.{factor}": f"the study asks for no {factor}"
        for factor in ("age", "education", "race")
    }

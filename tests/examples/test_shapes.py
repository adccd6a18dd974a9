"""Six studies unlike the published one, from files to a report: the planted order is found, and
the report says nothing of what a study does not have.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import unescape
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from scipy.stats import kendalltau

from analysis.execution import finished_run
from survey.models import Participant, Study
from survey.tidy import counted_sources
from tests.dashboard.reading import text_of
from tests.examples import shapes
from tests.examples.planted import Row, Written
from tests.examples.shapes import Shape, System

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.embedded]

#: As many scenarios as find the order, and no more.
SMALL = {
    "many": replace(shapes.MANY, scenarios=25),
    "single": replace(shapes.SINGLE, scenarios=40),
    "pairs": shapes.PAIRS,
    "between": replace(shapes.BETWEEN, scenarios=8),
    "three": replace(shapes.THREE, scenarios=12),
    "groups": replace(shapes.GROUPS, scenarios=15),
}
#: What each study ought to have, beside what all have.
OF_SYSTEMS = {"system_groups", "system_pairs", "system_wins", "systems"}
OF_MODELS = {"mixed_systems", "mixed_models", "rater_fit"}
OF_RANKS = {"rankings", "ranking_tests", "ranking_pairs", "strengths"}
TABLES = {
    "many": OF_SYSTEMS | OF_MODELS | {"mixed_shares", "strengths", "agreement", "items"},
    "single": OF_SYSTEMS | OF_MODELS | {"agreement", "items"},
    "pairs": OF_RANKS,
    "between": OF_SYSTEMS
    | OF_MODELS
    | {"mixed_contrasts", "wins", "wins_summary", "wins_tests", "group_tests", "demographics"}
    | {"sensitivity", "length_adjusted", "agreement", "items"},
    "three": OF_SYSTEMS | OF_MODELS | OF_RANKS | {"order_agreement", "agreement", "items"},
    "groups": OF_SYSTEMS | OF_MODELS | {"mixed_contrasts", "agreement", "items"},
}
FIGURES = {
    "many": {"systems_order", "systems_forest", "shares"},
    "single": {"systems_order", "systems_forest", "shares"},
    "pairs": {"consort", "durations"},
    "between": {"systems_order", "systems_forest", "contrasts_forest", "shares"},
    "three": {"systems_order", "systems_forest", "dimension_means", "dimension_radar"},
    "groups": {"systems_order", "systems_forest"},
}


@dataclass(frozen=True)
class Reported(Written):
    """What was written of a study of that shape."""

    shape: Shape

    @property
    def report(self) -> str:
        """The words of the report, without scripts and styles."""
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        page = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", page)))

    @property
    def in_short(self) -> str:
        """What the report says first."""
        return self.report.partition("In short")[2].partition("Who counts")[0]


@pytest.fixture(scope="module")
def written(database: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reported]:
    """All six, brought in and analysed as by a researcher."""
    return {name: brought_in(shape, tmp_path_factory.mktemp(name)) for name, shape in SMALL.items()}


def brought_in(shape: Shape, folder: Path) -> Reported:
    files = shapes.write(shape, folder)
    quiet = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("load_study", folder, **quiet)
    call_command("import_ratings", shape.slug, **files, **quiet)
    call_command("analyze", shape.slug, out=folder / "out", images=False, **quiet)
    return Reported(folder / "out", shape)


def systems(rows: Iterable[Row]) -> list[System]:
    return [(row["model"], row["condition"]) for row in rows]


def likeness(found: list[System], shape: Shape) -> float:
    """Kendall's τ of two orders: 1 is the same, and each pair of 14 systems the other way round
    takes 0.02 off.
    """
    planted = shape.order
    assert sorted(found) == sorted(planted)
    tau = kendalltau([planted.index(system) for system in found], range(len(found)))[0]
    return round(float(tau), 6)


@pytest.mark.parametrize("name", ["many", "single", "between", "three", "groups"])
def test_systems_are_rated_in_the_planted_order(written: dict[str, Reported], name: str) -> None:
    found = written[name]
    for dimension in {row["dimension"] for row in found.rows("items")}:
        of = {"raters": "included", "dimension": dimension}
        assert likeness(systems(found.rows("system_groups", **of)), found.shape) >= 0.9
        order = found.shape.order
        apart = [row for row in found.rows("system_pairs", **of) if row["told_apart"] == "true"]
        assert apart
        for row in apart:
            a, b = ((row[f"model_{side}"], row[f"condition_{side}"]) for side in "ab")
            assert order.index(a) < order.index(b)


@pytest.mark.parametrize("name", ["pairs", "three"])
def test_systems_are_ranked_in_the_planted_order(written: dict[str, Reported], name: str) -> None:
    found = written[name]
    strongest = found.rows("strengths", raters="included", answers="ranks")
    assert likeness(systems(strongest), found.shape) == 1
    assert [row["place"] for row in strongest] == [str(n + 1) for n in range(len(strongest))]
    ranked = found.rows("rankings", raters="included")
    ranked.sort(key=lambda row: float(row["mean_rank"]))
    assert likeness(systems(ranked), found.shape) == 1


def test_pairs_tie_as_planted_and_each_rank_is_one_of_two(written: dict[str, Reported]) -> None:
    rows = written["pairs"].rows("strengths", raters="included")
    assert {row["comparison_model"] for row in rows} == {"davidson"}
    assert all(float(row["tie_parameter"]) > 0.1 for row in rows)
    ranked = written["pairs"].rows("rankings", raters="included")
    assert {row["systems"] for row in ranked} == {"2"}
    assert all("pages that show different systems" in row["note"] for row in ranked)


def test_raters_of_one_system_each_tell_the_conditions_apart(written: dict[str, Reported]) -> None:
    found = written["between"]
    main = found.row("mixed_contrasts", raters="included", scale="ratings", model="all")
    assert float(main["p"]) < 0.001
    assert float(main["difference"]) < 0  # base less tuned
    terms = [row["parameter"] for row in found.rows("mixed_models", raters="included")]
    assert "sd rater" in terms
    assert not any(term.startswith("sd rater:") for term in terms)  # nobody could prefer one


def test_group_of_systems_is_compared_with_another(written: dict[str, Reported]) -> None:
    found = written["groups"]
    main = found.row("mixed_contrasts", raters="included", scale="ratings")
    assert (main["model"], main["condition_a"], main["condition_b"]) == ("all", "human", "ai")
    assert float(main["ci_low"]) > 0 and float(main["p"]) < 0.001
    of_pairs = {"wins", "wins_summary", "wins_tests", "contrasts", "paired", "fragility"}
    assert not any((found.folder / f"{name}.csv").exists() for name in of_pairs)
    report = found.report
    assert "no model is in both compared conditions" in report
    said = "systems are compared as groups: the mean of 1 system in Human is compared with that of"
    assert said in report
    assert "by the means of their systems, each system with the same weight" in report
    assert "more ratings" not in report and "not compared" not in report


def test_results_page_begins_with_the_comparison_of_groups(
    written: dict[str, Reported], client: Client, django_user_model: type[User]
) -> None:
    finished_run(study=Study.objects.get(slug="groups"), sources=counted_sources())
    client.force_login(django_user_model.objects.create_user("r", is_staff=True, is_superuser=True))
    page = text_of(client.get("/studies/groups/results/"))
    said = "systems are compared as groups: the mean of 1 system in Human"
    assert said in page and page.index(said) < page.index("Other answers")
    assert "Which condition wins" not in page


@pytest.mark.parametrize("name", SMALL)
def test_no_table_and_no_figure_that_ought_to_be_there_is_missing(
    written: dict[str, Reported], name: str
) -> None:
    found = written[name]
    assert TABLES[name] | {"funnel", "raters", "protocol"} <= {
        path.stem for path in found.folder.glob("*.csv") if found.rows(path.stem)
    }
    assert FIGURES[name] <= {path.stem for path in found.folder.glob("*.json")}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("many", "has the highest estimated mean"),
        ("single", "Alder, Birch, Cedar, Dogwood, Elm."),
        ("pairs", "From the strongest to the weakest: Alder, Birch, Cedar, Dogwood, Elm, Fir."),
        ("between", "points higher than Base"),
        ("three", "Alder has the best mean rank"),
        ("groups", "Human is rated"),
    ],
)
def test_report_says_the_answer_first(written: dict[str, Reported], name: str, said: str) -> None:
    assert said in written[name].in_short


@pytest.mark.parametrize("name", SMALL)
def test_report_says_nothing_of_what_the_study_does_not_have(
    written: dict[str, Reported], name: str
) -> None:
    report = written[name].report
    assert "(Base)" not in report
    assert ("preferences for a condition" in report) is (name == "groups")
    assert "Do judges agree" not in report
    assert "raters all;" not in report  # nobody was excluded
    assert "set All sets" not in report
    friedman = "Friedman's test [@friedman1937]"  # as the methods cite it
    assert (friedman in report) is (name == "three")


def test_rank_beyond_the_page_is_refused(database: None, tmp_path: Path) -> None:
    """Though the block has more systems than the page shows."""
    shape = replace(shapes.PAIRS, slug="wrong", raters=2, scenarios=2)
    files = shapes.write(shape, tmp_path)
    call_command("load_study", tmp_path, stdout=StringIO())
    lines = files["ranks"].read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].rpartition(",")[0] + ",3"
    files["ranks"].write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(CommandError) as refused:
        call_command("import_ratings", "wrong", **files, stdout=StringIO())
    place = f"{files['ranks']}, line 2: column 'rank'"
    assert f"{place}: 3 is not between 1 and 2, the responses of this page" in str(refused.value)
    assert not Participant.objects.filter(study__slug="wrong").exists()

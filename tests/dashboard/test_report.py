"""The report that `analyze` writes: one file, whose numbers lead to their cells."""

import csv
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from pytest_django import DjangoDbBlocker

from analysis.declarations import TABLES
from analysis.execution import finished_run
from analysis.quality_rules import USUAL_LABELS
from analysis.recipe import shipped_recipes
from survey.models import Study
from survey.tidy import counted_sources
from tests.approved import Approval, words_of_report
from tests.dashboard.conftest import likes_tuned
from tests.dashboard.judging import gold_set
from tests.factories import Key, add_participant, make_study
from tests.shared_rows import undone_after_the_file

# Made of rows that tests/analysis/test_frames.py reads on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


class _Links(HTMLParser):
    """Every link with its title, every id, every place that a link leads to inside the page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.cells: list[tuple[str, str, int, int]] = []
        self.files: set[str] = set()
        self.inside: set[str] = set()
        self.ids: list[str] = []
        self.sources: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.append(given["id"])
        self.sources += [given[name] for name in ("src", "data") if name in given]
        if tag == "link":
            self.sources.append(given.get("href", ""))
        if tag != "a":
            return
        file, _, fragment = given["href"].partition("#")
        if not file:
            self.inside.add(fragment)
            return
        self.files.add(file)
        found = re.fullmatch(r"cell=(\d+),(\d+)", fragment)
        if found:
            self.cells.append((file, given["title"], int(found[1]), int(found[2])))


def varied(key: Key) -> int:
    """As `likes_tuned`, with some noise that differs by text."""
    return max(1, min(5, likes_tuned(key) + len("".join(key)) % 3 - 1))


@pytest.fixture(scope="module")
def study(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Study]:
    """Analysed once: each `analyze` below writes what was computed then."""
    with undone_after_the_file(django_db_blocker):
        with django_db_blocker.unblock():
            study = make_study(slug="rated", recipes=list(shipped_recipes().values()))
            gold_set(study)
            for number, name in enumerate(["ann", "ben", "cat", "dan", "eve", "fay"]):
                add_participant(
                    study,
                    pseudonym=name,
                    rate=lambda key, number=number: max(
                        1, min(5, varied(key) - (number + len(key[0])) % 2)
                    ),  # type: ignore[misc]
                    demographics={
                        "age": 30 + 8 * number,
                        "sex": "Female" if number % 2 else "Male",
                    },
                )
            add_participant(study, pseudonym="gus", minutes=2)
            finished_run(study=study, sources=counted_sources())
        yield study


def analysed(folder: Path, study: Study, **options: Any) -> str:
    call_command("analyze", str(study), out=folder, images=False, verbosity=0, **options)
    return (folder / "report.html").read_text(encoding="utf-8")


def without_scripts(html: str) -> str:
    return re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)


def test_every_number_that_is_linked_is_that_of_its_cell(study: Study, tmp_path: Path) -> None:
    links = _Links(without_scripts(analysed(tmp_path / "out", study)))
    files: dict[str, list[list[str]]] = {}
    for file in links.files - {"manifest.json"}:
        with (tmp_path / "out" / file).open(encoding="utf-8", newline="") as opened:
            files[file] = list(csv.reader(opened))
    assert len(links.cells) > 100
    assert [
        (file, exact, row, column)
        for file, exact, row, column in links.cells
        if files[file][row - 1][column - 1] != exact
    ] == []


def test_report_stands_alone_and_its_links_lead_somewhere(study: Study, tmp_path: Path) -> None:
    links = _Links(without_scripts(analysed(tmp_path / "out", study)))
    assert links.sources == []
    assert len(links.ids) == len(set(links.ids))
    assert links.inside <= set(links.ids)
    assert [file for file in links.files if not (tmp_path / "out" / file).is_file()] == []


def test_report_of_six_raters(study: Study, tmp_path: Path, approved: Approval) -> None:
    html = without_scripts(analysed(tmp_path / "out", study))
    approved(*words_of_report(html))
    assert "As published" not in html  # nobody published this study


def test_report_of_a_single_condition(tmp_path: Path, approved: Approval) -> None:
    study = make_study(
        scenarios=["S1", "S2", "S3"],
        conditions=["plain"],
        contrast=None,
        reference=None,
        recipes=list(shipped_recipes().values()),
    )
    for number, name in enumerate(["ann", "ben", "cat", "dan"]):
        add_participant(
            study,
            pseudonym=name,
            rate=lambda key, number=number: (
                1 + (number + len(key[0] + key[2]) + ord(key[0][1])) % 5
            ),  # type: ignore[misc]
        )
    approved(*words_of_report(without_scripts(analysed(tmp_path / "out", study))))


def test_details_are_folded_in_an_appendix(study: Study, tmp_path: Path) -> None:
    html = without_scripts(analysed(tmp_path / "out", study))
    main, appendix = html.split('<h2 id="appendix">')
    assert appendix.lstrip().partition(">")[2].startswith("\n<details><summary>All other tables")
    for name, table in TABLES.items():
        leads = table.leads and "contrasts" not in table.leads_without
        where = main if leads else appendix
        there = (tmp_path / "out" / f"{name}.csv").is_file()
        has_rows = there and f'<h3 id="table-{name}">' in html
        assert not has_rows or f'<h3 id="table-{name}">' in where, name


def test_tables_are_written_as_latex_where_it_is_asked_for(study: Study, tmp_path: Path) -> None:
    def written(out: Path, *latex: str) -> set[str]:
        call_command(
            "analyze", str(study), "--out", str(out), "--no-images", *latex, stdout=StringIO()
        )
        return {path.stem for path in out.glob("*.tex")}

    out = tmp_path / "out"
    assert written(out) == set()
    every = {path.stem for path in out.glob("*.csv")} - {"codebook"}
    of_papers = {name for name in every if not TABLES[name].appendix}
    assert written(out, "--latex") == written(tmp_path / "main", "--latex", "main") == of_papers
    assert written(out, "--latex", "all") == every
    assert written(out) == set()


def test_answer_comes_first_with_its_figure(study: Study, tmp_path: Path) -> None:
    html = without_scripts(analysed(tmp_path / "out", study))
    places = [
        html.index(text)
        for text in (
            '<h2 id="in-short">', "<h3>Condition against condition</h3>",
            'data-name="contrasts_forest"', "<h3>Who counts</h3>", '<h2 id="limits">',
            '<h2 id="methods">', '<h2 id="main-tables">', '<h2 id="appendix">',
        )
    ]  # fmt: skip
    assert places == sorted(places)
    assert "{a}" not in html and "{b}" not in html


def test_methods_can_be_pasted_with_the_works_that_they_cite(study: Study, tmp_path: Path) -> None:
    analysed(tmp_path / "out", study)
    text = (tmp_path / "out" / "methods.md").read_text(encoding="utf-8")
    written = (tmp_path / "out" / "references.bib").read_text(encoding="utf-8")
    assert "\n\n**Raters.** " in text and "<a " not in text and "&#" not in text
    cited = set(re.findall(r"@(\w+)", "".join(re.findall(r"\[@[^\]]*\]", text))))
    assert set(re.findall(r"^@\w+\{(\w+),", written, re.MULTILINE)) == cited
    assert {"clark1973", "holm1979"} <= cited


def test_report_of_one_recipe_speaks_of_no_other(study: Study, tmp_path: Path) -> None:
    html = without_scripts(analysed(tmp_path / "out", study, recipe="paper"))
    assert "(recipe sound)" not in html
    assert "Raters and items as units" not in html
    assert re.search(r"<dt>[^<]*systems[^<]*</dt><dd>it has no rows of recipe paper</dd>", html)


def test_table_without_recipes_that_is_empty_is_said_to_be_so_of_no_recipe(
    study: Study, tmp_path: Path
) -> None:
    html = without_scripts(analysed(tmp_path / "out", study))
    assert re.search(r"<dt>[^<]*guard_raters</dt><dd>it has no rows</dd>", html)


@pytest.mark.parametrize(
    ("order", "says"),
    [
        (["early_exit"], "MAE, the column gold, the tables of judges."),
        (
            ["early_exit", "sigma_mae"],
            "MAE, the column gold, the tables of judges, and the filter with its rule “Low "
            "variance and far from gold”.",
        ),
    ],
)
def test_gold_scores_of_a_stand_in_are_said_to_undo_what_rests_on_them(
    order: list[Any], says: str
) -> None:
    manifest = {"gold": "judge@1 (stand-in)", "rule_set": {"rules": {"order": order}}}
    html = render_to_string(
        "dashboard/share/report.html", {"manifest": manifest, "labels": USUAL_LABELS}
    )
    assert f"Numbers that use them have no meaning: {says}" in html


def test_report_of_nobody_says_so_and_what_is_absent(tmp_path: Path) -> None:
    study = make_study()
    html = without_scripts(analysed(tmp_path / "out", study))
    assert html.count("Nobody has finished or left yet.") == 2
    assert "no rater is included" in html
    assert "No rater is included (<a" in html


def test_report_of_a_rehearsal_says_that_it_is_one(tmp_path: Path) -> None:
    study = make_study()
    assert "Rehearsal:" not in without_scripts(analysed(tmp_path / "real", study))
    Study.objects.update(is_rehearsal=True)
    html = without_scripts(analysed(tmp_path / "rehearsed", study))
    assert "<strong>Rehearsal:</strong> researchers were trying the study out" in html


def test_report_without_contrast_reference_and_gold_has_no_sentence_of_them(tmp_path: Path) -> None:
    study = make_study(contrast=None, reference=None, conditions=["plain", "tuned"])
    for name in ("ann", "ben", "cat"):
        add_participant(study, pseudonym=name, rate=varied)
    html = without_scripts(analysed(tmp_path / "out", study))
    assert "Condition against condition" not in html
    assert "Gold scores:" not in html
    assert "There are no gold scores, so the rule on σ" in html
    assert "the study names no two conditions to compare" in html

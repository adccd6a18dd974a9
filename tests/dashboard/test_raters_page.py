"""The raters page: the funnel, who was left out and why, choosing and paging among them."""

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, DjangoDbBlocker

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set
from dashboard.raters.rater_list import RaterFilter, rater_row, rater_rows, raters_of
from judge.models import Judge
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import study_taken_by_five
from tests.dashboard.judging import answer_calls
from tests.dashboard.reading import tables_of, text_of
from tests.factories import add_participant

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded


def test_raters_shows_the_funnel_and_who_was_left_out(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    funnel, raters = tables_of(page.get("/studies/small/raters/"))
    assert funnel == [
        ["Step", "Excluded", "Remaining", "Alone"],
        ["Finished, or stopped early", "0", "4", "0"],
        ["Too fast or too slow", "1", "3", "1"],
        ["Failed attention checks", "0", "3", "0"],
        ["Left early", "0", "3", "0"],
        ["Low variance and far from gold", "0", "3", "0"],
    ]
    assert raters[1][:5] == ["ann", "included", "link", "12", "20.0"]
    by_time = "excluded Too fast or too slow: 2.0 minutes (rule: under 10 minutes)"
    assert [row[:2] for row in raters[1:]] == [
        ["ann", "included"],
        ["ben", "included"],
        ["cat", "included"],
        ["dot", by_time],
    ]


def test_raters_with_simulated_names_them(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    answer = page.get("/studies/small/raters/?include=simulated")
    assert "These numbers include simulated participants" in text_of(answer)
    assert [row[:2] for row in tables_of(answer)[1][1:]][-1] == ["robot", "included"]


def test_raters_without_analysis_says_what_to_do(page: Client, study: Study) -> None:
    shown = text_of(page.get("/studies/small/raters/"))
    assert "No analysis yet" in shown and "Press “Compute”" in shown


def test_raters_of_a_simulated_run_are_not_shown_unasked(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    assert "No analysis yet" in text_of(page.get("/studies/small/raters/"))


@pytest.mark.parametrize("source", ["prolific", "nobody", "<script>"])
def test_include_takes_test_people_only(page: Client, study: Study, source: str) -> None:
    assert page.get("/studies/small/raters/", {"include": source}).status_code == 404


def test_run_is_traced_and_called_old_when_data_change(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    fresh = text_of(page.get("/studies/small/raters/"))
    assert f"Computed from 4 raters at {run.finished_at:%Y-%m-%d %H:%M:%S} UTC" in fresh
    assert f"snapshot {run.snapshot_hash[:12]}" in fresh
    assert "data changed since" not in fresh
    add_participant(study, pseudonym="new")
    changed = text_of(page.get("/studies/small/raters/"))
    assert "data changed since" in changed
    assert "Press “Recompute” to include the changes." in changed
    AnalysisRun.objects.create(
        study=study,
        rule_set=current_rule_set(study),
        recipe_set=current_recipe_set(study),
        sources=counted_sources(),
    )
    for name, said in (
        ("raters", "A new analysis is being computed."),
        ("downloads", "The download will have a new analysis, of the data as they are"),
    ):
        waiting = text_of(page.get(f"/studies/small/{name}/"))
        assert said in waiting
        assert "Press “Recompute”" not in waiting


def test_failed_run_shows_its_error_and_the_one_before(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    AnalysisRun.objects.create(
        study=study,
        rule_set=current_rule_set(study),
        recipe_set=current_recipe_set(study),
        sources=counted_sources(),
        state="failed",
        error="MemoryError: <too big>",
    )
    answer = page.get("/studies/small/raters/")
    assert "The newest analysis failed" in text_of(answer)
    assert "MemoryError: &lt;too big&gt;" in answer.content.decode()
    assert len(tables_of(answer)) == 2


def test_stand_in_is_named_where_its_scores_count(page: Client, judge: Judge, study: Study) -> None:
    answer_calls(judge.calls.all())
    finished_run(study=study, sources=counted_sources())
    for name in ("raters", "results", "figures", "downloads"):
        shown = text_of(page.get(f"/studies/small/{name}/"))
        assert "A stand-in made up the gold scores" in shown, name
    assert "A stand-in made up the gold scores" in text_of(page.get("/studies/small/"))
    one = study.participants.get(pseudonym="ann")
    assert "stand-in gold" in text_of(page.get(f"/studies/small/raters/{one.pk}/"))


def test_numbers_of_the_excluded_lead_to_them_and_from_one_of_them_back(
    page: Client, crowd: Study
) -> None:
    def names(answer: Any) -> list[str]:
        return [row[0] for row in tables_of(answer)[1][1:]]

    overview = page.get("/studies/crowd/").content.decode()
    (of_tile,) = re.findall(r'<dd><a href="(.*?)">3</a></dd>', overview)
    assert names(page.get(html.unescape(of_tile))) == ["dot", "gone", "lax"], "and nobody active"

    funnel = page.get("/studies/crowd/raters/").content.decode()
    of_steps = re.findall(r'<a href="(.*?)">1 excluded</a>', funnel)
    steps = [page.get("/studies/crowd/raters/" + html.unescape(each)) for each in of_steps]
    assert [names(step) for step in steps] == [["dot"], ["lax"], ["gone"]]
    chosen = steps[0]

    (of_rater,) = re.findall(r'<a href="(.*?)">dot</a>', chosen.content.decode())
    rater = page.get(html.unescape(of_rater))
    assert "excluded: Too fast or too slow" in text_of(rater)
    (back,) = re.findall(r'<a href="(.*?)">Back to the raters</a>', rater.content.decode())
    assert names(page.get(html.unescape(back))) == ["dot"]


def test_cleaned_ratings_are_a_click_away_from_raters_and_results(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    for name in ("raters", "results"):
        source = page.get(f"/studies/small/{name}/").content.decode()
        files = re.findall(r'href="([^"]*/downloads/(?:ratings|codebook)\.csv)" download', source)
        assert [page.get(file).status_code for file in files] == [200, 200], name


def test_study_with_test_people_alone_leads_to_their_numbers(page: Client, study: Study) -> None:
    assert "No rater has taken part yet" not in text_of(page.get("/studies/small/results/"))
    study.participants.exclude(source="simulated").delete()
    answer = page.get("/studies/small/results/")
    assert "Only simulated participants have taken part." in text_of(answer)
    assert '<a href="?include=simulated">look at their numbers</a>' in answer.content.decode()


# ── Choosing, sorting, paging ────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def crowded(taken: Study, django_db_blocker: DjangoDbBlocker) -> Study:
    with django_db_blocker.unblock():
        study = study_taken_by_five(slug="crowd")
        add_participant(study, pseudonym="now", status="in_progress", started_at=timezone.now())
        add_participant(study, pseudonym="gone", status="in_progress", source="prolific")
        add_participant(study, pseudonym="lax", checks_passed=False, minutes=30)
        finished_run(study=study, sources=counted_sources())
        return study


@pytest.fixture
def crowd(crowded: Study, db: None) -> Study:
    """Beside the usual raters: one still at it, one who left, one inattentive."""
    return Study.objects.get(pk=crowded.pk)


def shown(page: Client, query: str = "") -> list[str]:
    """The names of the raters on the page."""
    _, *raters = tables_of(page.get(f"/studies/crowd/raters/{query}"))
    return [row[0] for table in raters for row in table[1:]]


def test_raters_tells_who_is_still_active_from_who_is_excluded(page: Client, crowd: Study) -> None:
    rows = tables_of(page.get("/studies/crowd/raters/"))[1][1:]
    assert {row[0]: row[1].partition(":")[0] for row in rows} == {
        "ann": "included",
        "ben": "included",
        "cat": "included",
        "dot": "excluded Too fast or too slow",
        "gone": "excluded Left early",
        "lax": "excluded Failed attention checks",
        "now": "still active",
    }


CHOICES = [
    ("", ["ann", "ben", "cat", "dot", "gone", "lax", "now"]),
    ("?included=true", ["ann", "ben", "cat"]),
    ("?included=false", ["dot", "gone", "lax", "now"]),
    ("?rule=duration", ["dot"]),
    ("?rule=any", ["dot", "gone", "lax"]),
    ("?rule=attention", ["lax"]),
    ("?status=in_progress", ["gone", "now"]),
    ("?included=false&status=completed", ["dot", "lax"]),
    ("?rule=sigma_mae", []),
    ("?sort=-participant", ["now", "lax", "gone", "dot", "cat", "ben", "ann"]),
    ("?sort=duration_seconds&included=false", ["dot", "gone", "now", "lax"]),
    ("?sort=-duration_seconds&status=completed", ["lax", "ann", "ben", "cat", "dot"]),
    ("?sort=-sigma&included=true", ["ann", "ben", "cat"]),
    ("?sort=source&included=false", ["dot", "lax", "now", "gone"]),
]


@pytest.mark.parametrize(("query", "names"), CHOICES)
def test_raters_are_chosen_and_sorted_as_asked(
    page: Client, crowd: Study, query: str, names: list[str]
) -> None:
    assert shown(page, query) == names


def test_choice_of_nobody_says_so_and_can_be_undone(page: Client, crowd: Study) -> None:
    answer = page.get("/studies/crowd/raters/?rule=sigma_mae&sort=mae")
    assert "No rater of this kind" in text_of(answer)
    assert '<a href="?sort=mae">Show all</a>' in answer.content.decode()


@pytest.mark.parametrize("sort", ["sigma", "-sigma"])
def test_raters_without_a_number_come_last(page: Client, crowd: Study, sort: str) -> None:
    add_participant(crowd, pseudonym="aaa", rate=lambda key: None)
    finished_run(study=crowd, sources=counted_sources())
    assert shown(page, f"?sort={sort}")[-1] == "aaa"


def test_sorted_column_says_so_and_leads_the_other_way(page: Client, crowd: Study) -> None:
    answer = page.get("/studies/crowd/raters/?sort=mae&rule=duration&page=1").content.decode()
    assert re.findall(r'aria-sort="(\w+)"><a href="(.*?)">(.*?)<', answer) == [
        ("ascending", "?sort=-mae&amp;rule=duration#raters-heading", "MAE")
    ]


@pytest.mark.parametrize("field", ["included", "rule", "status"])
def test_choice_that_is_none_is_named_and_chooses_nothing(
    page: Client, crowd: Study, field: str
) -> None:
    answer = page.get(f"/studies/crowd/raters/?{field}=nonsense")
    assert "nonsense is not one of the available choices." in text_of(answer)
    assert len(tables_of(answer)[1][1:]) == 7


def test_choice_with_simulated_raters_keeps_them(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    answer = page.get("/studies/small/raters/?include=simulated&included=true")
    assert '<input type="hidden" name="include" value="simulated">' in answer.content.decode()
    assert [row[0] for row in tables_of(answer)[1][1:]] == ["ann", "ben", "cat", "robot"]


@pytest.fixture(scope="module")
def with_eve(taken: Study, django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock():
        study = study_taken_by_five(slug="five")
        add_participant(study, pseudonym="eve")
        finished_run(study=study, sources=counted_sources())


@pytest.fixture
def five(page: Client, with_eve: None, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A browser that is shown two raters a page, of five."""
    monkeypatch.setattr("dashboard.raters.views.RATERS_SHOWN", 2)
    return page


@pytest.mark.parametrize(
    ("query", "names", "where"),
    [
        ("", ["ann", "ben"], "1–2 of 5 raters"),
        ("?page=2", ["cat", "dot"], "3–4 of 5 raters"),
        ("?page=3", ["eve"], "5–5 of 5 raters"),
        ("?page=99", ["eve"], "5–5 of 5 raters"),
        ("?page=x", ["ann", "ben"], "1–2 of 5 raters"),
        ("?page=2&included=true", ["cat", "eve"], "3–4 of 4 raters of this kind"),
    ],
)
def test_raters_come_in_pages(five: Client, query: str, names: list[str], where: str) -> None:
    answer = five.get(f"/studies/five/raters/{query}")
    assert [row[0] for row in tables_of(answer)[1][1:]] == names
    assert where in text_of(answer)


def test_pages_of_raters_keep_what_was_chosen(five: Client) -> None:
    answer = five.get("/studies/five/raters/?included=true&sort=mae").content.decode()
    assert '<a rel="next" href="?included=true&amp;sort=mae&amp;page=2#raters-heading">' in answer
    assert 'rel="prev"' not in answer


def test_query_count_is_the_same_for_one_page_and_for_all(
    page: Client, crowd: Study, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = crowd.analysis_runs.latest("id")
    with django_assert_num_queries(1):
        assert [rater_row(rater)["participant"] for rater in raters_of(run)[:1]] == ["ann"]
    found = RaterFilter({"sort": "-mae"}, run, rules={}, records_writing=True).qs
    for most in (1, 7):
        with django_assert_num_queries(2):
            assert len(rater_rows(run, found[:most])) == most

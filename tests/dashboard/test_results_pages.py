"""The pages of results and figures, and computing them anew."""

import csv
import html
import io
import re
from itertools import chain
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker
from selectolax.lexbor import LexborHTMLParser

from analysis import catalogue
from analysis.catalogue.subjects import SUBJECTS
from analysis.execution import finished_run
from analysis.labels import labels_of
from analysis.manual_decisions import decide_on
from analysis.models import AnalysisRun
from analysis.queries import IN_WORDS
from analysis.recipe import shipped_recipes
from analysis.recipe_sets import recipes_of, set_recipes
from analysis.text.cells import plain, read_tables
from analysis.text.findings import findings
from survey.files.csv_text import csv_lines
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken, study_taken_by_five
from tests.dashboard.reading import tables_of, text_of
from tests.factories import Key, add_participant, make_study
from tests.survey import small_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

# ── Recomputing ───────────────────────────────────────────────────────────────────────────────────


def test_recompute_asks_for_a_run_and_comes_back(page: Client, study: Study, woken: Woken) -> None:
    answer = page.post("/studies/small/analysis/recompute/?include=simulated", {"page": "results"})
    run = study.analysis_runs.get()
    assert (run.state, run.sources) == ("waiting", counted_sources(["simulated"]))
    assert woken == [("analysis.run", run.pk)]
    assert answer["Location"] == "/studies/small@1/results/?include=simulated"
    assert "waits for a worker" in text_of(page.get(answer["Location"]))


def test_recompute_of_unchanged_data_makes_no_second_run(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    answer = page.post("/studies/small/analysis/recompute/", {"page": "raters"}, follow=True)
    assert study.analysis_runs.count() == 1
    assert woken == []
    assert "the results are up to date" in text_of(answer)


@pytest.mark.parametrize("where", ["", "https://elsewhere.example", "login"])
def test_recompute_comes_back_to_pages_of_the_study_only(
    page: Client, study: Study, woken: Woken, where: str
) -> None:
    answer = page.post("/studies/small/analysis/recompute/", {"page": where})
    assert answer["Location"] == "/studies/small@1/raters/"


def test_analysis_state_says_when_the_run_is_done(page: Client, study: Study, woken: Woken) -> None:
    page.post("/studies/small/analysis/recompute/", {"page": "raters"})
    assert "X-Finished" not in page.get("/studies/small/analysis/")
    study.analysis_runs.update(state="done")
    assert page.get("/studies/small/analysis/")["X-Finished"] == "1"


# ── Results and figures ───────────────────────────────────────────────────────────────────────────


def test_results_lays_wins_out_like_the_papers_table_4(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    wins = tables_of(page.get("/studies/small/results/"))[0]
    assert wins == [
        ["Model", "S1", "S2", "All"],
        ["P", "T", "P", "T", "P", "T"],
        ["Ant", "2.00", "✓ 4.00", "2.00", "✓ 4.00", "0", "2"],
        ["Bee", "2.00", "✓ 4.00", "✓ 4.00", "2.00", "1", "1"],
        ["Wins", "0", "2", "1", "1", "1", "3"],
        ["Ties", "0", "0", "0"],
        ["Share of wins", "0.0%", "100.0%", "50.0%", "50.0%", "25.0%", "75.0%"],
        ["Reference", "4 of 4 100.0%", "4 of 4 100.0%", "8 of 8 100.0%"],
    ]
    shown = page.get("/studies/small/results/").content.decode()
    assert shown.count('<span role="img" aria-label="wins">✓</span>') == 4


def test_labels_are_shown_at_once_and_as_text_while_files_keep_names(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    hard = '<b>"Fine" & 调优</b>'
    study.settings["labels"] = {
        "conditions": {"plain": "Zero-shot", "tuned": hard},
        "models": {"Ant": "Ant_1 %"},
        "dimensions": {"warmth": "Warmth of tone"},
    }
    study.save()
    answer = page.get("/studies/small/results/")
    (wins,) = (table for table in tables_of(answer) if table[0][:2] == ["Model", "S1"])
    assert [row[0] for row in wins[2:4]] == ["Ant_1 %", "Bee"]
    *_, items = tables_of(page.get("/studies/small/results/systems/"))
    assert [row[2:4] for row in items[1:3]] == [["Ant_1 %", "Zero-shot"], ["Ant_1 %", hard]]
    assert "Warmth of tone" in text_of(answer)
    assert "<b>" not in answer.content.decode()
    for address in ("results/systems/", "figures/", "order/", "raters/", "thresholds/"):
        shown = page.get(f"/studies/small/{address}")
        assert "<b>" not in shown.content.decode(), address
        assert "plain" not in text_of(shown), address
    csv_file = page.get(f"/studies/small/results/{run.pk}/wins.csv")
    assert "warmth,plain,tuned" in b"".join(csv_file).decode()
    won = page.get("/api/studies/small/wins/").json()["wins"]
    assert {(row["condition_a"], row["condition_b"]) for row in won} == {("plain", "tuned")}


def test_results_shows_ties_as_ties(page: Client, db: None) -> None:
    study = make_study(reference=None, conditions=["plain", "tuned"])
    add_participant(study, pseudonym="ann")
    finished_run(study=study, sources=counted_sources())
    wins = tables_of(page.get("/studies/small/results/"))[0]
    assert wins[2] == ["Ant", "= 3.00", "= 3.00", "= 3.00", "= 3.00", "0", "0"]
    assert [row[0] for row in wins[2:]] == ["Ant", "Bee", "Wins", "Ties", "Share of wins"]


def test_nothing_is_shown_of_what_a_study_does_not_have(page: Client, db: None) -> None:
    study = make_study(contrast=None, demographics=[])
    add_participant(study, pseudonym="ann")
    finished_run(study=study, sources=counted_sources())
    assert "Which condition wins where?" not in text_of(page.get("/studies/small/results/"))
    entries = ["Main results", "Comparisons", "Reliability", "Automatic scores", "Figures"]
    rows = {
        "": [],
        "mixed-models/": ["Systems", "Largest differences", "Mixed models"],
        "raters/": ["Rater agreement", "Order and rules"],
        "metrics/": ["Automatic metrics", "Trained scorer", "Perturbations"],  # there are texts
    }
    for shown, row in rows.items():
        document = LexborHTMLParser(page.get(f"/studies/small/results/{shown}").content)
        assert [link.text() for link in document.css(".subtabs a")] == entries + row
    current = {link.text(): link.attributes.get("aria-current") for link in document.css("nav a")}
    current = {label: shown for label, shown in current.items() if shown}
    assert current == {"Results": "true", "Automatic scores": "page", "Automatic metrics": "page"}
    assert "multiverse" not in text_of(page.get("/studies/small/results/order/"))
    assert page.get("/studies/small/results/rankings/").status_code == 200, "old links lead there"


def test_groups_say_which_answers_no_group_knows(page: Client, db: None) -> None:
    study = make_study(slug="genders", recipes=[shipped_recipes()["paper"]])
    for name, gender in (("ann", "Female"), ("bob", "Male"), ("cy", "Female")):
        add_participant(study, pseudonym=name, demographics={"gender": gender, "age": 30})
    finished_run(study=study, sources=counted_sources())
    said = "Gender: 'Female' (2) and 'Male' (1) are in no group of the recipe paper (Woman / Man)"
    assert said in text_of(page.get("/studies/genders/results/groups/"))
    assert said not in text_of(page.get("/studies/genders/results/"))


def test_results_leaves_a_cell_without_ratings_empty(page: Client, db: None) -> None:
    study = make_study(scenarios=["S1"])
    add_participant(
        study, pseudonym="ann", rate=lambda key: None if key[2:4] == ("Ant", "tuned") else 3
    )
    finished_run(study=study, sources=counted_sources())
    wins = tables_of(page.get("/studies/small/results/"))[0]
    assert wins[2] == ["Ant", "3.00", "–", "0", "0"]


def test_results_show_responses_and_demographics(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    *_, items = tables_of(page.get("/studies/small/results/systems/"))
    assert items[0] == ["Scenario", "Set", "Model", "Condition", "n", "Mean (SD)", "Gold"]
    assert items[1] == ["S1", "1", "Ant", "Plain", "3", "2.00 (0.00)", "3.50"]
    *_, demographics = tables_of(page.get("/studies/small/results/"))
    assert demographics[1:3] == [
        ["Age", "Mean (SD), range 30–50", "3", "40.0 (10.0)"],
        ["Sex", "Female", "3", "100.0%"],
    ]


def test_figures_loads_plotly_from_here_and_gives_the_means_as_text(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get("/studies/small/figures/")
    shown = answer.content.decode()
    assert '<script src="/static/plotly/plotly.min.js" defer></script>' in shown
    assert f'data-figure="/studies/small@1/figures/{run.pk}/ratings_kde.json"' in shown
    means = tables_of(answer)[0]
    assert means[:2] == [
        ["Model", "Condition", "Set", "S1", "S2"],
        ["Ant", "Plain", "1", "2.00 (3)", "2.00 (3)"],
    ]


def test_figure_is_the_stored_one(page: Client, study: Study, run: AnalysisRun) -> None:
    stored = run.results.get(kind="figure", name="ratings_kde").content
    answer = page.get(f"/studies/small/figures/{run.pk}/ratings_kde.json")
    assert answer.json() == stored
    assert page.get(f"/studies/small/figures/{run.pk}/other.json").status_code == 404


def test_figure_of_another_study_is_not_found(page: Client, run: AnalysisRun) -> None:
    make_study(slug="other")
    assert page.get(f"/studies/other/figures/{run.pk}/ratings_kde.json").status_code == 404


def test_only_pages_with_figures_load_plotly(page: Client, study: Study, run: AnalysisRun) -> None:
    loading = [
        name
        for name in ("", "gold/", "agreement/", "raters/", "results/", "figures/", "downloads/")
        if b"plotly" in page.get(f"/studies/small/{name}").content
    ]
    assert loading == ["agreement/", "figures/"]


@pytest.mark.parametrize("name", ["agreement", "results", "figures", "downloads"])
def test_page_without_analysis_says_so(page: Client, study: Study, name: str) -> None:
    answer = page.get(f"/studies/small/{name}/")
    assert "No analysis yet" in text_of(answer)
    assert b"plotly" not in answer.content


def test_results_without_ratings_lead_to_what_people_answered(page: Client, db: None) -> None:
    small_study.load(yaml=small_study.CHOICES_YAML.replace("slug: small", "slug: chosen"))
    said = text_of(page.get("/studies/chosen/results/"))
    assert said.count("The study has no ratings") == 1
    assert "Single answers: ranks.csv and comments.csv on the page Share" in said
    assert "For ranks and choices see Rankings" in said
    shown = page.get("/studies/chosen/results/?include=simulated").content.decode()
    assert '<a href="/studies/chosen@1/downloads/?include=simulated">Share</a>' in shown
    assert "Wins" not in said


def test_results_with_ratings_do_not(page: Client, study: Study, run: AnalysisRun) -> None:
    assert "ranks.csv" not in text_of(page.get("/studies/small/results/"))


# ── Subjects, recipes, filters ────────────────────────────────────────────────────────────────────

GROUPS = "/studies/grouped/results/groups/"


def by_scenario(key: Key) -> int:
    """Careful enough to be kept, with no liking for any system."""
    return 4 if key[0] == "S2" else 1


@pytest.fixture(scope="module")
def grouped(taken: Study, django_db_blocker: DjangoDbBlocker) -> AnalysisRun:
    with django_db_blocker.unblock():
        study = study_taken_by_five(slug="grouped")
        for name in ("eve", "fay"):
            add_participant(
                study, pseudonym=name, demographics={"age": 70, "sex": "Female"}, rate=by_scenario
            )
        shipped = shipped_recipes()
        light = {"bootstrap": None, "mixed_models": None, "each_scenario": True}
        set_recipes(study=study, recipes=[r.model_copy(update=light) for r in shipped.values()])
        return finished_run(study=study, sources=counted_sources())


@pytest.fixture
def grouped_run(grouped: AnalysisRun, db: None) -> AnalysisRun:
    """Two raters more, of another age; by recipes that resample nothing."""
    return AnalysisRun.objects.get(pk=grouped.pk)


def rows_of_group_tests(page: Client, query: str) -> list[list[str]]:
    return tables_of(page.get(f"{GROUPS}{query}"))[0]


def test_groups_show_paper_and_sound_one_below_the_other(
    page: Client, grouped_run: AnalysisRun
) -> None:
    head, paper, sound, *_ = rows_of_group_tests(page, "?test=welch&model=Ant")
    assert head[:2] == ["Recipe (unit)", "n of group a / n of group b"]
    assert (paper[0], sound[0]) == ("paper (rating)", "sound (participant)")
    assert (paper[1], sound[1]) == ("8 / 12", "2 / 3")
    said = text_of(page.get(f"{GROUPS}?test=welch&model=Ant"))
    assert "Factor Age · Group a / Group b 60+ / under 60 · Model Ant" in said


def test_one_recipe_can_be_looked_at_alone(page: Client, grouped_run: AnalysisRun) -> None:
    answer = page.get(f"{GROUPS}?recipe=sound&test=welch&model=Ant")
    assert "Recipe sound · Unit participant" in text_of(answer)
    assert tables_of(answer)[0][1][0] == "2 / 3"
    assert 'href="?recipe=paper&amp;test=welch&amp;model=Ant"' in answer.content.decode()


def test_rows_over_all_are_shown_first_and_parts_when_asked(
    page: Client, grouped_run: AnalysisRun
) -> None:
    over_all = rows_of_group_tests(page, "?test=welch&model=Ant&recipe=sound")
    each = rows_of_group_tests(page, "?test=welch&model=Ant&recipe=sound&scenario=*")
    assert len(over_all) == 2
    assert [row[0] for row in each] == ["Scenario", "All scenarios", "S1", "S2"]


@pytest.mark.parametrize(
    "query",
    [
        "?recipe=best",
        "?test=f",
        "?scenario=S9",
        "?raters=%00",
        "?group_tests-page=99999&model=",
        "?group_tests-page=x&group_tests-sort=colour",
    ],
)
def test_what_is_no_choice_chooses_nothing(
    page: Client, grouped_run: AnalysisRun, query: str
) -> None:
    answer = page.get(f"{GROUPS}{query}")
    assert answer.status_code == 200
    assert len(tables_of(answer)[0]) > 1
    if "page" not in query:
        assert "Select a valid choice." in text_of(answer)


def test_csv_holds_exactly_the_rows_on_the_page(page: Client, grouped_run: AnalysisRun) -> None:
    answer = page.get(f"{GROUPS}?recipe=sound&test=welch&model=Ant")
    address = re.findall(r'href="(/[^"]+group_tests.csv[^"]*)"', answer.content.decode())
    these, whole = (page.get(html.unescape(one)) for one in address)
    rows = list(csv.DictReader(io.StringIO(body_of(these))))
    assert [(row["recipe"], row["model"], row["scenario"], row["n_a"]) for row in rows] == [
        ("sound", "Ant", "all", "2")
    ]
    stored = grouped_run.results.get(kind="table", name="group_tests").content
    assert body_of(whole) == "".join(csv_lines(stored["columns"], stored["rows"]))
    assert whole["Content-Disposition"] == 'attachment; filename="grouped-1-group_tests.csv"'


def body_of(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode("utf-8-sig")


def test_a_table_has_its_latex_beside_its_csv(page: Client, grouped_run: AnalysisRun) -> None:
    shown = page.get(GROUPS).content.decode()
    address = f"/studies/grouped@1/results/{grouped_run.pk}/group_tests.tex"
    assert f'href="{address}"' in shown
    latex = page.get(address)
    assert latex["Content-Type"] == "text/x-tex; charset=utf-8"
    assert latex["Content-Disposition"] == 'attachment; filename="group_tests.tex"'
    assert r"\label{tab:group_tests-paper-" in latex.content.decode()
    assert page.get(address.replace("group_tests", "nothing")).status_code == 404


def test_latex_has_no_reason_of_a_decision(page: Client, study: Study) -> None:
    ann = study.participants.get(pseudonym="ann")
    reason = "Told me that she guessed"
    decide_on(study=study, participants=[ann], excluded=True, reason=reason, at=timezone.now())
    run = finished_run(study=study, sources=counted_sources())
    raters = page.get(f"/studies/small/results/{run.pk}/raters.tex").content.decode()
    assert "ann & " in raters and reason not in raters


def test_meanings_are_in_the_words_of_the_page(page: Client, grouped_run: AnalysisRun) -> None:
    meanings = text_of(page.get(GROUPS))
    assert "the same family as “p (Holm)”" in meanings
    assert "p_adjusted" not in meanings and "Lower end of the interval" not in meanings


def test_csv_of_what_is_not_there_is_not_found(page: Client, grouped_run: AnalysisRun) -> None:
    folder = f"/studies/grouped/results/{grouped_run.pk}"
    make_study(slug="other")
    for address in (
        f"{folder}/nothing.csv",
        f"{folder}/group_tests.csv?colour=red",
        f"/studies/other/results/{grouped_run.pk}/group_tests.csv",
        "/studies/grouped/results/999999/group_tests.csv",
        "/studies/grouped/results/nonsense/",
    ):
        assert page.get(address).status_code == 404, address


def test_every_subject_says_what_is_absent_and_why(page: Client, grouped_run: AnalysisRun) -> None:
    said = {
        subject: text_of(page.get(f"/studies/grouped/results/{subject}/")) for subject in SUBJECTS
    }
    assert "There are no ranks." in said["rankings"]
    assert "Mean ranks" in said["rankings"]
    assert "No recipe quotes printed numbers." in said["printed"]
    assert "How good is each system?" in said["systems"]


def test_a_question_has_its_answer_then_its_figure_then_its_table(
    page: Client, grouped_run: AnalysisRun
) -> None:
    answer = page.get("/studies/grouped/results/")
    said = text_of(answer)
    places = [
        said.index(words)
        for words in (
            "Which is rated higher: Plain or Tuned?",
            "Over all models, Tuned was rated",
            "Plain against Tuned, with intervals",
            "Filter the tables",
            "Plain minus Tuned [interval]",
            "How this is computed",
            "Plain and Tuned were compared within raters",
            "Other answers Who counts",
            "Which condition wins where?",
        )
    ]
    assert places == sorted(places)
    shown = answer.content.decode()
    assert (
        f'data-figure="/studies/grouped@1/figures/{grouped_run.pk}/contrasts_forest.json"' in shown
    )
    assert '<a href="/studies/grouped@1/results/#contrasts" title=' in shown


def test_answers_are_the_sentences_of_the_report(page: Client, grouped_run: AnalysisRun) -> None:
    stored = grouped_run.results.get(kind="page", name=IN_WORDS).content
    contents = grouped_run.results.filter(kind="table").values_list("name", "content")
    given = read_tables(dict(contents), labels_of(grouped_run.study))
    made = findings(
        {name: table for name, table in given.items() if table.rows},
        recipes_of(grouped_run.recipe_set),
    )
    assert [(each["title"], each["sound"], each["paper"]) for each in stored["findings"]] == [
        (each.title, list(map(str, each.sound)), list(map(str, each.paper))) for each in made
    ]
    for subject in ("groups", "raters"):
        said = "".join(text_of(page.get(f"/studies/grouped/results/{subject}/")).split())
        told = [e for e in made if catalogue.table(e.table).subject == subject]
        assert told
        for sentence in chain.from_iterable((*each.sound, *each.paper) for each in told):
            assert "".join(plain(sentence).split()) in said


def test_analysis_from_before_sentences_were_stored_shows_its_tables(
    page: Client, grouped_run: AnalysisRun
) -> None:
    grouped_run.results.filter(kind="page").delete()
    answer = page.get("/studies/grouped/results/")
    assert "Which is rated higher: Plain or Tuned?" in text_of(answer)
    assert "Over all models" not in text_of(answer)
    assert len(tables_of(answer)) > 3


def test_every_figure_is_beside_a_table_that_has_a_page(
    page: Client, grouped_run: AnalysisRun
) -> None:
    for figure in catalogue.figures().values():
        assert figure.table in catalogue.tables(), figure.name
    shown = page.get("/studies/grouped/figures/").content.decode()
    drawn = set(re.findall(r'data-name="(\w+)"', shown))
    beside = {
        name
        for subject in SUBJECTS
        for name in re.findall(
            r'data-name="(\w+)"', page.get(f"/studies/grouped/results/{subject}/").content.decode()
        )
    }
    of_raters = {f.name for f in catalogue.figures().values() if f.section == "Participants"}
    assert beside == drawn - of_raters


def test_notices_are_one_line_with_the_rest_folded(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    add_participant(study, pseudonym="new")
    shown = page.get("/studies/small/results/?include=simulated").content.decode()
    line = re.sub(r"<[^>]*>", " ", shown[shown.index("<summary>") : shown.index("</summary>")])
    assert "4 of 5 raters included" in " ".join(line.split())
    assert "with simulated participants" in line
    assert "data changed since" in line


def test_recompute_comes_back_to_the_same_subject(page: Client, study: Study, woken: Woken) -> None:
    sent = {"page": "results/groups"}
    answer = page.post("/studies/small/analysis/recompute/", sent)
    assert answer["Location"] == "/studies/small@1/results/groups/"

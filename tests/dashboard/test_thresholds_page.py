"""The page of thresholds: trying others, putting them in force, and who may."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from analysis.models import AnalysisRun, RuleSet
from analysis.rule_sets import current_rules
from survey.models import Study
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import tables_of, text_of
from tests.factories import make_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

PAGE = "/studies/small/thresholds/"
#: Keeps dot, whom the rule of time excludes.
PATIENT = {"duration_minimum": "1"}


def test_page_shows_the_rules_in_force_and_their_results(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get(PAGE)
    results, funnel, *_ = tables_of(answer)
    assert results[1:4] == [
        ["Wins of Plain", "1", "1"],
        ["Wins of Tuned", "3", "3"],
        ["Ties", "0", "0"],
    ]
    assert results[4] == ["Reference points", "8 of 8", "8 of 8"]
    assert funnel[1] == ["Too fast or too slow", "1", "3", "1"]
    assert "3 raters included: these are the current thresholds." in text_of(answer)
    assert 'name="duration_minimum" id="id_duration_minimum" value="10"' in answer.content.decode()


def test_analysis_of_an_earlier_version_has_no_interval_and_says_so(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    result = tables_of(page.get(PAGE))[0][5]
    assert result[0] == "Plain minus Tuned, mean 95 % interval over 3 raters"
    # as runs were stored before, and not the one that this process remembers
    run.results.filter(kind="page").delete()
    AnalysisRun.objects.filter(pk=run.pk).update(created_at=timezone.now())
    answer = page.get(PAGE, PATIENT)
    result = tables_of(answer)[0][5]
    assert result[0] == "Plain minus Tuned, mean over 3 and 4 raters"
    assert "[" not in "".join(result)
    assert "No intervals: an earlier version" in text_of(answer)


def test_other_thresholds_are_tried_by_address_and_nothing_changes(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get(PAGE, PATIENT)
    said = text_of(answer)
    assert "4 raters would be included instead of 3." in said
    assert "Newly included: 1. Newly excluded: 0." in said
    moved = next(table for table in tables_of(answer) if table[0][0] == "Rater")
    assert [row[:3] for row in moved[1:]] == [["dot", "included", "Too fast or too slow"]]
    assert tables_of(answer)[1][1] == ["Too fast or too slow", "0 (1)", "4 (3)", "0 (1)"]
    assert RuleSet.objects.count() == 1


def test_one_rater_is_one_and_signs_of_raters_are_named(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    said = text_of(page.get(PAGE))
    assert "Each sign is a rater: ● included, ▬ excluded." in said
    said = text_of(page.get(PAGE, {"duration_minimum": "1", "duration_maximum": "5"}))
    assert "1 rater would be included instead of 3 (1 join, 3 leave)." in said
    assert "▬ excluded either way, + newly included (1), × newly excluded (3)." in said


def test_who_moves_is_sorted_as_asked(page: Client, study: Study, run: AnalysisRun) -> None:
    nobody = {"duration_minimum": "70", "duration_maximum": "75"}

    def order(sort: str) -> list[str]:
        found = tables_of(page.get(PAGE, {**nobody, "sort": sort}))
        return [row[0] for table in found if table[0][0] == "Rater" for row in table[1:]]

    by_name = order("participant")
    assert len(by_name) == 3
    assert by_name == sorted(by_name)
    assert order("-participant") == by_name[::-1]
    assert order("no such column") == by_name
    page_of = page.get(PAGE, {**nobody, "sort": "-minutes"}).content.decode()
    assert 'aria-sort="descending"' in page_of
    assert '<input type="hidden" name="sort" value="-minutes">' in page_of


def test_outcome_alone_is_the_same_without_the_page(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    alone = page.get(f"{PAGE}outcome/", PATIENT)
    assert tables_of(alone) == tables_of(page.get(PAGE, PATIENT))[: len(tables_of(alone))]
    assert "4 raters would be included instead of 3." in text_of(alone)
    assert "<html" not in alone.content.decode()


def test_limits_that_leave_nobody_compare_nothing(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    said = text_of(page.get(f"{PAGE}outcome/", {"duration_minimum": "70"}))
    assert "0 raters would be included instead of 3. No rater is left for a comparison." in said
    assert "instead of 1 to 3" not in said


def test_what_is_wrong_is_said_beside_the_results_and_tied_to_its_field(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    crossed = {"duration_minimum": "80", "duration_maximum": "5"}
    said = text_of(page.get(f"{PAGE}outcome/", crossed))
    assert "These thresholds were not applied: Minimum is greater than maximum." in said
    assert "By the current thresholds: 3 raters included." in said
    whole = page.get(PAGE, {"sigma_below": "-1"}).content.decode()
    described = 'aria-describedby="id_sigma_below-now id_sigma_below_error" aria-invalid="true"'
    assert described in whole
    assert whole.count('id="id_sigma_below_error"') == 1
    assert whole.count("aria-invalid") == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"duration_minimum": "soon"}, "Enter a number."),
        ({"sigma_below": "-1"}, "σ below: Ensure this value is greater than or equal to 0"),
        ({"mae_above": "nan"}, "Enter a number."),
        ({"failures_allowed": "1.5"}, "Enter a whole number."),
        ({"ddof": "7"}, "Select a valid choice."),
        ({"duration_minimum": "80", "duration_maximum": "5"}, "Minimum is greater than maximum."),
        ({"duration_maximum": "0"}, "greater than 0"),
    ],
)
def test_what_is_no_threshold_is_said_and_changes_nothing(
    page: Client, study: Study, run: AnalysisRun, asked: dict[str, str], said: str
) -> None:
    answer = page.get(PAGE, asked)
    assert said in text_of(answer)
    assert "These thresholds were not applied:" in text_of(answer)
    assert tables_of(answer)[1][1] == ["Too fast or too slow", "1", "3", "1"]
    assert page.get(f"{PAGE}outcome/", asked).status_code == 200


def test_using_thresholds_is_asked_first(page: Client, study: Study, run: AnalysisRun) -> None:
    said = text_of(page.get(f"{PAGE}use/", PATIENT))
    assert "Use these thresholds from now on?" in said
    assert "Shortest time: 10 → 1" in said
    assert "They become rules version 2 under your name" in said
    assert RuleSet.objects.count() == 1


def test_thresholds_come_into_force_as_a_version_with_author_and_run(
    page: Client, researcher: User, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    answer = page.post(f"{PAGE}use/?include=simulated", {**PATIENT, "instead_of": "1"})
    # nobody has computed anything with simulated raters yet, so there was nothing to try
    assert answer["Location"] == "/studies/small@1/thresholds/?include=simulated"
    assert RuleSet.objects.count() == 1

    answer = page.post(f"{PAGE}use/", {**PATIENT, "instead_of": "1"}, follow=True)
    newest = study.rule_sets.last()
    assert newest is not None
    assert (newest.version, newest.author) == (2, researcher)
    assert current_rules(study).duration_minutes.minimum == 1
    waiting = study.analysis_runs.first()
    assert waiting is not None
    assert (waiting.state, waiting.rule_set) == ("waiting", newest)
    assert woken == [("analysis.run", waiting.pk)]
    assert "Rules version 2 is in force." in text_of(answer)
    versions = tables_of(answer)[-1]
    assert [row[0] for row in versions[1:]] == ["2", "1"]
    assert versions[1][2:] == ["ada", "Shortest time: 10 → 1"]
    assert versions[2][2:] == ["the study's file", "first version"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (
            {**PATIENT, "instead_of": "7"},
            "Nothing was changed: rules version 1 came into force meanwhile.",
        ),
        (PATIENT, "Nothing was changed: rules version 1 came into force meanwhile."),
        ({"instead_of": "1"}, "These thresholds are in force already."),
        ({"sigma_below": "x", "instead_of": "1"}, "Enter a number."),
    ],
)
def test_what_cannot_come_into_force_says_why(
    page: Client,
    study: Study,
    run: AnalysisRun,
    woken: Woken,
    sent: dict[str, str],
    said: str,
) -> None:
    answer = page.post(f"{PAGE}use/", sent, follow=True)
    assert said in text_of(answer)
    assert (RuleSet.objects.count(), woken) == (1, [])


def test_without_an_analysis_there_is_nothing_to_try(page: Client, study: Study) -> None:
    assert "No analysis yet" in text_of(page.get(PAGE))
    assert page.get(f"{PAGE}outcome/").status_code == 200
    assert page.get(f"{PAGE}use/", PATIENT).status_code == 302


def test_only_researchers_with_a_token_against_forgery_change_rules(
    study: Study, run: AnalysisRun, researcher: User
) -> None:
    address = f"{PAGE}use/"
    sent = {**PATIENT, "instead_of": "1"}
    assert "/login/" in Client().post(address, sent)["Location"]
    outsider = Client()
    outsider.force_login(User.objects.create_user("eve", password="pw"))
    assert outsider.post(address, sent).status_code == 403
    forged = Client(enforce_csrf_checks=True)
    forged.force_login(researcher)
    assert forged.post(address, sent).status_code == 403
    assert RuleSet.objects.count() == 1


def test_thresholds_of_a_study_that_is_not_there_are_not_found(page: Client, study: Study) -> None:
    make_study(slug="other")
    assert page.get("/studies/nowhere/thresholds/").status_code == 404

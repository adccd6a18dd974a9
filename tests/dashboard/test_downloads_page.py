"""The page of downloads and the files it leads to."""

import pytest
from django.test import Client

from analysis.models import AnalysisRun
from survey.models import Study
from tests.dashboard.reading import tables_of

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded


def body(answer: object) -> list[str]:
    return b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()  # type: ignore[attr-defined]  # a test client's answer


def test_downloads_offers_each_file_or_says_why_not(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    files = {row[0]: row[1] for row in tables_of(page.get("/studies/small/downloads/"))[0][1:]}
    assert set(files) == {
        "participants.csv", "ratings.csv", "ratings_all.csv", "gold.csv", "ranks.csv",
        "comments.csv", "presentations.csv", "shown_responses.csv", "attention_checks.csv",
        "page_times.csv", "certificate.csv", "codebook.csv", "judge_scores.csv",
        "judge_comparisons.csv", "judge_attempts.csv", "comprehension.csv", "training.csv",
        "waves.csv",
    }  # fmt: skip
    assert files["ranks.csv"].endswith(
        "(not available: the study asks for no ranks and no choices)"
    )


def test_download_of_ratings_holds_the_raters_who_are_kept(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get("/studies/small/downloads/ratings.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="small-1-ratings.csv"'
    lines = body(answer)
    assert lines[0].startswith("participant,scenario,set,model,condition,dimension,rating,gold")
    assert {line.split(",")[0] for line in lines[1:]} == {"ann", "ben", "cat"}


def test_download_with_simulated_names_them(
    page: Client, study: Study, run_with_simulated: AnalysisRun
) -> None:
    lines = body(page.get("/studies/small/downloads/ratings_all.csv?include=simulated"))
    source = lines[0].split(",").index("source")
    assert {line.split(",")[source] for line in lines[1:]} == {"link", "simulated"}


@pytest.mark.parametrize("file", ["ranks.csv", "manage.py", "codebook"])
def test_download_of_a_file_that_is_not_there(
    page: Client, study: Study, run: AnalysisRun, file: str
) -> None:
    assert page.get(f"/studies/small/downloads/{file}").status_code == 404

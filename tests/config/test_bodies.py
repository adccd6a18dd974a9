"""What is too long is refused with a page for whoever sent it."""

import pytest
from django.test import Client

from config.bodies import LARGEST_UPLOAD


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/studies/small/submissions/", "The limit is 50 MB. Nothing was changed."),
        ("/s/small/page/1/", "Please go back and try again."),
    ],
)
def test_page_says_what_to_do_about_a_body_that_is_too_long(path: str, said: str) -> None:
    answer = Client().post(path, CONTENT_LENGTH=str(LARGEST_UPLOAD + 1))
    assert answer.status_code == 413
    assert said in answer.content.decode()


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", ""])
def test_only_files_may_be_large(content_type: str) -> None:
    """JSON of 50 MB, such as [[],[],…], becomes objects of more than a gigabyte."""
    answer = Client().post(
        "/api/studies/small/plan/", CONTENT_LENGTH="3000000", content_type=content_type
    )
    assert answer.status_code == 413
    assert "The limit is 2 MB" in answer.content.decode()

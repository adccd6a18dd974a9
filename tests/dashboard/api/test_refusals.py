"""What the API answers to a refusal: the status of its kind, and its words."""

from typing import Any, NoReturn

import pytest
from django import forms
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from config.refusal_codes import CODES
from dashboard.api.refusals import checked
from survey.files.problems import DefinitionError, Problem
from survey.prolific.errors import ProlificError
from survey.refusals import RefusalKind, RequestRefused


class Asked(APIView):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    renamed = {"reward": "reward_cents"}
    why = RequestRefused("")

    def post(self, request: Request) -> NoReturn:
        raise self.why


def answer_to(why: RequestRefused) -> tuple[int, Any]:
    answer = Asked.as_view(why=why)(APIRequestFactory().post("/"))
    return answer.status_code, answer.data


def refused(words: str, kind: RefusalKind, about: str = "") -> RequestRefused:
    why = RequestRefused(words)
    why.kind, why.about = kind, about
    return why


@pytest.mark.parametrize("kind", RefusalKind)
def test_status_is_that_of_the_kind(kind: RefusalKind) -> None:
    said = {"detail": "no analysis yet. Nothing was changed."}
    assert answer_to(refused("no analysis yet", kind)) == (CODES[kind].status, said)


@pytest.mark.parametrize(("about", "field"), [("role", "role"), ("reward", "reward_cents")])
def test_words_are_under_the_field_of_the_api(about: str, field: str) -> None:
    status, said = answer_to(refused("king is none", RefusalKind.BAD_INPUT, about))
    assert (status, said) == (400, {field: ["king is none", "Nothing was changed."]})


def test_problems_of_a_file_are_listed() -> None:
    problems = [Problem("a.csv", 2, 0, "no number"), Problem("a.csv", 3, 0, "no name")]
    status, said = answer_to(DefinitionError(problems))
    assert (status, said) == (400, {"file": [*map(str, problems), "Nothing was changed."]})


@pytest.mark.parametrize(
    ("may_have_happened", "after"),
    [
        (False, "Nothing was changed."),
        (True, "Whether it was done is not known: look again. Nothing is done twice."),
    ],
)
def test_error_of_prolific_says_what_may_have_happened_and_no_ids(
    may_have_happened: bool, after: str
) -> None:
    why = ProlificError(f"Prolific has no {'0a' * 12}.")
    why.may_have_happened = may_have_happened  # as the client says after several attempts
    assert answer_to(why) == (400, {"detail": f"Prolific has no …. {after}"})


class Pay(forms.Form):
    """A page's form that the API fills in."""

    reward = forms.IntegerField()

    def clean(self) -> None:
        raise forms.ValidationError("Nothing is paid here.")


def test_problems_of_a_form_are_by_field_of_the_api_or_about_the_whole() -> None:
    with pytest.raises(ValidationError) as refused:
        checked(Pay({}), renamed={"reward": "reward_cents"})
    assert refused.value.detail == {
        "reward_cents": ["This field is required."],
        "detail": ["Nothing is paid here."],
    }

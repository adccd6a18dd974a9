"""What a refusal says, to pages and to programs."""

import pytest

from config.refusal_codes import CODES
from survey.refusals import NOTHING_CHANGED, RefusalKind, RequestRefused


class NotRead(RequestRefused):
    unchanged = ""


@pytest.mark.parametrize(
    ("why", "sentences", "told"),
    [
        (
            RequestRefused("no study small"),
            f"no study small. {NOTHING_CHANGED}",
            [f"no study small. {NOTHING_CHANGED}"],
        ),
        (
            RequestRefused("There is no judge. Nothing was queued."),
            "There is no judge. Nothing was queued.",
            ["There is no judge. Nothing was queued."],
        ),
        (
            RequestRefused("a.csv, line 2: no\na.csv, line 3: no"),
            f"a.csv, line 2: no. a.csv, line 3: no. {NOTHING_CHANGED}",
            ["a.csv, line 2: no", "a.csv, line 3: no", NOTHING_CHANGED],
        ),
        (NotRead("no study small"), "no study small.", ["no study small."]),
    ],
)
def test_says_why_and_that_nothing_was_changed(
    why: RequestRefused, sentences: str, told: list[str]
) -> None:
    assert (why.sentences, why.told) == (sentences, told)


def test_every_kind_has_its_codes() -> None:
    assert set(CODES) == set(RefusalKind)
    assert [CODES[kind].status for kind in RefusalKind] == [400, 403, 404, 400, 400]
    assert [CODES[kind].exit_code for kind in RefusalKind] == [1, 1, 1, 1, 75]

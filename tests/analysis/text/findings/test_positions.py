"""What is said of places on the page."""

from typing import Any

from analysis.text.findings import findings
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import FRONT, SHIPPED, about, said, tables
from tests.approved import Approval

CHOICES = [{**FRONT, "dimension": ""}]


def of_test(answer: str, p: float | None, **changes: Any) -> dict[str, Any]:
    row = {**FRONT, "dimension": "", "answer": answer, "set": "all", "pages": 1200, "df": 4}
    return {**row, "chi_squared": 9.1, "p": p, "p_adjusted": p and 2 * p, **changes}


def at(place: int, value: float, answer: str) -> dict[str, Any]:
    keys = {"answer": answer, "set": "all", "response_position": place}
    return {**FRONT, "dimension": "", **keys, "value": value}


def sentences(**made: list[dict[str, Any]]) -> list[str]:
    return said(about(findings(tables(choices=CHOICES, **made), SHIPPED), "Order").sound)


def test_place_that_matters_is_said_with_where_it_does(approved: Approval) -> None:
    shares = [at(1, 0.25, "best"), at(2, 0.15, "best"), at(3, 0.2, "best")]
    tests = [of_test("best", 0.01), of_test("worst", 0.2)]
    approved(sentences(position_tests=tests, position_effects=shares)[0])
    means = [at(1, 2.4, "rank"), at(2, 2.6, "rank")]
    (ranks,) = sentences(position_tests=[of_test("rank", 0.01)], position_effects=means)
    approved(ranks)


def test_test_that_does_not_reject_is_no_proof(approved: Approval) -> None:
    tests = [of_test("worst", 0.03, set="B", pages=1), of_test("rank", None, note="X.")]
    approved(*sentences(position_tests=tests))


def test_who_would_be_first_with_places_evened_is_said(approved: Approval) -> None:
    rows = [
        {**FRONT, "dimension": "", "answer": answer, "model": model, "moves": moves}
        for answer, model, moves in (
            ("best", "Ant", False),
            ("best", "Bee", True),
            ("worst", "Ant", None),
            ("rank", "Ant", True),
        )
    ]
    approved(*sentences(position_conclusions=rows))
    approved(*sentences(position_conclusions=rows[:1]))


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("findings/positions.j2") == []

"""What is said of ratings over the size of the models."""

from typing import Any

from analysis.text.findings import findings
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import FRONT, ITEMS, SHIPPED, about, said, tables
from tests.approved import Approval


def trend(of: str, condition: str, slope: float, reach: float, **more: Any) -> dict[str, Any]:
    interval = {"slope_ci_low": slope - reach, "slope_ci_high": slope + reach}
    row = {**FRONT, "unit": "both", "of": of, "condition": condition, "n_models": 8, "n_sizes": 5}
    return {**row, "slope": slope, **interval, "rho": 0.5, "note": "", **more}


def sentences(*rows: dict[str, Any]) -> list[str]:
    found = findings(tables(items=ITEMS, size_trends=list(rows)), SHIPPED)
    return said(about(found, "Size of the models").sound)


def test_each_condition_and_what_the_second_adds(approved: Approval) -> None:
    approved(
        *sentences(
            trend("mean", "plain", 0.4, 0.2),
            trend("mean", "tuned", -0.1, 0.3, rho=None),
            trend("difference", "tuned", -0.5, 0.1),
        )
    )


def test_trend_without_a_line_is_not_spoken_of() -> None:
    nothing = dict.fromkeys(["slope", "slope_ci_low", "slope_ci_high"])
    row = trend("mean", "plain", 1, 1) | nothing
    found = findings(tables(items=ITEMS, size_trends=[row]), SHIPPED)
    assert not [finding for finding in found if finding.title == "Size of the models"]


def test_every_text_is_said_by_a_test(unsaid: Unsaid) -> None:
    assert unsaid("findings/sizes.j2") == []

"""Census regions: 51 places, each in one of four."""

import pytest

from survey.regions import REGIONS, STATES, region_of


def test_every_state_has_one_region() -> None:
    assert len(STATES) == 51
    assert sorted(STATES.values()) == sorted(code for r in REGIONS.values() for code in r)
    assert {name: len(codes) for name, codes in REGIONS.items()} == {
        "Northeast": 9,
        "Midwest": 12,
        "South": 17,
        "West": 13,
    }


@pytest.mark.parametrize(
    ("state", "region"),
    [
        ("Ohio", "Midwest"),
        ("new york", "Northeast"),
        ("DC", "South"),
        ("wa", "West"),
        (" Texas ", "South"),
        ("Puerto Rico", "Other"),
        ("", ""),
    ],
)
def test_region_of(state: str, region: str) -> None:
    assert region_of(state) == region

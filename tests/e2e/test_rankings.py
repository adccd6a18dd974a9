"""Ranks and the best and the worst: each response has a place of its own, by any hand."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hand import KINDS, Hand, shown_on
from tests.e2e.installation import Installation
from tests.e2e.person import OpenPage, at_block, go_on
from tests.e2e.stored import measurements, ratings
from tests.e2e.studies import open_tasks

# What a browser and its script make of a page: the database behind it cannot matter.
pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def ranking(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_tasks(installation, tmp_path_factory.mktemp("ranking"), "ranking", slug="ranks")


@pytest.fixture(scope="module")
def best_worst(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> str:
    return open_tasks(installation, tmp_path_factory.mktemp("best"), "best-worst", slug="best")


def so_far(page: Page) -> list[str]:
    return page.locator(".so-far li").all_inner_texts()


@pytest.mark.parametrize(
    "kind",
    KINDS,
)
def test_a_rank_taken_from_another_response_leaves_it_without_one_and_says_so(
    installation: Installation, ranking: str, new_page: OpenPage, kind: str
) -> None:
    page = new_page(phone=kind == "touch")
    person = at_block(installation, ranking, page)
    hand, shown = Hand(page, kind, javascript=True), shown_on(page)
    assert so_far(page) == ["–"] * 5
    hand.choose(f"rank-{shown[0]}", "1")
    hand.choose(f"rank-{shown[1]}", "2")
    assert so_far(page) == ["Response 1", "Response 2", "–", "–", "–"]
    hand.choose(f"rank-{shown[2]}", "1")
    if kind == "keyboard":
        page.keyboard.press("Tab")
    status = page.get_by_role("status")
    expect(status).to_have_text("Response 1 has no rank now: another one took it.")
    assert so_far(page) == ["Response 3", "Response 2", "–", "–", "–"]
    expect(page.locator(f"[name=rank-{shown[0]}]:checked")).to_have_count(0)
    hand.choose(f"rank-{shown[3]}", "4")
    hand.choose(f"rank-{shown[4]}", "5")
    if kind == "keyboard":
        page.keyboard.press("Tab")
    expect(status).to_have_text("")
    page.locator(f"label:has(#rank-{shown[0]}-3)").click()
    go_on(page)
    assert [ratings(person)["ranking", "", response][0] for response in shown] == [3, 2, 1, 4, 5]
    # Response 1 had rank 1 and got rank 3: one answer was changed before sending.
    assert measurements(person)["changes"] == 1


def test_arrow_keys_on_their_way_take_no_rank_from_another_response(
    installation: Installation, ranking: str, new_page: OpenPage
) -> None:
    page = new_page()
    at_block(installation, ranking, page)
    hand, shown = Hand(page, "keyboard", javascript=True), shown_on(page)
    for rank, response in enumerate(shown, start=1):  # each passes over all ranks before its own
        hand.choose(f"rank-{response}", str(rank))
    assert so_far(page) == [f"Response {number}" for number in range(1, 6)]
    expect(page.get_by_role("status")).to_have_text("")


def test_the_worst_can_not_stay_the_best(
    installation: Installation, best_worst: str, new_page: OpenPage
) -> None:
    page = new_page()
    person = at_block(installation, best_worst, page)
    hand, shown = Hand(page, "mouse", javascript=True), shown_on(page)
    hand.choose("best", shown[1])
    hand.choose("worst", shown[1])
    expect(page.get_by_role("status")).to_have_text("Choose again: Which response is the warmest?")
    expect(page.locator("[name=best]:checked")).to_have_count(0)
    hand.choose("best", shown[0])
    hand.write("text-why", "It listens.")
    go_on(page)
    assert ratings(person) == {
        ("best_worst", "warmth", shown[0]): (1, 0),
        ("best_worst", "warmth", shown[1]): (-1, 0),
    }


@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no javascript"])
def test_ties_and_the_same_response_twice_are_refused_without_a_script_too(
    installation: Installation, ranking: str, new_page: OpenPage, javascript: bool
) -> None:
    page = new_page(javascript=javascript)
    person = at_block(installation, ranking, page)
    shown = shown_on(page)
    for response in shown:
        page.locator(f"#rank-{response}-1").check()
    go_on(page)
    links = page.get_by_role("alert").get_by_role("link").all_inner_texts()
    if javascript:  # only the last one still has its rank
        assert links == [f"Choose a rank for response {number}" for number in range(1, 5)]
    else:
        assert links == [
            f"Response {number} has rank 1, which another one has" for number in range(2, 6)
        ]
    assert ratings(person) == {}
    page.get_by_role("alert").get_by_role("link").last.click()
    name = page.evaluate("document.activeElement.name")
    assert name == f"rank-{shown[3 if javascript else 4]}"

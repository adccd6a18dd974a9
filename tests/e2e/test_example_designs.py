"""The designs of two other studies, taken in a real browser, exported, and brought back."""

import csv
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from config.processes import ROOT
from survey.files.csv_text import from_text
from tests.e2e.installation import PUBLIC, Installation
from tests.e2e.person import OpenPage, go_on
from tests.e2e.studies import open_design, opening_design

# What a browser makes of pages; test_task_kinds.py exports and imports on every database.
pytestmark = [pytest.mark.e2e, pytest.mark.embedded]

#: The file of each kind of answers.
FILES = {"ratings": "ratings_all.csv", "ranks": "ranks.csv"}


class Clicked(NamedTuple):
    """What somebody gave a response: its text, what was asked, and the answer."""

    text: str
    asked: str
    answer: str


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def texts_of(name: str) -> dict[tuple[str, ...], str]:
    """The text of each response by (scenario, model, condition)."""
    rows = read_csv(ROOT / "examples" / name / "responses.csv")
    return {(r["scenario"], r["model"], r["condition"]): r["response"] for r in rows}


def text_in(row: dict[str, str], texts: dict[tuple[str, ...], str]) -> str:
    return texts[row["scenario"], row["model"], row["condition"]]


def begin(page: Page, address: str) -> None:
    """Arrive and agree. The instructions are open."""
    page.goto(address)
    page.get_by_role("checkbox").check()
    with page.expect_navigation(wait_until="domcontentloaded"):
        page.locator("form", has=page.locator("#agree")).get_by_role("button").first.click()


def export_twice(
    site: Installation, folder: Path, name: str, slug: str, *, answers: str
) -> tuple[Path, Path]:
    """Export, import that into a fresh copy, and export the copy: the folders of both exports."""
    out, again, copy = folder / "out", folder / "again", f"{slug}-copy"
    files = ("--participants", out / "participants.csv", f"--{answers}", out / FILES[answers])
    site.manage_all(
        ("export", slug, "--out", out),
        *opening_design(folder, name, slug=copy),
        ("import_ratings", copy, *files),
        ("export", copy, "--out", again),
        **PUBLIC,
    )
    return out, again


def test_most_and_least_empathetic_of_five_sources(
    installation: Installation,
    new_page: OpenPage,
    tmp_path: Path,
) -> None:
    """On a phone without scripts."""
    slug = open_design(installation, tmp_path, "haleas", slug="haleas")
    page = new_page(phone=True, javascript=False)
    begin(page, f"{installation.url}/s/{slug}/")
    go_on(page)
    clicked = set()
    for number in range(10):
        shown = page.locator("[data-response]").all_text_contents()
        assert len(shown) == 5
        for name, place in (("best", number % 5), ("worst", (number + 2) % 5)):
            page.locator(f"input[name={name}]").nth(place).check()
            clicked.add(Clicked(shown[place], "choice", name))
        go_on(page)
    page.get_by_role("textbox").fill("Plain words,\nno list of tips.")
    go_on(page)
    expect(page.get_by_role("heading", name="Thank you", exact=True)).to_be_visible()

    out, again = export_twice(installation, tmp_path, "haleas", slug, answers="ranks")
    texts = texts_of("haleas")
    ranks = read_csv(out / "ranks.csv")
    assert len(ranks) == 50
    given = {Clicked(text_in(row, texts), "choice", row["choice"]) for row in ranks}
    assert {answer for answer in given if answer.answer} == clicked
    (comment,) = read_csv(out / "comments.csv")
    assert from_text(comment["text"]) == "Plain words,\nno list of tips."
    (person,) = read_csv(out / "participants.csv")
    assert [person[name] for name in ("source", "status", "ending", "device")] == [
        *("link", "completed", "completed", ""),
    ]

    assert (again / "ranks.csv").read_bytes() == (out / "ranks.csv").read_bytes()


def test_two_systems_on_three_dimensions_by_an_invited_rater(
    installation: Installation,
    new_page: OpenPage,
    tmp_path: Path,
) -> None:
    """In Chinese on a desktop; the file of texts is in English."""
    slug = open_design(installation, tmp_path, "liu", slug="liu")
    said = installation.manage("invite", slug, "--count", "1").stdout
    token = said.strip().rpartition("invite=")[2]
    page = new_page()
    page.goto(f"{installation.url}/s/{slug}/?invite={token}")
    with page.expect_navigation(wait_until="domcontentloaded"):
        page.get_by_role("button", name="简体中文", exact=True).click()
    begin(page, page.url)
    go_on(page)
    clicked = set()
    dimensions = ("empathic_resonance", "coherence", "advice")
    for number in range(12):
        assert page.locator("html").get_attribute("lang") == "zh-hans"
        shown = page.locator("[data-response]").all_text_contents()
        for place, text in enumerate(shown):
            questions = page.get_by_role("article").nth(place).get_by_role("group")
            expect(questions).to_have_count(3)
            for index, dimension in enumerate(dimensions):
                value = (number + place + index) % 5 + 1
                questions.nth(index).get_by_role("radio").nth(value - 1).check()
                clicked.add(Clicked(text, dimension, str(value)))
        if number == 3:
            page.get_by_role("textbox").fill("第二条更温暖。")
        go_on(page)
    page.get_by_role("radio").first.check()
    go_on(page)
    assert page.url.endswith(f"/s/{slug}/end/")

    out, again = export_twice(installation, tmp_path, "liu", slug, answers="ratings")
    texts = texts_of("liu")
    ratings = read_csv(out / "ratings_all.csv")
    assert len(ratings) == 72
    assert {Clicked(text_in(r, texts), r["dimension"], r["rating"]) for r in ratings} == clicked
    assert [row["text"] for row in read_csv(out / "comments.csv")] == ["第二条更温暖。"]
    (person,) = read_csv(out / "participants.csv")
    assert [person[name] for name in ("language", "device", "gender")] == [
        *("zh-hans", "desktop", "Woman"),
    ]

    assert (again / "ratings_all.csv").read_bytes() == (out / "ratings_all.csv").read_bytes()

r"""Texts that somebody has read and approved: what is made must be the same, word by word.

They stand in a document for each test file, `approved/<file>.md` beside it, with a section for each
test. After a change of words, one command writes the documents anew, and `git diff` shows what
there is to read:

    .venv/bin/python -m pytest --approve tests/analysis/text tests/dashboard/test_report.py \
        tests/dashboard/test_roles.py tests/examples/test_planted_in_tide.py

With --approve a test passes whatever its texts are: it is for reading, never for `make test`.
"""

import re
from collections.abc import Iterator
from difflib import unified_diff
from html import unescape
from itertools import count
from pathlib import Path
from textwrap import fill

import pytest

WIDTH = 100


class Document:
    """Sections of a file by their headings."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        sections = (section.partition("\n\n") for section in f"\n{text}".split("\n## ")[1:])
        self.sections = {heading: body.strip() for heading, _, body in sections}

    def write(self, headings: list[str]) -> None:
        self.path.parent.mkdir(exist_ok=True)
        text = "\n\n".join(f"## {heading}\n\n{self.sections[heading]}" for heading in headings)
        self.path.write_text(f"{text}\n", encoding="utf-8")


class Approval:
    """Holds texts of one test against the document of its file."""

    def __init__(self, document: Document, test: str, *, approving: bool) -> None:
        self.document, self.test, self.approving = document, test, approving
        self.headings: list[str] = []
        self._numbers = count(2)

    def __call__(self, *paragraphs: str) -> None:
        """Fail, with the difference, unless these paragraphs are those that were approved."""
        heading = f"{self.test} ({next(self._numbers)})" if self.headings else self.test
        self.headings.append(heading)
        made = "\n\n".join(
            fill(text, WIDTH, break_long_words=False, break_on_hyphens=False) for text in paragraphs
        )
        made = made or "(nothing)"
        if self.approving:
            self.document.sections[heading] = made
        approved = self.document.sections.get(heading, "")
        if made != approved:
            lines = unified_diff(approved.split("\n"), made.split("\n"), "approved", "now", n=1)
            pytest.fail(
                "\n".join([f"{self.document.path.name}, {heading}:", *lines])
                + "\nIf it is right as it is now, approve it: pytest --approve "
                + str(self.document.path.parent.parent),
                pytrace=False,
            )


def heading_of(item: pytest.Item) -> str:
    """The name of a test as words."""
    name, _, case = item.name.removeprefix("test_").partition("[")
    words = name.replace("_", " ").capitalize()
    return f"{words}: {case[:-1]}" if case else words


@pytest.fixture(scope="module")
def _document(request: pytest.FixtureRequest) -> Iterator[tuple[Document, list[str]]]:
    """The document of a file of tests, and what of it was asked for, in this order."""
    path = request.path.parent / "approved" / f"{request.path.stem.removeprefix('test_')}.md"
    document, headings = Document(path), list[str]()
    yield document, headings
    if request.config.getoption("--approve") and headings:
        mine = [item for item in request.session.items if item.path == request.path]
        every = {name for name in vars(request.module) if name.startswith("test_")}
        chosen = {getattr(item, "originalname", item.name) for item in mine}
        kept = (
            [] if every <= chosen else [name for name in document.sections if name not in headings]
        )
        document.write([*kept, *headings])


@pytest.fixture
def approved(
    request: pytest.FixtureRequest, _document: tuple[Document, list[str]]
) -> Iterator[Approval]:
    """Compares texts with those of the test that were approved: `approved(text, …)`."""
    document, headings = _document
    approval = Approval(
        document, heading_of(request.node), approving=request.config.getoption("--approve")
    )
    yield approval
    headings += approval.headings


def words_of_report(html: str) -> list[str]:
    """What a report says in short, of methods and of limits, as paragraphs: without the tables, and
    without the versions and digests that every run has of its own.
    """
    main = html.partition("<main>")[2]
    other = re.search(r'<h2 id="(?!in-short|methods|limits)', main)
    found = re.findall(
        r"<(h[234]|p|li)\b[^>]*>(.*?)</\1>", main[: other and other.start()], re.DOTALL
    )
    paragraphs = [
        (tag, " ".join(unescape(re.sub(r"<[^>]+>", "", text)).split())) for tag, text in found
    ]
    signs = {"h2": "=== {} ===", "h3": "--- {} ---", "h4": "{}:", "li": "• {}"}
    return [
        signs.get(tag, "{}").format(text)
        for tag, text in paragraphs
        if not text.startswith("Software.")
    ]

"""Sentences are plain text in templates: a wrong name fails, and values stay as they are."""

from collections.abc import Callable

import pytest
from jinja2 import DictLoader, TemplateSyntaxError, UndefinedError, meta
from markupsafe import Markup

from analysis.catalogue.number_text import NARROW
from analysis.text.cells import Some, plain, rows_of
from analysis.text.sentences import ENVIRONMENT, FOLDER, Sentences
from analysis.versions import sources
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import PAPER, SOUND, cited, tables

TEMPLATES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.j2"))
ROWS = rows_of(
    tables(
        contrasts=[
            {"model": "Ant", "n": 1, "p": 0.004, "difference": 0.0, "note": ""},
            {"model": "a < b  c", "n": 1234, "p": 0.0001, "difference": 0.5, "note": "Only one."},
            {"model": "Bee", "n": 2, "p": None, "difference": -0.5, "note": "not estimable: X."},
        ]
    ),
    "contrasts",
)
FIRST, SECOND, THIRD = ROWS
words = Sentences("words.j2")

Say = Callable[..., Markup]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Say:
    """Says a text that a researcher might write, of a row."""

    def said(text: str, **values: object) -> Markup:
        own = DictLoader({"own.j2": f"{{% macro own(row) %}}{text}{{% endmacro %}}"})
        monkeypatch.setattr(ENVIRONMENT, "loader", own)
        return Sentences("own.j2")("own", **values)

    return said


def test_cell_is_its_text_or_a_number_that_leads_to_it(say: Say) -> None:
    sentence = say("{{ row.model }}: {{ row.p|p }}, {{ row['n']|count('rater') }}", row=FIRST)
    assert plain(sentence) == f"Ant: p{NARROW}={NARROW}.004, 1 rater"
    assert cited(sentence) == [(".004", "contrasts.csv#cell=2,3"), ("1", "contrasts.csv#cell=2,2")]


def test_number_is_compared_by_its_value(say: Say) -> None:
    text = "{% if row.p < 0.01 and row.n == 1 %}clear{% endif %}"
    assert [say(text, row=row) for row in (FIRST, SECOND)] == ["clear", ""]


def test_line_breaks_are_spaces_and_values_keep_theirs(say: Say) -> None:
    sentence = say(
        "\n  At p < .05\n  {% if row.n %}\n  {{ row.model }}\n  {% endif %}\n", row=SECOND
    )
    assert sentence == "At p &lt; .05 A &lt; b  c"
    assert plain(sentence) == "At p < .05 A < b  c"


def test_empty_cell_is_a_dash_whatever_its_form(say: Say) -> None:
    assert plain(say("{{ row.p }} {{ row.p|decimals(3) }} {{ row.p|share }}", row=THIRD)) == "– – –"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{ row.estimate }}", "contrasts.csv has no column 'estimate'"),
        ("{{ row.estimate|decimals }}", "contrasts.csv has no column 'estimate'"),
        ("{{ rwo.p }}", "'rwo' is undefined"),
    ],
)
def test_wrong_names_of_values_are_told(say: Say, text: str, says: str) -> None:
    with pytest.raises(UndefinedError, match=says) as raised:
        say(f"Words.\n{text}", row=FIRST)
    assert [entry.lineno + 1 for entry in raised.traceback if entry.name == "template"] == [2]


def test_wrong_names_of_sentences_filters_and_values_given_are_told(say: Say) -> None:
    with pytest.raises(LookupError, match=r"words\.j2 has no sentence 'whi'"):
        words("whi", row=FIRST)
    with pytest.raises(TypeError, match="takes no keyword argument 'rows'"):
        words("why", rows=ROWS)
    with pytest.raises(TemplateSyntaxError, match="No filter named 'rounded'"):
        say("{{ row.p|rounded }}", row=FIRST)


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_name_no_value_that_they_are_not_given(template: str) -> None:
    source = (FOLDER / template).read_text(encoding="utf-8")
    found = meta.find_undeclared_variables(ENVIRONMENT.parse(source, template))
    assert found <= ENVIRONMENT.globals.keys()


def test_digest_of_what_made_a_report_is_of_its_words_too() -> None:
    assert {FOLDER / template for template in TEMPLATES} <= set(sources())


def test_words_that_sentences_share() -> None:
    assert plain(words("interval", low=1, high=2, recipe=SOUND)) == f"95{NARROW}% interval 1 to 2"
    assert [plain(words("units", recipe=each)) for each in (PAPER, SOUND)] == ["ratings", "raters"]
    apart = [plain(words("points_apart", difference=row.cite("difference"))) for row in ROWS]
    assert apart == [
        "exactly as high (difference 0.00) as",
        "0.50 points higher than",
        "0.50 points lower than",
    ]
    why = [plain(words("why", row=row)) for row in ROWS]
    assert why == ["not estimable", "not estimable (Only one)", "not estimable: X"]
    names = [str(n) for n in range(9)]
    named = [plain(words("named", names=names[:n])) for n in (0, 2, 9)]
    assert named == ["", ": 0, 1", ""]
    some = Some(ROWS[:1], ROWS, "note")
    assert plain(words("untested", rows=some)) == "; not estimable for 1"


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("words.j2") == []

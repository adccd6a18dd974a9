"""Wrong study files are refused with the line and column of what is wrong."""

import time
from pathlib import Path

import pytest

from survey.definition import StudyDefinition
from survey.files.problems import DefinitionError
from survey.files.yaml_file import YamlFile
from tests.survey import small_study


def problems_of(text: str | bytes) -> list[str]:
    def read() -> StudyDefinition:
        yaml = YamlFile(text.encode() if isinstance(text, str) else text, file="study.yaml")
        return yaml.check(StudyDefinition, yaml.plain())

    with pytest.raises(DefinitionError) as caught:
        read()
    return [str(problem) for problem in caught.value.problems]


def line_of(text: str) -> int:
    lines = small_study.YAML.splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def changed(old: str, new: str) -> str:
    assert small_study.YAML.count(old) == 1
    return small_study.YAML.replace(old, new)


def test_a_good_file_is_read_whole() -> None:
    definition = small_study.definition()
    assert definition.slug == "small"
    assert definition.rated.values == [1, 2, 3]
    assert definition.sets == {"1": ["Ant"], "2": ["Bee"]}
    assert definition.attention_checks[0].after_blocks == (1, 3)


def test_unknown_key_is_named_with_its_place() -> None:
    text = changed("title: A small study", "title: A small study\ntitel: A typo")
    assert problems_of(text) == [
        "study.yaml, line 3, column 1: titel: unknown key; did you mean 'title'?"
    ]


def test_unknown_key_deep_inside_is_named_with_its_place() -> None:
    text = changed("{value: 2, label: Somewhat}", "{value: 2, label: Somewhat, colour: red}")
    line = line_of("label: Somewhat")
    assert problems_of(text) == [
        f"study.yaml, line {line}, column 37: tasks.0.scale.1.colour: unknown key"
    ]


def test_missing_key_is_named_at_its_section() -> None:
    text = changed("  thanks: Thank you.\n", "")
    line = line_of("texts:")
    assert problems_of(text) == [f"study.yaml, line {line}, column 1: texts.thanks: is missing"]


def test_every_problem_is_reported_in_file_order() -> None:
    text = changed("estimated_minutes: 5", "estimated_minutes: soon").replace("minimum: 18, ", "")
    found = problems_of(text)
    assert len(found) == 2
    assert "estimated_minutes" in found[0]
    assert "minimum: is missing" in found[1]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("value: 2, label: Somewhat", "value: 1, label: Somewhat", "values must increase"),
        ("label: Somewhat}", "label: Very}", "two points have the same label"),
        ("condition_b: tuned", "condition_b: plain", "must differ"),
        ("condition_b: tuned", "condition_b: other", "'other' is not among the conditions"),
        ("condition_b: tuned\n", "", "together"),
        ("condition: reference}", "condition: oracle}", "is not among the conditions"),
        ("    answer: 2", "    answer: 9", "9 is not a point of the scale"),
        ("after_blocks: [1, 3]", "after_blocks: [3, 1]", "the smaller first"),
        ("name: sex", "name: age", "'age' is repeated"),
        ("name: sex", "name: sigma", "'sigma' is already a column of participants.csv"),
        ("name: sex", "name: active", "'active' is already a column of participants.csv"),
        ("kind: multiple", "kind: single", "several is only for questions of kind multiple"),
        ("[Asian, Black, White]", "[Two or more, White]", "at least two options besides several"),
        ("slug: small", "slug: Not a slug", "small letters a to z, digits and -"),
        ("conditions: [plain, tuned, reference]", "conditions: []", "at least 1 item"),
        ("title: A small study", 'title: ""', "at least 1 character"),
        ("title: A small study", f"title: {'T' * 301}", "at most 300 characters"),
    ],
)
def test_contradictions_are_refused(old: str, new: str, reason: str) -> None:
    found = problems_of(changed(old, new))
    assert len(found) == 1
    assert reason in found[0]


def test_syntax_error_has_its_place() -> None:
    assert problems_of("slug: small\ntitle: [a, b\n")[0].startswith("study.yaml, line 3, column 1")


@pytest.mark.parametrize("nested", ["[" * 5000, "{a: " * 5000, "\n  - " + "- " * 5000])
def test_endless_nesting_is_refused_where_it_begins(nested: str) -> None:
    before = time.process_time()
    (problem,) = problems_of(f"slug: small\ntitle: {nested}")
    assert problem.endswith("more than 50 levels of nesting")
    assert problem.startswith("study.yaml, line ")
    # Reading on to the last bracket took half a minute.
    assert time.process_time() - before < 1


def test_control_character_has_its_place() -> None:
    assert problems_of("slug: small\ntitle: a\x03b\n") == [
        r"study.yaml, line 2, column 9: '\x03' is a control character; remove it"
    ]


def test_key_twice_is_refused() -> None:
    (problem,) = problems_of("slug: a\ntitle: b\nslug: c\n")
    assert problem.startswith("study.yaml, line 3, column 1")
    assert "duplicate key" in problem


def test_wrong_encoding_names_line_and_column() -> None:
    data = small_study.YAML.encode().replace(b"A small study", b"A sm\xe4ll study")
    assert problems_of(data) == [
        "study.yaml, line 2, column 12: byte 0xe4 is not UTF-8; the text seems to be in Latin-1 "
        "(Windows-1252): save it as UTF-8 and try again"
    ]


def test_characters_that_no_database_keeps_are_named_with_their_places() -> None:
    text = small_study.YAML.replace("title: A small study", r'title: "A \0 study"')
    text = text.replace("thanks: Thank you.", r'thanks: "half \ud83d"')
    reason = r"\0 and halves of a character (\ud800 to \udfff) can't be stored"
    assert problems_of(text) == [
        f"study.yaml, line 2, column 1: title: {reason}",
        f"study.yaml, line {line_of('thanks:')}, column 3: texts.thanks: {reason}",
    ]


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words\n"])
def test_a_file_that_is_no_mapping_is_refused(text: str) -> None:
    assert problems_of(text) == ["study.yaml, line 1, column 1: expected keys and values"]


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"study\.yaml: No such file"):
        YamlFile.read(tmp_path / "study.yaml")


def test_values_are_never_coerced() -> None:
    for written in ('"18"', "１８"):
        (problem,) = problems_of(changed("minimum: 18", f"minimum: {written}"))
        assert problem.endswith("minimum: write 18: with the digits 0 to 9 and without quotes")


def test_literal_that_yaml_reads_as_an_alias_is_to_be_quoted() -> None:
    (problem,) = problems_of("answer: [[*]]\n")
    assert problem.startswith("study.yaml, line 1") and "put a text with * in quotes" in problem

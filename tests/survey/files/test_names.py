"""A name is one name in composed and in decomposed characters."""

import pytest

from survey.definition.responses import parse_responses
from survey.files.names import in_one_form, one_name
from survey.files.problems import DefinitionError
from survey.files.table_file import TableFile
from survey.files.yaml_file import YamlFile
from tests.survey import small_study

COMPOSED, DECOMPOSED = "Zo\u00e9", "Zoe\u0301"


def test_accents_make_no_other_name() -> None:
    assert one_name(DECOMPOSED) == one_name(COMPOSED) == COMPOSED
    assert one_name("Ａ") == "Ａ"  # full-width letters are other letters
    assert in_one_form({DECOMPOSED: [DECOMPOSED, 1, None]}) == {COMPOSED: [COMPOSED, 1, None]}


def test_yaml_is_composed_with_its_places() -> None:
    yaml = YamlFile(f"a: 1\n{DECOMPOSED}: [{DECOMPOSED}]\n".encode(), file="study.yaml")
    assert yaml.plain() == {"a": 1, COMPOSED: [COMPOSED]}
    assert yaml.position((COMPOSED,)) == (2, 1)


def test_name_in_both_forms_is_there_twice() -> None:
    twice = f"{COMPOSED}: 1\n{DECOMPOSED}: 2\n".encode()
    with pytest.raises(DefinitionError, match="line 2"):
        YamlFile(twice, file="study.yaml")
    with pytest.raises(DefinitionError, match="appears twice"):
        TableFile(f"{COMPOSED},{DECOMPOSED}\n1,2\n".encode(), file="t.csv")


def test_responses_have_the_names_of_the_study_and_keep_their_texts() -> None:
    yaml = small_study.YAML.replace("Ant", COMPOSED)
    text = small_study.CSV.replace("Ant", DECOMPOSED).replace("Try again.", DECOMPOSED)
    study = small_study.definition(yaml)
    (first, *_), _ = parse_responses(text.encode(), study, file="responses.csv")
    assert (first.model, first.text) == (COMPOSED, DECOMPOSED)

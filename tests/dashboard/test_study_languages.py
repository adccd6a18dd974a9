"""Study files in several languages: what is missing is named with its line."""

import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from dashboard.design.study_folder import read_folder
from survey.files.problems import DefinitionError
from survey.models import Study
from tests.survey import bilingual_study

pytestmark = pytest.mark.embedded  # what is refused, before anything is written


def problems(folder: Path, old: str, new: str) -> list[str]:
    """What reading the study says once `old` is `new`, without the file's name."""
    assert bilingual_study.YAML.count(old) == 1
    bilingual_study.write(folder, bilingual_study.YAML.replace(old, new))
    with pytest.raises(DefinitionError) as refused:
        read_folder(folder)
    return [str(problem).removeprefix(f"{folder}/") for problem in refused.value.problems]


def test_study_in_two_languages_is_one_definition_for_each(tmp_path: Path) -> None:
    folder = read_folder(bilingual_study.write(tmp_path))
    assert (folder.definition.language, folder.definition.title) == ("en", "A small study")
    [chinese] = folder.translations
    assert (chinese.language, chinese.title) == ("zh-hans", "一项小研究")
    assert folder.definition.tasks[0].scale[1].label == "Very"  # type: ignore[union-attr]
    assert chinese.tasks[0].scale[1].label == "非常"  # type: ignore[union-attr]
    assert chinese.conditions == folder.definition.conditions


def test_text_may_be_the_same_in_every_language(tmp_path: Path) -> None:
    yaml = bilingual_study.YAML.replace("{en: A small study, zh-hans: 一项小研究}", "OK")
    folder = read_folder(bilingual_study.write(tmp_path, yaml))
    assert {folder.definition.title, *(t.title for t in folder.translations)} == {"OK"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "title: {en: A small study, zh-hans: 一项小研究}",
            "title: {en: A small study}",
            "study.yaml, line 3, column 1: title: the text in 'zh-hans' is missing",
        ),
        (
            "label: {en: Very, zh-hans: 非常}",
            "label: {zh-hans: 非常}",
            "study.yaml, line 15, column 20: tasks.0.scale.1.label: the text in 'en' is missing",
        ),
        (
            "question: {en: Why?, zh-hans: 为什么？}",
            'question: {en: Why?, zh-hans: ""}',
            "study.yaml, line 37, column 29: closing.0.question: the text in 'zh-hans' is missing",
        ),
        (
            "language: [en, zh-hans]",
            "language: [en, zh-hans, fr]",
            "study.yaml, line 2, column 1: language: the pages are not translated into 'fr'; "
            "there are en, zh-hans",
        ),
        (
            "language: [en, zh-hans]",
            "language: [en, en, zh-hans]",
            "study.yaml, line 2, column 1: language: language 'en' is repeated",
        ),
        ("language: [en, zh-hans]", "language: []", "study.yaml, line 2, column 1: language: "),
        ("language: [en, zh-hans]", "language: 7", "study.yaml, line 2, column 1: language: "),
        (
            "language: [en, zh-hans]",
            "language: [en, [zh-hans]]",
            "study.yaml, line 2, column 1: language: ",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    found = problems(tmp_path, old, new)
    assert found[0].startswith(said), found


def test_language_that_the_file_does_not_name_is_refused(tmp_path: Path) -> None:
    [problem] = problems(
        tmp_path, "{en: Why?, zh-hans: 为什么？}", "{en: Why?, zh-hans: 为什么？, fr: Pourquoi ?}"
    )
    assert problem == (
        "study.yaml, line 37, column 65: closing.0.question.fr: not one of the study's languages; "
        "they are listed under `language`"
    )


def test_set_may_be_called_as_a_language_is(tmp_path: Path) -> None:
    yaml = bilingual_study.YAML.replace('"1": [Ant]', "en: [Ant]")
    bilingual_study.write(tmp_path, yaml)
    csv = (tmp_path / "responses.csv").read_text(encoding="utf-8")
    (tmp_path / "responses.csv").write_text(re.sub("^(S.),1,", r"\1,en,", csv, flags=re.MULTILINE))
    definition = read_folder(tmp_path).definition
    assert definition.sets == {"en": ["Ant"], "2": ["Bee"]}


def test_options_that_are_the_same_word_in_one_language_are_refused(tmp_path: Path) -> None:
    [problem] = problems(tmp_path, "{en: White, zh-hans: 白人}", "{en: White, zh-hans: 亚裔}")
    assert "option '亚裔' is repeated" in problem


@pytest.mark.django_db
def test_nothing_is_loaded_from_a_file_with_a_missing_text(tmp_path: Path) -> None:
    problems(tmp_path, "zh-hans: 一项小研究", "zh-hant: 一項小研究")
    with pytest.raises(CommandError, match="line 3"):
        call_command("load_study", tmp_path)
    assert not Study.objects.exists()


@pytest.mark.django_db
def test_changed_translation_is_changed_content(tmp_path: Path) -> None:
    first = bilingual_study.load(tmp_path)
    first.participants.create(source="link")
    yaml = bilingual_study.YAML.replace("辛苦了", "谢谢您")
    call_command("load_study", bilingual_study.write(tmp_path, yaml))
    assert [study.version for study in Study.objects.filter(slug="small")] == [2, 1]

"""HEDS 3.0 and the ARR checklist, filled in from a study: each answer with its source."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analysis.models import AnalysisRun
from dashboard.share.datasheet import heds
from dashboard.share.datasheet_files import facts_of
from dashboard.share.heds import BY_NUMBER, FIELDS, Answer, as_form, as_markdown
from survey.models import Study
from tests.survey import small_study

# Made of rows that tests/analysis/test_frames.py reads on every database.
pytestmark = pytest.mark.embedded


def said(**section: Any) -> dict[str, Any]:
    return {"datasheet": section}


def answers(run: AnalysisRun) -> dict[tuple[str, str], Answer]:
    return {(answer.number, answer.criterion): answer for answer in heds(facts_of(run))}


def test_form_has_62_fields_each_once() -> None:
    assert len(FIELDS) == len(BY_NUMBER) == len({field.name for field in FIELDS}) == 62


def test_study_answers_half_of_the_fields_without_being_asked(run: AnalysisRun) -> None:
    found = answers(run)
    sure = {number for (number, _), answer in found.items() if not answer.draft}
    assert len({number for number, _ in found}) >= 30 and len(sure) >= 18
    assert all(answer.source and answer.number in BY_NUMBER for answer in found.values())
    assert found["3.2.1", ""] == Answer("3.2.1", "funnel.csv: remaining", "3")
    assert found["3.3.3.1", ""].chosen == (2, 4)
    assert found["4.3.7", "Warmth"].text == found["4.3.2", "Warmth"].text.partition(": ")[2]
    assert "1.3.1.1" not in {number for number, _ in found}


def test_section_of_study_yaml_answers_what_a_platform_cannot_know(
    run: AnalysisRun, study: Study
) -> None:
    study.settings |= said(
        ethics="Board of Example University, 0000-000",
        contact={"name": "Ada Example"},
        authors_rate=False,
        criteria={"warmth": {"type": "goodness", "aspect": "content", "frame": "input"}},
    )
    study.save()
    run.study.refresh_from_db()
    found = answers(run)
    assert found["5.1", ""].text == "Board of Example University, 0000-000"
    assert found["5.1", ""].source == "study.yaml: datasheet.ethics"
    assert found["1.3.2.1", ""].text == "Ada Example"
    assert (found["3.2.2.4", ""].chosen, found["3.2.2.4", ""].draft) == ((2,), False)
    kinds = [found[number, "Warmth"].chosen for number in ("4.1.1", "4.1.2", "4.1.3")]
    assert kinds == [(2,), (2,), (2,)]


def test_form_stores_texts_and_options_by_criterion() -> None:
    made = json.loads(
        as_form(
            [
                Answer("3.2.1", "", "116"),
                Answer("3.3.1", "", "https://example.org/plan", (1,)),
                Answer("4.3.3", "", "5", criterion="Warmth"),
                Answer("4.3.3", "", "7", criterion="Depth"),
                Answer("4.2.1", "", chosen=(2,), criterion="Depth"),
            ]
        )
    )
    design = "heds-sample_evaluators_design-experimental_design"
    number = made["heds-sample_evaluators_design-evaluators-number_of_evaluators"]
    assert number == {"data": {"": "116"}, "control": {}, "number": "3.2.1"}
    assert made[f"{design}-preregistered-1"]["data"] == {"": True}
    assert made[f"{design}-preregistered-other_text"]["data"] == {"": "https://example.org/plan"}
    size = made["heds-criteria-criterion-response_elicitation-size_of_scale"]
    assert size["data"] == {"Warmth": "5", "Depth": "7"}
    assert made["heds-criteria-criterion"]["control"] == {"Warmth": True, "Depth": False}
    mode = made["heds-criteria-criterion-evaluation_mode-objective_or_subjective-2"]
    assert mode["data"] == {"Depth": True}


def test_markdown_has_every_field_with_source_draft_or_the_key_that_answers_it() -> None:
    text = as_markdown(
        "Mine",
        [Answer("3.2.1", "funnel.csv: remaining", "116"), Answer("2.2", "x", "", (6,), draft=True)],
        {"5.1": "datasheet.ethics"},
    )
    assert re.findall(r"^\*\*([\d.]+) ", text, re.MULTILINE) == list(BY_NUMBER)
    assert "2 of 62 fields are answered from the study, 1 of them as drafts" in text
    assert "**3.2.1 Number of evaluators.** 116 *(funnel.csv: remaining)*" in text
    assert "several sentences *(x; draft, please check)*" in text
    assert "**5.1 Ethics board.** *Open; say it in study.yaml: datasheet.ethics.*" in text


def test_command_writes_three_files(run: AnalysisRun, tmp_path: Path, capsys: Any) -> None:
    for _ in range(2):  # the same again replaces its own files
        call_command("datasheet", "small", out=tmp_path / "sheets")
    names = {path.name for path in (tmp_path / "sheets").iterdir()}
    assert names == {"heds.md", "heds.json", "arr-checklist.md", "datasheet.json"}
    assert re.search(r"HEDS 3.0: \d\d of 62 fields answered, \d+ of them", capsys.readouterr().out)
    checklist = (tmp_path / "sheets" / "arr-checklist.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^- \*\*[A-E]\d ", checklist, re.MULTILINE)) == 18
    assert "**D4 Ethics review.** *Open; say it in study.yaml: datasheet.ethics.*" in checklist


@pytest.mark.django_db
def test_command_refuses_what_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nowhere"):
        call_command("datasheet", "nowhere", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("section", "says"),
    [
        ("criteria: {wormth: {type: goodness}}", "datasheet.criteria.wormth: the study has no "
         "dimension 'wormth'; did you mean 'warmth'?"),
        ("criteria: {warmth: {type: good}}", "datasheet.criteria.warmth.type: "),
        ("ethic: approved", "datasheet.ethic: unknown key; did you mean 'ethics'?"),
        ("experts: perhaps", "datasheet.experts: "),
        ("contact: Ada", "datasheet.contact: "),
        ("ethics: 12", "datasheet.ethics: "),
    ],
)  # fmt: skip
def test_mistakes_name_their_place_and_load_nothing(
    tmp_path: Path, section: str, says: str
) -> None:
    text = small_study.YAML + f"datasheet: {{{section}}}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    before = list(Study.objects.values())
    with pytest.raises(CommandError) as refused:
        call_command("load_study", tmp_path)
    assert says in str(refused.value)
    assert re.search(r"study.yaml, line \d+", str(refused.value))
    assert list(Study.objects.values()) == before

"""`load_study`, `set_study` and `invite` as their users type them."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError

from analysis.labels import labels_of
from analysis.models import RuleSet
from judge.models import Judge
from judge.queries import GoldSource, gold_source
from survey.definition.settings import Prolific
from survey.models import Invitation, Participant, Response, Study, StudyEvent
from tests.dashboard.loading import run, study_folder
from tests.examples import shapes
from tests.survey import small_study
from tests.workbooks import book

EMPATHY = Path(__file__).parents[2] / "examples" / "empathy"
pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return study_folder(tmp_path)


def test_the_example_study_loads_as_a_draft_and_says_what_it_holds() -> None:
    said = run("load_study", EMPATHY)
    assert "empathy@1: loaded as a new draft" in said
    assert "6 scenarios, 24 blocks, 120 responses shown (102 distinct), 17 systems" in said
    address = "http://localhost:8000/s/empathy/"
    lines = said.splitlines()
    texts = f"{EMPATHY / 'study.yaml'}, line 134, column 60: texts.information"
    open_link = "ways_in: No open link beside Prolific: ways_in has prolific and link."
    assert open_link in lines[0] and lines[0].startswith("Notice: ")
    assert lines[1].startswith(f"Not ready to open: {texts}: Placeholder: “Example University”, ")
    assert lines[6] == "  Compares fine_tuned against zero_shot, within each of 8 models"
    assert lines[7] == (
        "  102 responses in English (en), the language of the pages; set responses_language to say "
        "otherwise"
    )
    assert lines[8:12] == [
        f"  Prolific:   {address}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        f"  Open link:  {address}",
        f"  Preview:    {address}?preview&version=1",
        "  Personal:   manage.py invite empathy --count N",
    ]
    study = Study.objects.get()
    assert study.state == "draft"
    codes = Prolific.model_validate(study.settings["prolific"]).codes
    assert lines[13] == "  Codes to enter on Prolific:"
    assert [line.split()[-1] for line in lines[14:19]] == codes
    assert lines[-2:] == [
        "  Try it out: manage.py set_study empathy open --rehearsal",
        "  For real:   manage.py set_study empathy open",
    ]
    judges = Judge.objects.filter(study=study)
    assert [judge.name for judge in judges] == ["llama-4-maverick", "whole-blocks"]
    assert gold_source(study) == GoldSource(judge=judges[0])
    assert RuleSet.objects.get(study=study).version == 1


def test_groups_of_systems_are_named_where_no_model_has_both_conditions(tmp_path: Path) -> None:
    shapes.write(replace(shapes.GROUPS, scenarios=2, raters=1), tmp_path)
    assert (
        "  Compares 1 system in human against the mean of 4 systems in ai: no model has both "
        "conditions\n"
    ) in run("load_study", tmp_path)


def test_responses_may_be_a_workbook(folder: Path) -> None:
    rows = list(csv.reader((folder / "responses.csv").open(newline="")))
    (folder / "responses.xlsx").write_bytes(book(rows))
    with pytest.raises(CommandError, match=r"there are responses\.csv and responses\.xlsx; remove"):
        run("load_study", folder)
    (folder / "responses.csv").unlink()
    said = run("load_study", folder)
    assert "2 scenarios, 4 blocks, 12 responses shown" in said


def test_loading_again_changes_nothing(folder: Path) -> None:
    run("load_study", folder)
    before = list(Response.objects.values_list("pk", "public_id"))
    assert "small@1: unchanged" in run("load_study", folder)
    assert list(Response.objects.values_list("pk", "public_id")) == before
    counts = (Study.objects.count(), Judge.objects.count(), RuleSet.objects.count())
    assert counts == (1, 1, 1)
    assert StudyEvent.objects.count() == 1


def test_responses_may_come_from_elsewhere(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.csv"
    shutil.move(folder / "responses.csv", elsewhere)
    with pytest.raises(CommandError, match=r"responses\.csv: No such file"):
        run("load_study", folder)
    assert "small@1" in run("load_study", folder, "--responses", elsewhere)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("study.yaml", "title:", "titel:", "line 2, column 1: titel: unknown key"),
        ("study.yaml", "answer: 2", "answer: 7", "7 is not a point of the scale"),
        ("study.yaml", "[1, 3]", "[1, 30]", "0.after_blocks: a participant sees 4 blocks"),
        ("study.yaml", "title:", "blocks_per_participant: 5\ntitle:", "the study has 4 blocks"),
        ("study.yaml", "title:", "language: de\ntitle:", "not translated into 'de'; there are en"),
        ("study.yaml", "title:", "language: []\ntitle:", "language: give a language (en)"),
        (
            "study.yaml",
            "title:",
            "language: [en, en]\ntitle:",
            "language: language 'en' is repeated",
        ),
        ("study.yaml", "title:", "language: {a: b}\ntitle:", "language: give a language (en)"),
        (
            "study.yaml",
            "title: A small study",
            "language: [en, zh-hans]\ntitle: {en: A study}",
            "title: the text in 'zh-hans' is missing",
        ),
        (
            "study.yaml",
            "title: A small study",
            "language: [en, zh-hans]\ntitle: A study\nscreening:\n"
            "  - {name: {en: q, zh-hans: p}, question: Q?, options: [A, B], eligible: [A]}",
            "screening.0.name: is a name, the same in every language",
        ),
        (
            "study.yaml",
            "attention_checks:\n",
            "attention_checks:\n"
            "  - {name: a, kind: in_block, statement: S, answer: 1, in_blocks: [2, 2]}\n"
            "  - {name: b, kind: in_block, statement: S, answer: 1, in_blocks: [2, 2]}\n",
            "attention_checks: checks inside blocks need a block each; widen their ranges",
        ),
        (
            "study.yaml",
            "title:",
            "order: {blocks: balanced, scenarios_together: true}\n"
            "blocks_per_participant: 3\ntitle:",
            "order.blocks: blocks of a scenario can be kept together in a balanced order where",
        ),
        (
            "study.yaml",
            "completion_code: K7PQ2XWM",
            "completion_code: K7PQ2XWM, return_url: 'javascript:alert(1)'",
            "prolific.return_url: is not an address such as https://",
        ),
        ("study.yaml", "completion_code: K7PQ2XWM", "code: C1", "prolific.code: unknown key"),
        ("study.yaml", "ways_in: [prolific", "ways_in: [carrier pigeon", "ways_in.0"),
        ("study.yaml", "title:", "quality: {order: [none]}\ntitle:", "quality.order"),
        (
            "study.yaml",
            "title:",
            "judging: {judges: [{replicates: 0}]}\ntitle:",
            "judging.judges.0.replicates",
        ),
        *(
            ("study.yaml", "title:", f"labels: {labels}\ntitle:", f"line 2, column {message}")
            for labels, message in (
                (
                    "{conditions: {tunde: T}}",
                    "23: labels.conditions.tunde: the study has no condition 'tunde'; did you mean "
                    "'tuned'?",
                ),
                (
                    "{sets: {3: Third}}",
                    "17: labels.sets.3: the study has no set '3'; there are 1, 2",
                ),
                ("{rules: {speed: S}}", "18: labels.rules.speed: the study has no rule 'speed'"),
                ("{colours: {a: A}}", "10: labels.colours: unknown key"),
                (
                    "{conditions: {plain: A, tuned: a}}",
                    "33: labels.conditions.tuned: 'a' is the label of 'plain' already",
                ),
                (
                    "{conditions: {plain: Tuned}}",
                    "23: labels.conditions.plain: 'Tuned' is the usual label of 'tuned': give that "
                    "one a label, too",
                ),
                ("{models: {Ant: ' '}}", "19: labels.models.Ant: String should have at least 1"),
                (
                    f"{{models: {{Ant: {'a' * 61}}}}}",
                    "19: labels.models.Ant: String should have at most 60",
                ),
                (
                    '{models: {Ant: "two\\nlines"}}',
                    "19: labels.models.Ant: a label is one line of text",
                ),
                ("{scenarios: {S1: All}}", "22: labels.scenarios.S1: a label can't be 'All'"),
            )
        ),
        ("responses.csv", "Ant,plain,Try", ",plain,Try", "line 2: model is empty"),
        ("responses.csv", "Ant,plain,Try", "Bee,plain,Try", "must not have 'Bee' (plain)"),
    ],
)
def test_a_bad_file_is_named_with_its_place_and_changes_nothing(
    folder: Path, file: str, old: str, new: str, message: str
) -> None:
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(CommandError) as caught:
        run("load_study", folder)
    assert "Nothing was loaded." in str(caught.value)
    assert f"{path}, line " in str(caught.value)
    assert message in str(caught.value)
    assert not Study.objects.exists()


def test_labels_change_while_a_study_runs_and_are_recorded(folder: Path) -> None:
    run("load_study", folder)
    path = folder / "study.yaml"
    path.write_text(path.read_text() + "labels: {conditions: {tuned: Fine-tuned}}\n")
    assert "small@1: content unchanged; updated: settings" in run("load_study", folder)
    study = Study.objects.get()
    assert study.settings["labels"]["conditions"] == {"tuned": "Fine-tuned"}
    assert labels_of(study).text("conditions", "tuned") == "Fine-tuned"
    assert StudyEvent.objects.filter(action="settings").count() == 1


def test_study_that_was_loaded_before_there_were_labels_is_unchanged(folder: Path) -> None:
    run("load_study", folder)
    study = Study.objects.get()
    del study.settings["labels"]
    study.save()
    assert "small@1: unchanged" in run("load_study", folder)
    labels = labels_of(study)
    assert [labels.text("conditions", name) for name in ("plain", "reference", "all")] == [
        "Plain",
        "Reference",
        "All conditions",
    ]
    assert (labels.a, labels.b) == ("Plain", "Tuned")
    assert labels.text("rules", "sigma_mae") == "Low variance and far from gold"


def test_every_section_is_checked_at_once(folder: Path) -> None:
    path = folder / "study.yaml"
    path.write_text(path.read_text() + "judging: {gold: nobody}\nquality: {nonsense: 1}\n")
    with pytest.raises(CommandError) as caught:
        run("load_study", folder)
    assert "judging.gold: 'nobody' is not among the judges" in str(caught.value)
    assert "quality.nonsense" in str(caught.value)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is not a folder"):
        run("load_study", tmp_path / "nothing")


def test_set_study_moves_a_study(folder: Path) -> None:
    run("load_study", folder)
    assert run("set_study", "small", "paused") == "small@1 is now paused\n"
    assert run("set_study", "small@1", "paused") == "small@1 is already paused\n"
    assert Study.objects.get().state == "paused"


def test_set_study_refuses_what_it_cannot_do(folder: Path) -> None:
    run("load_study", folder)
    with pytest.raises(CommandError, match="invalid choice: 'ajar'"):
        run("set_study", "small", "ajar")
    with pytest.raises(CommandError, match="there is no study 'large'; studies here: small@1"):
        run("set_study", "large", "open")


def test_invite_prints_one_link_per_person(folder: Path) -> None:
    run("load_study", folder)
    links = run("invite", "small", "--count", 3).split()
    tokens = {link.partition("?invite=")[2] for link in links}
    assert tokens == set(Invitation.objects.values_list("token", flat=True))
    assert len(tokens) == 3


def test_invite_refuses_a_study_without_invitations(folder: Path) -> None:
    path = folder / "study.yaml"
    path.write_text(path.read_text().replace("[prolific, invitation]", "[prolific]"))
    run("load_study", folder)
    with pytest.raises(CommandError, match="does not admit invitations"):
        run("invite", "small")
    for count in (0, 10**14):
        with pytest.raises(CommandError, match="--count must be from 1 to 100000"):
            run("invite", "small", "--count", count)
    with pytest.raises(CommandError, match="--label may have at most 200 characters"):
        run("invite", "small", "--label", "x" * 201)
    assert not Invitation.objects.exists()
    assert not Participant.objects.exists()


def test_a_judge_for_a_study_without_ratings_is_refused(folder: Path) -> None:
    path = folder / "study.yaml"
    settings = path.read_text().partition("ways_in:")
    path.write_text(small_study.CHOICES_YAML + "".join(settings[1:]) + "judging: {}\n")
    with pytest.raises(
        CommandError, match="judging: the study has no ratings that a judge could give"
    ):
        run("load_study", folder)
    path.write_text(small_study.CHOICES_YAML + "".join(settings[1:]))
    assert "small@1: loaded as a new draft" in run("load_study", folder)
    assert not Judge.objects.exists()


def test_every_language_of_a_study_is_loaded(folder: Path) -> None:
    path = folder / "study.yaml"
    settings = path.read_text().partition("ways_in:")
    path.write_text(small_study.EVERYTHING_YAML + "".join(settings[1:]))
    run("load_study", folder)
    study = Study.objects.get()
    assert study.definition["closing"][0]["question"] == "And now?"
    assert list(study.translations) == ["zh-hans"]
    assert study.translations["zh-hans"]["closing"][0]["question"] == "现在呢？"
    # the second load finds the same content, translations included
    assert "unchanged" in run("load_study", folder)


def test_formula_that_cannot_be_shown_is_noticed_where_formulas_are_wanted(folder: Path) -> None:
    file, study = folder / "responses.csv", folder / "study.yaml"
    with file.open(encoding="utf-8", newline="") as opened:
        header, *rows = csv.reader(opened)
    rows[1][header.index("response")] = r"So \(x^2\) and \(\frac{1\) and \( alone"
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([header, *rows])
    said = (
        f"Notice: {file}:3: LaTeX of 1 response can't be shown as a formula and stays as written, "
        r"such as '\\(\\frac{1\\)'"
    )
    assert said not in run("load_study", folder)
    study.write_text(study.read_text(encoding="utf-8") + "latex: true\n", encoding="utf-8")
    assert said in run("load_study", folder)

"""`load_study`, `set_study` and `invite` as their users type them."""

import csv
import json
import shutil
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from analysis.labels import labels_of
from analysis.models import RecipeSet, RuleSet
from analysis.recipe import FOLDER, Recipe
from analysis.recipe_sets import recipes_of
from judge.models import Judge
from judge.queries import GoldSource, gold_source
from survey.definition.settings import Prolific
from survey.models import Invitation, Participant, Response, Study, StudyEvent
from tests.survey import small_study
from tests.workbooks import book

EMPATHY = Path(__file__).parents[2] / "examples" / "empathy"
pytestmark = pytest.mark.django_db


def run(*args: object) -> str:
    out = StringIO()
    call_command(*map(str, args), stdout=out)
    return out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study folder that can be spoiled."""
    (tmp_path / "study.yaml").write_text(
        small_study.YAML
        + "ways_in: [prolific, invitation]\nprolific: {completion_code: K7PQ2XWM}\n"
    )
    (tmp_path / "responses.csv").write_text(small_study.CSV)
    return tmp_path


def test_the_example_study_loads_as_a_draft_and_says_what_it_holds() -> None:
    said = run("load_study", EMPATHY)
    assert "empathy@1: loaded as a new draft" in said
    assert "6 scenarios, 24 blocks, 120 responses shown (102 distinct), 17 systems" in said
    address = "http://localhost:8000/s/empathy/"
    lines = said.splitlines()
    texts = f"{EMPATHY / 'study.yaml'}, line 131, column 60: texts.information"
    assert lines[0].startswith(f"Not ready to open: {texts}: Placeholder: “Example University”, ")
    assert lines[5:9] == [
        f"  Prolific:   {address}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        f"  Open link:  {address}",
        f"  Preview:    {address}?preview&version=1",
        "  Personal:   manage.py invite empathy --count N",
    ]
    study = Study.objects.get()
    assert study.state == "draft"
    codes = Prolific.model_validate(study.settings["prolific"]).codes
    assert lines[10] == "  Codes to enter on Prolific:"
    assert [line.split()[-1] for line in lines[11:16]] == codes
    assert lines[-2:] == [
        "  Try it out: manage.py set_study empathy open --rehearsal",
        "  For real:   manage.py set_study empathy open",
    ]
    judges = Judge.objects.filter(study=study)
    assert [judge.name for judge in judges] == ["llama-4-maverick", "whole-blocks"]
    assert gold_source(study) == GoldSource(judge=judges[0])
    assert RuleSet.objects.get(study=study).version == 1


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


def test_study_without_recipes_of_its_own_has_the_shipped_ones(folder: Path) -> None:
    run("load_study", folder)
    assert [recipe.name for recipe in recipes_of(RecipeSet.objects.get())] == ["paper", "sound"]


def test_recipes_of_the_folder_join_the_shipped_ones_or_take_their_place(folder: Path) -> None:
    sound = (FOLDER / "sound.yaml").read_text()
    write_recipe(folder, "careful", sound.replace("name: sound", "name: careful"))
    write_recipe(folder, "sound", sound.replace("resamples: 2000", "resamples: 5000"))
    run("load_study", folder)
    recipes = recipes_of(RecipeSet.objects.get())
    assert [recipe.name for recipe in recipes] == ["paper", "sound", "careful"]
    assert [recipe.bootstrap and recipe.bootstrap.resamples for recipe in recipes] == [
        None,
        5000,
        2000,
    ]


def test_changed_recipe_becomes_another_version_beside_the_same_content(folder: Path) -> None:
    run("load_study", folder)
    sound = (FOLDER / "sound.yaml").read_text()
    write_recipe(folder, "sound", sound.replace("seed: 1", "seed: 2"))
    assert "small@1: content unchanged; updated: recipes" in run("load_study", folder)
    assert [s.version for s in RecipeSet.objects.all()] == [1, 2]
    assert "small@1: unchanged" in run("load_study", folder)


def test_mistakes_in_recipes_are_named_together_with_those_of_the_study(folder: Path) -> None:
    sound = (FOLDER / "sound.yaml").read_text()
    write_recipe(folder, "mine", sound)
    write_recipe(folder, "sound", sound.replace("unit: participant", "unit: person"))
    study = folder / "study.yaml"
    study.write_text(study.read_text() + "colour: blue\n")
    with pytest.raises(CommandError) as refused:
        run("load_study", folder)
    said = str(refused.value).replace(f"{folder}/", "").splitlines()
    assert said[0] == "Nothing was loaded."
    assert [line.split(": ", 1)[0] for line in said[1:]] == [
        "recipes/mine.yaml, line 5, column 1",
        "recipes/sound.yaml, line 9, column 1",
        f"study.yaml, line {len(study.read_text().splitlines())}, column 1",
    ]
    assert "the recipe of this file is called mine" in said[1]
    assert not Study.objects.exists()
    assert not RecipeSet.objects.exists()


def write_recipe(folder: Path, name: str, text: str) -> None:
    (folder / "recipes").mkdir(exist_ok=True)
    (folder / "recipes" / f"{name}.yaml").write_text(text)


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
        ("responses.csv", "Try again.", "", "line 2: response is empty"),
        ("responses.csv", "Ant,plain,Try", "Bee,plain,Try", "lacks a response of 'Ant' (plain)"),
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
    with pytest.raises(CommandError, match="at least 1"):
        run("invite", "small", "--count", 0)
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


def test_what_prolifics_rules_object_to_is_a_notice_and_no_error(folder: Path) -> None:
    said = run("load_study", folder).splitlines()
    notices = [line for line in said if line.startswith("Notice: ") and "quality" not in line]
    assert [notice.split(": ")[1] for notice in notices] == [
        "Enough attention checks",
        "A way back for every ending",
        "A way back for every ending",
        "Use of AI is ruled out in words",
    ]
    assert notices[1].endswith("set prolific.declined_code.")
    assert "small@1: loaded as a new draft" in said


@pytest.mark.parametrize(
    ("file", "old", "new", "notice"),
    [
        (
            "responses.csv",
            "S1,2,I failed.,Oracle,reference,Failing hurts.",
            "S1,2,I failed.,Oracle,reference,It hurts.",
            "line 7: Reference: It has different texts in the sets of 1 scenario",
        ),
        (
            "responses.csv",
            "Everybody fails.",
            "Try again.",
            "line 5: Identical responses: 1 text is the same for several systems",
        ),
        (
            "responses.csv",
            "Time heals.",
            "As ChatGPT I heal.",
            "line 8: Blinding: 1 response names “ChatGPT”",
        ),
        (
            "study.yaml",
            "title: A small study",
            "title: Is Bee kind?",
            "line 2, column 1: title: Blinding: “Bee” names a model",
        ),
        (
            "study.yaml",
            "How old are you?",
            "What is your name?",
            "column 5: demographics.0: No questions about identity: “your name” seems to ask",
        ),
        (
            "study.yaml",
            "title:",
            "quality: {sigma_mae: {sigma_below: 1.6}}\ntitle:",
            "line 2, column 23: quality.sigma_mae.sigma_below: on a scale from 1 to 3 no standard",
        ),
    ],
)
def test_what_could_spoil_the_study_is_a_notice_with_its_place(
    folder: Path, file: str, old: str, new: str, notice: str
) -> None:
    path = folder / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    said = run("load_study", folder)
    (found,) = [line for line in said.splitlines() if notice in line]
    assert found.startswith(f"Notice: {path}, line ")
    assert "small@1: loaded as a new draft" in said


@pytest.mark.parametrize(
    ("section", "updated"),
    [
        ("quality: {order: [attention]}", "filter rules"),
        ("judging: {judges: [{replicates: 2}]}", "judges"),
        ("withdrawal_key_days: 7", "settings"),
        ("withdrawal_key_days: 7\nquality: {order: []}", "settings and filter rules"),
        (
            "withdrawal_key_days: 7\njudging: {budget: {requests: 2}}\nquality: {order: []}",
            "settings, judges and filter rules",
        ),
    ],
)
def test_what_was_updated_is_said_where_the_content_is_the_same(
    folder: Path, section: str, updated: str
) -> None:
    run("load_study", folder)
    path = folder / "study.yaml"
    path.write_text(f"{path.read_text()}{section}\n")
    assert f"small@1: content unchanged; updated: {updated}\n" in run("load_study", folder)
    assert "small@1: unchanged\n" in run("load_study", folder)


def notices_of_rules(folder: Path, old: str = "", new: str = "") -> list[str]:
    path = folder / "study.yaml"
    path.write_text(path.read_text().replace(old, new, 1))
    return [line for line in run("load_study", folder).splitlines() if "quality" in line]


@pytest.mark.parametrize(
    ("minutes", "quality", "window"),
    [
        (9, "", "less than 10 or more than 75"),
        (76, "", "less than 10 or more than 75"),
        (
            20,
            "quality: {duration_minutes: {minimum: 1.5, maximum: 15}}\n",
            "than 1.5 or more than 15",
        ),
    ],
)
def test_study_that_takes_another_time_than_its_filter_allows_is_told_what_to_set(
    folder: Path, minutes: int, quality: str, window: str
) -> None:
    (notice,) = notices_of_rules(
        folder, "estimated_minutes: 5", f"{quality}estimated_minutes: {minutes}"
    )
    assert notice.startswith(f"Notice: {folder / 'study.yaml'}, line ")
    assert f"estimated_minutes: the study takes {minutes} minutes, but the rule" in notice
    assert f"{window}: change quality.duration_minutes, or remove" in notice


@pytest.mark.parametrize(
    "change",
    [
        "estimated_minutes: 10",
        "estimated_minutes: 75",
        "quality: {order: [attention]}\nestimated_minutes: 5",
        "quality: {duration_minutes: {minimum: 1}}\nestimated_minutes: 5",
    ],
)
def test_study_that_takes_what_its_filter_allows_gets_no_notice(folder: Path, change: str) -> None:
    assert notices_of_rules(folder, "estimated_minutes: 5", change) == []


def test_rule_about_ratings_is_noticed_where_there_are_none(folder: Path) -> None:
    path = folder / "study.yaml"
    settings = path.read_text().partition("ways_in:")
    quality = "quality:\n  order: [early_exit, sigma_mae]\n"
    path.write_text(small_study.CHOICES_YAML + "".join(settings[1:]) + quality)
    line = path.read_text().splitlines().index("  order: [early_exit, sigma_mae]") + 1
    (notice,) = notices_of_rules(folder)
    assert notice == (
        f"Notice: {path}, line {line}, column 3: quality.order: the study asks for no ratings, "
        "so the rule `sigma_mae` excludes nobody: remove it from quality.order"
    )
    assert notices_of_rules(folder, "[early_exit, sigma_mae]", "[early_exit]") == []
    without = notices_of_rules(folder, "quality:\n  order: [early_exit]\n")
    assert not any("sigma_mae" in notice for notice in without)


def test_recipe_about_a_column_that_nobody_has_is_noticed(folder: Path) -> None:
    file = folder / "recipes" / "mine.yaml"
    file.parent.mkdir()
    file.write_text("name: mine\ntitle: Mine\nunit: participant\nanova: [region, reigon]\n")
    (notice,) = [line for line in run("load_study", folder).splitlines() if "mine.yaml" in line]
    assert notice == (
        f"Notice: {file}, line 4, column 17: anova.1: raters have no column 'reigon', so nobody is "
        "in any of its groups"
    )


def test_answer_that_a_recipe_misspells_is_noticed(folder: Path) -> None:
    groups = "{sex: {column: sex, a: {label: w, values: [Femal]}, b: {label: m, others: true}}}"
    write_recipe(folder, "mine", f"name: mine\ntitle: Mine\nunit: participant\ngroups: {groups}\n")
    (notice,) = [line for line in run("load_study", folder).splitlines() if "mine.yaml" in line]
    assert notice.startswith(f"Notice: {folder / 'recipes' / 'mine.yaml'}, line 4, column ")
    assert notice.endswith(
        "groups.sex.a.values.0: group 'w': 'Femal' is no answer to the question sex: its options "
        "are Female, Male"
    )


def test_answer_that_no_group_of_a_shipped_recipe_knows_is_noticed(folder: Path) -> None:
    path = folder / "study.yaml"
    assert "in no group" not in run("load_study", folder)
    path.write_text(path.read_text().replace("name: sex", "name: gender"))
    notices = [line for line in run("load_study", folder).splitlines() if "in no group" in line]
    assert [notice.split(": ", 2)[2] for notice in notices] == [
        "groups.gender: 'Female' and 'Male', which the question gender offers, are in no group: "
        "the tests do not include people who choose them. Add them to a group, or to left_out, in "
        f"a copy of this file at {folder / 'recipes' / name}.yaml"
        for name in ("paper", "sound")
    ]


def on_a_slider(folder: Path) -> None:
    """Its ratings are from 0 to 100."""
    path = folder / "study.yaml"
    settings = path.read_text().partition("ways_in:")
    dimensions = "[{name: warmth, question: How warm is it?}]"
    slider = f"  - {{kind: slider, left: Not at all, right: Fully, dimensions: {dimensions}}}\n"
    path.write_text(small_study.with_tasks(slider) + "".join(settings[1:]))


def test_shipped_recipes_fit_a_slider_too(folder: Path) -> None:
    on_a_slider(folder)
    said = run("load_study", folder)
    assert "margins." not in said and ".yaml, line" not in said.replace("study.yaml, line", "")


def test_margin_that_means_nothing_on_the_scale_is_refused_with_its_line(folder: Path) -> None:
    run("load_study", folder)
    on_a_slider(folder)
    given = "name: sound\ntitle: Mine\nunit: participant\nmargins: {reference: 5, groups: 0.5}\n"
    write_recipe(folder, "sound", given)
    with pytest.raises(CommandError) as refused:
        run("load_study", folder)
    assert str(refused.value).splitlines()[1:] == [
        f"{folder / 'recipes' / 'sound.yaml'}, line 4, column 25: margins.groups: a margin of 0.5 "
        "on a scale from 0 to 100 is 0.5 % of the scale's length; it has to be 1 to 50 %: set it "
        "in points of this scale, or in percent with given_in: percent"
    ]
    assert Study.objects.get().definition["tasks"][0]["kind"] == "likert"
    write_recipe(folder, "sound", given.replace("0.5", "50"))
    assert "margins" not in run("load_study", folder)


def test_ordinal_model_of_a_slider_is_noticed(folder: Path) -> None:
    on_a_slider(folder)
    models = "mixed_models: {links: [probit]}"
    write_recipe(folder, "mine", f"name: mine\ntitle: Mine\nunit: participant\n{models}\n")
    (notice,) = [line for line in run("load_study", folder).splitlines() if "mine.yaml" in line]
    assert "line 4, column 24: mixed_models.links.0: an ordinal model of a slider has" in notice


def test_stored_recipes_that_were_shipped_for_five_points_follow_a_slider_after_an_upgrade(
    folder: Path,
) -> None:
    run("load_study", folder)
    on_a_slider(folder)
    write_recipe(folder, "mine", "name: mine\ntitle: Mine\nunit: participant\n")
    run("load_study", folder)
    newest = RecipeSet.objects.last()
    assert newest is not None
    now = list(newest.recipes)
    before = [json.loads(text) for text in now]
    before[1] |= {"margins": {"reference": 0.25, "groups": 0.25}}
    before[1] |= {"mixed_models": {"links": ["probit"]}}
    newest.recipes = [json.dumps(recipe) for recipe in before]
    newest.save()
    upgrade = import_module("analysis.migrations.0003_recipes_by_scale").follow_the_scale
    for _ in range(2):  # the second time there is nothing to do
        upgrade(apps, None)
        assert RecipeSet.objects.count() == newest.version + 1
    upgraded = RecipeSet.objects.get(version=newest.version + 1)
    paper, sound, mine = recipes_of(upgraded)
    assert [paper, sound, mine] == [Recipe.model_validate_json(text) for text in now]


def test_stored_recipes_keep_their_tests_within_conditions_of_scenarios_after_an_upgrade(
    folder: Path,
) -> None:
    shipped = (FOLDER / "paper.yaml").read_text()
    write_recipe(folder, "paper", f"{shipped}\nconditions_in_scenarios: true\n")
    run("load_study", folder)
    now = RecipeSet.objects.get()
    before = [json.loads(text) for text in now.recipes]
    for recipe in before:
        del recipe["conditions_in_scenarios"]
    stored = [json.dumps(recipe, ensure_ascii=False, separators=(",", ":")) for recipe in before]
    RecipeSet.objects.update(recipes=stored)
    module = import_module("analysis.migrations.0005_conditions_in_scenarios")
    module.keep_the_tests(apps, None)
    upgraded = RecipeSet.objects.get()
    assert upgraded.recipes[0] == now.recipes[0]
    assert all(recipe.conditions_in_scenarios for recipe in recipes_of(upgraded) if recipe.groups)


def test_recipe_that_could_not_be_chosen_is_refused(folder: Path) -> None:
    write_recipe(folder, "both", "name: both\ntitle: Both\nunit: rating\n")
    with pytest.raises(CommandError) as refused:
        run("load_study", folder)
    assert str(refused.value).replace(f"{folder}/", "").splitlines()[1:] == [
        "recipes/both.yaml, line 1, column 1: name: both stands for paper and sound where a recipe "
        "is chosen: call it something else"
    ]


@pytest.mark.parametrize("ending", ["yml", "YAML"])
def test_recipe_in_a_file_of_another_ending_is_refused(folder: Path, ending: str) -> None:
    write_recipe(folder, "mine", "name: mine\ntitle: Mine\nunit: rating\n")
    file = folder / "recipes" / "mine.yaml"
    file.rename(file.with_suffix(f".{ending}"))
    with pytest.raises(CommandError) as refused:
        run("load_study", folder)
    assert str(refused.value).replace(f"{folder}/", "").splitlines()[1:] == [
        f"recipes/mine.{ending}: recipes are files *.yaml: call it mine.yaml"
    ]

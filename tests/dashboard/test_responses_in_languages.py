"""A study of 14 systems that answer in English, Chinese or Arabic, as each scenario asks."""

from pathlib import Path

import pytest

from analysis.execution import finished_run
from analysis.judges.automatic_metrics import OTHER_LANGUAGES
from analysis.models import ComputedMetric, MetricValue
from analysis.rule_sets import current_rule_set, rules_of
from dashboard.design.study_folder import load_folder, read_folder
from dashboard.share.datasheet import heds
from dashboard.share.datasheet_files import facts_of
from dashboard.share.materials import write_materials
from dashboard.shared.stored_tables import StoredTable
from survey.models import Study
from survey.text_languages import languages_in_words
from survey.tidy import counted_sources
from tests.dashboard.loading import run
from tests.survey import small_study

# What is computed from files: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.embedded]

SYSTEMS = [(f"Model {n}", condition) for n in range(1, 8) for condition in ("plain", "tuned")]
ANSWERS = {
    "en": "You should rest. I understand that it hurts.",
    "zh": "你应该好好休息。我能理解你的难过。",
    "ar": "يجب أن ترتاحَ قليلًا. أفهمُ أنّ هذا مؤلم.",
}
HEADER = "scenario,prompt,model,condition,response"


def rows(answers: dict[str, str] = ANSWERS) -> str:
    lines = [
        f"{language},{text},{model},{condition},{text}"
        for language, text in answers.items()
        for model, condition in SYSTEMS
    ]
    return "\n".join([HEADER, *lines]) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    yaml = small_study.YAML.replace("reference: {model: Oracle, condition: reference}\n", "")
    yaml = yaml.replace('sets:\n  "1": [Ant]\n  "2": [Bee]\n', "systems_per_page: 2\n")
    yaml = yaml.replace("tuned, reference]", "tuned]").replace(
        "blocks: balanced, scenarios_together: true", "blocks: random"
    )
    (tmp_path / "study.yaml").write_text(yaml + "ways_in: [link]\nshare: {responses: true}\n")
    (tmp_path / "responses.csv").write_text(rows(), encoding="utf-8")
    return tmp_path


def values(metric: str) -> dict[str, set[float | None]]:
    """The values of a metric by the scenario, which is called as its language."""
    found: dict[str, set[float | None]] = {language: set() for language in ANSWERS}
    of = MetricValue.objects.filter(metric__name=metric)
    for scenario, value in of.values_list("response__scenario__name", "value"):
        found[scenario].add(value)
    return found


def table(name: str) -> list[dict[str, object]]:
    study = Study.objects.get()
    results = finished_run(study=study, sources=counted_sources()).results
    return StoredTable.from_content(results.get(kind="table", name=name).content).rows


def test_loading_says_how_many_responses_are_in_which_language(folder: Path) -> None:
    assert (
        "  14 responses in Arabic (ar), by their script; 14 responses in English (en), the "
        "language of the pages; 14 responses in Chinese (zh), by their script; set "
        "responses_language to say otherwise\n"
    ) in run("load_study", folder)
    with (folder / "study.yaml").open("a") as file:
        file.write("responses_language: fr\n")
    assert "  42 responses in French (fr), as stated\n" in run("load_study", folder)


def test_a_wrong_language_is_named_and_loads_nothing(folder: Path) -> None:
    with (folder / "study.yaml").open("a") as file:
        file.write("responses_language: Chinese\n")
    with pytest.raises(
        Exception, match=r"line \d+, column \d+: responses_language: 'Chinese' is not the tag of a"
    ):
        run("load_study", folder)
    assert not Study.objects.exists()


def test_each_text_is_measured_in_its_language_or_not_at_all(folder: Path) -> None:
    run("load_study", folder)
    said = run("metrics", "small")
    assert "14 responses in Chinese (zh), by their script\n" in said
    assert (
        "flesch_reading_ease: 14 of 42 responses have a value (not available for Arabic (ar): the "
        "formula is for English; not available for Chinese (zh): the formula is for English)\n"
    ) in said
    assert (
        "prescriptive_markers: 28 of 42 responses have a value (not available for Arabic (ar): "
        "there is no list of its words)\n"
    ) in said
    assert "words: 42 of 42 responses have a value\n" in said
    assert values("words") == {"en": {8}, "zh": {15}, "ar": {8}}
    assert values("prescriptive_markers") == {"en": {100 / 8}, "zh": {100 / 15}, "ar": {None}}
    assert values("advice_to_empathy") == {"en": {0.6}, "zh": {0.6}, "ar": {None}}
    assert values("flesch_reading_ease")["zh"] == values("flesch_reading_ease")["ar"] == {None}


def test_the_analysis_says_what_was_done_for_which_language(folder: Path) -> None:
    run("load_study", folder)
    run("metrics", "small", "--metric", "affective_markers", "--metric", "words")
    sources = {str(row["metric"]): row for row in table("metric_sources")}
    assert sources["affective_markers"]["languages"] == (
        "14 responses in Arabic (ar), by their script (not available: there is no list of its "
        "words); 14 responses in English (en), the language of the pages; 14 responses in Chinese "
        "(zh), by their script"
    )
    means = {str(row["metric"]): row for row in table("metric_means")}
    assert (means["affective_markers"]["n"], means["words"]["n"]) == (2, 3)
    assert means["affective_markers"]["note"] == (
        "not available for Arabic (ar): there is no list of its words (1 of 3 responses)"
    )
    assert means["words"]["note"] == ""
    run_ = finished_run(study=Study.objects.get(), sources=counted_sources())
    answers = {answer.number: answer.text for answer in heds(facts_of(run_))}
    assert answers["2.5"] == "The language codes are en, zh and ar."


def test_metrics_of_an_earlier_version_are_out_of_date_where_it_took_another_language(
    folder: Path,
) -> None:
    run("load_study", folder)
    run("metrics", "small", "--metric", "words")
    computed = ComputedMetric.objects.get()
    del computed.recorded["languages"]  # all texts were measured as English
    computed.save()
    (row,) = table("metric_sources")
    assert row["note"] == OTHER_LANGUAGES
    assert table("metric_means") == []


def test_metrics_are_out_of_date_once_another_language_is_stated(folder: Path) -> None:
    run("load_study", folder)
    run("metrics", "small", "--metric", "words")
    assert table("metric_sources")[0]["note"] == ""
    lines = (folder / "responses.csv").read_text(encoding="utf-8").splitlines()
    stated = [f"{line},{'fa' if line.startswith('ar') else ''}" for line in lines[1:]]
    text = "\n".join([f"{lines[0]},responses_language", *stated])
    (folder / "responses.csv").write_text(text, encoding="utf-8")
    assert "small@1: content unchanged; updated: settings" in run("load_study", folder)
    assert table("metric_sources")[0]["note"] == OTHER_LANGUAGES


@pytest.mark.parametrize("how", ["column", "setting", "not stated"])
def test_others_load_the_study_with_the_same_languages(
    folder: Path, tmp_path: Path, how: str
) -> None:
    if how == "column":
        lines = rows().splitlines()
        stated = [f"{line},{'fa' if line.startswith('ar') else ''}" for line in lines[1:]]
        text = "\n".join([f"{HEADER},responses_language", *stated])
        (folder / "responses.csv").write_text(text, encoding="utf-8")
    if how == "setting":
        with (folder / "study.yaml").open("a") as file:
            file.write("responses_language: 'no'\n")
    study = load_folder(read_folder(folder)).study
    ours = languages_in_words(study)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    write_materials(study, rules_of(current_rule_set(study)), theirs)
    header = (theirs / "responses.csv").read_text(encoding="utf-8").splitlines()[0]
    assert ("responses_language" in header) == (how == "column")
    study.delete()
    assert languages_in_words(load_folder(read_folder(theirs)).study) == ours

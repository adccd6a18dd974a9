"""The example studies: both files hold, and our own responses are complete and our own."""

import csv
from collections import Counter
from pathlib import Path

import pytest
from pandas import DataFrame

from analysis.metrics import score
from analysis.quality_rules import QualityRules
from judge.definition import JudgingDefinition
from survey.assignment import Layout, plan_survey
from survey.definition import ResponseRow, StudyDefinition, read_responses
from survey.definition.codes import with_codes, with_new_codes
from survey.definition.language import in_language, languages_of
from survey.definition.policy import findings
from survey.definition.questions import ChoiceQuestion
from survey.definition.settings import ENDINGS, Settings
from survey.definition.text_language import TextLanguage, language_of
from survey.files.yaml_file import YamlFile
from tests.analysis import published_study
from tests.conftest import published_file

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
STUDIES = ["empathy", "tide"]
NOT_FROZEN = (*Settings.model_fields, "judging", "quality")
TIDY_COLUMNS = {"age", "sex", "gender", "race", "hispanic", "education", "employment", "state"}


def study(slug: str, language: str | None = None) -> StudyDefinition:
    """The study's definition, in its main language."""
    file = YamlFile.read(EXAMPLES / slug / "study.yaml")
    plain = file.plain(without=NOT_FROZEN)
    languages = languages_of(plain)
    code = language or languages[0]
    value = in_language(plain, code, languages) | {"language": code}
    return file.check(StudyDefinition, value)


def settings_of(slug: str) -> Settings:
    file = YamlFile.read(EXAMPLES / slug / "study.yaml")
    given = {key: file.section(key) for key in Settings.model_fields if key in file.root}
    return file.check(Settings, given)


def loaded_settings_of(slug: str) -> Settings:
    """With the random codes that loading draws where they are needed."""
    return with_codes(settings_of(slug), study(slug), with_new_codes({}))


def rows_of(slug: str) -> list[ResponseRow]:
    found, notices = read_responses(EXAMPLES / slug / "responses.csv", study(slug))
    assert notices == []
    return found


@pytest.fixture
def rows() -> list[ResponseRow]:
    return rows_of("empathy")


@pytest.mark.parametrize("slug", STUDIES)
class TestStudyFile:
    def test_is_valid_and_named_like_its_folder(self, slug: str) -> None:
        assert study(slug).slug == slug

    def test_admits_prolific_an_open_link_and_invitations(self, slug: str) -> None:
        settings = settings_of(slug)
        assert settings.ways_in == ["prolific", "link", "invitation"]
        assert settings.lacks_codes  # so loading draws random ones

    def test_asks_its_judge_three_times(self, slug: str) -> None:
        file = YamlFile.read(EXAMPLES / slug / "study.yaml")
        judging = file.check(JudgingDefinition, file.section("judging"), under=("judging",))
        assert judging.contradictions(study(slug)) == []
        assert judging.gold_name == "llama-4-maverick"
        assert judging.judges[0].replicates == 3

    def test_filters_raters_as_published(self, slug: str) -> None:
        file = YamlFile.read(EXAMPLES / slug / "study.yaml")
        rules = file.check(QualityRules, file.section("quality"), under=("quality",))
        assert rules.order == ["duration", "attention", "early_exit", "sigma_mae"]
        assert (rules.duration_minutes.minimum, rules.duration_minutes.maximum) == (10, 75)
        assert rules.attention.failures_allowed == 0
        assert (rules.sigma_mae.sigma_below, rules.sigma_mae.mae_above) == (0.6, 0.9)

    def test_rates_empathy_from_one_to_five(self, slug: str) -> None:
        likert = study(slug).rated
        assert [d.name for d in likert.dimensions] == ["empathy"]
        assert [point.value for point in likert.scale] == [1, 2, 3, 4, 5]
        assert likert.scale[0].label == "Not empathetic at all"
        assert likert.scale[-1].label == "Extremely empathetic"

    def test_attention_checks_name_the_answer_they_want(self, slug: str) -> None:
        definition = study(slug)
        for check in definition.attention_checks:
            named = [p.value for p in definition.rated.scale if p.label in check.statement]
            assert named == [check.answer]

    def test_asks_exactly_the_tidy_demographic_columns(self, slug: str) -> None:
        assert {question.name for question in study(slug).demographics} == TIDY_COLUMNS

    def test_several_races_count_as_two_or_more(self, slug: str) -> None:
        (race,) = (q for q in study(slug).demographics if q.name == "race")
        assert isinstance(race, ChoiceQuestion)
        assert (race.kind, race.several) == ("multiple", "Two or more races")
        assert race.categories[-2:] == ["Two or more races", "Other/Unknown"]
        assert "Two or more races" not in race.offered

    def test_names_where_to_find_help_and_whom_to_ask(self, slug: str) -> None:
        texts = study(slug).texts
        assert isinstance(texts.help, str)
        assert "988lifeline.org" in texts.help
        assert "research-team@example.org" in texts.information


def test_the_published_study_keeps_its_random_order_and_its_one_check() -> None:
    definition = study("tide")
    assert (definition.order.responses, definition.order.blocks) == ("random", "random")
    assert [check.kind for check in definition.attention_checks] == ["item"]


def test_the_published_study_screens_as_ours_does() -> None:
    assert study("tide").screening == study("empathy").screening


def changes_of(slug: str, *, prompts: list[str]) -> list[str]:
    """The rules by which the policy page would have something changed."""
    file = YamlFile.read(EXAMPLES / slug / "study.yaml")
    languages = languages_of(file.plain(without=NOT_FROZEN))
    found = findings(
        study(slug),
        loaded_settings_of(slug),
        translations=[study(slug, language) for language in languages[1:]],
        prompts=prompts,
    )
    return [finding.rule for finding in found if finding.state == "change"]


@pytest.mark.parametrize("slug", ["empathy", "haleas", "liu"])
def test_our_own_examples_do_what_we_ask_of_others(slug: str) -> None:
    prompts = [text for row in rows_of(slug) for text in (row.prompt, row.context)]
    assert changes_of(slug, prompts=prompts) == []


def test_published_study_says_at_its_head_what_we_would_change_in_it() -> None:
    assert changes_of("tide", prompts=[]) == [
        "Enough attention checks",
        "Sensitive content is announced",
    ]
    head = (EXAMPLES / "tide" / "study.yaml").read_text(encoding="utf-8").partition("slug:")[0]
    for left_so in ("one attention check", "no warning"):
        assert f"# - {left_so}" in head


class TestOwnStudy:
    """`empathy` shows what a study on Prolific is well advised to do."""

    def test_order_is_balanced(self) -> None:
        order = study("empathy").order
        assert (order.responses, order.blocks) == ("balanced", "balanced")

    def test_two_attention_checks_one_of_them_inside_a_block(self) -> None:
        kinds = [check.kind for check in study("empathy").attention_checks]
        assert kinds == ["item", "in_block"]

    def test_people_are_warned_and_screened_as_published(self) -> None:
        definition = study("empathy")
        assert definition.texts.warning is not None
        assert [(q.name, q.eligible) for q in definition.screening] == [
            ("first_language", ["English"]),
            ("residence", ["United States"]),
        ]

    def test_each_ending_that_can_happen_gets_a_code_of_its_own(self) -> None:
        prolific = loaded_settings_of("empathy").prolific
        assert prolific is not None
        codes = {ending: prolific.code(ending) for ending in ENDINGS}
        assert codes.pop("full") is None  # it takes any number of people
        assert codes.pop("failed_comprehension") is None  # it has no comprehension check
        assert None not in codes.values()
        assert len(set(codes.values())) == len(ENDINGS) - 2
        assert prolific.failed_attention_from == 2


class TestHaleas:
    """Five sources without sets; the most and the least empathetic by letter; an open link."""

    def test_ten_questions_with_five_answers_each(self) -> None:
        rows = rows_of("haleas")
        assert Counter(row.block for row in rows) == {(f"Q{n}", ""): 5 for n in range(1, 11)}
        assert Counter(row.condition for row in rows) == {"human": 10, "prompted": 40}
        assert len({row.text for row in rows}) == 50

    def test_asks_for_best_and_worst_and_how_people_chose(self) -> None:
        definition = study("haleas")
        assert [task.kind for task in definition.tasks] == ["best_worst"]
        assert [(task.name, task.required) for task in definition.closing] == [("reasons", False)]
        assert (definition.response_labels, definition.order.responses) == ("letters", "random")
        assert definition.sets is None and definition.rating is None

    def test_one_open_link_is_the_way_in(self) -> None:
        assert settings_of("haleas").ways_in == ["link"]


class TestLiu:
    """A model before and after fine-tuning, on three dimensions, by five invited raters."""

    def test_warns_in_both_languages(self) -> None:
        for language in ("en", "zh-hans"):
            assert study("liu", language).texts.warning is not None

    def test_each_reply_stands_first_two_or_three_times_for_five_raters(self) -> None:
        blocks = {block: [2 * block, 2 * block + 1] for block in range(12)}
        layout = Layout(
            responses=blocks,
            scenarios=[[block] for block in blocks],
            design_seed=1,
            balanced_blocks=True,
            balanced_responses=True,
        )
        plans = [
            plan_survey(layout, [], slot=slot, order_seed=0, first_page=1) for slot in range(5)
        ]
        first = Counter(shown.response_order[0] for plan in plans for shown in plan.blocks)
        assert sorted(first) == list(range(24))
        assert set(first.values()) == {2, 3}

    def test_twelve_dialogues_with_two_replies_and_what_was_said_before(self) -> None:
        rows = rows_of("liu")
        assert Counter(row.block for row in rows) == {(f"D{n:02}", ""): 2 for n in range(1, 13)}
        assert {row.system for row in rows} == {
            ("Willow 1.8B", "base"),
            ("Willow 1.8B", "fine_tuned"),
        }
        assert all(
            row.context.startswith("来访者：") and "\n支持者：" in row.context for row in rows
        )

    @pytest.mark.parametrize("language", ["en", "zh-hans"])
    def test_three_dimensions_from_one_to_five_in_both_languages(self, language: str) -> None:
        definition = study("liu", language)
        rating = definition.rated
        assert rating.values == [1, 2, 3, 4, 5]
        names = [dimension.name for dimension in rating.dimensions]
        assert names == ["empathic_resonance", "coherence", "advice"]
        assert [question.name for question in definition.demographics] == ["gender"]

    def test_nothing_but_names_is_the_same_in_both_languages(self) -> None:
        english, chinese = study("liu", "en"), study("liu", "zh-hans")
        for ours, theirs in zip(english.rated.scale, chinese.rated.scale, strict=True):
            assert ours.label != theirs.label
        assert english.texts.information != chinese.texts.information
        assert (english.condition_a, english.condition_b) == ("base", "fine_tuned")

    def test_replies_are_measured_as_the_chinese_that_they_are(self) -> None:
        rows = rows_of("liu")
        found = {language_of(row.text, pages=["en", "zh-hans"]) for row in rows}
        assert found == {TextLanguage("zh-hans", "script")}
        assert settings_of("liu").responses_language == "zh-hans"
        texts = DataFrame({"text": [row.text for row in rows], "prompt": "", "reference": None})
        texts = texts.assign(response=texts.index, language="zh-hans")
        values = score(texts, ["advice_to_empathy"])["value"]
        means = values.groupby([row.condition for row in rows]).mean()
        assert means.round(2).to_dict() == {"base": 2.63, "fine_tuned": 0.82}

    def test_personal_invitations_are_the_way_in(self) -> None:
        assert settings_of("liu").ways_in == ["invitation"]


class TestOwnResponses:
    def test_six_scenarios_in_four_sets_of_five(self, rows: list[ResponseRow]) -> None:
        expected = {(f"S{s}", f"{i}"): 5 for s in range(1, 7) for i in range(1, 5)}
        assert Counter(row.block for row in rows) == expected

    def test_sixteen_systems_once_a_scenario_and_the_reference_in_every_set(
        self, rows: list[ResponseRow]
    ) -> None:
        definition = study("empathy")
        assert definition.sets is not None and definition.reference is not None
        models = [model for pair in definition.sets.values() for model in pair]
        expected = {(m, c): 6 for m in models for c in ("zero_shot", "fine_tuned")}
        expected[definition.reference.model, definition.reference.condition] = 24
        assert len(set(models)) == 8
        assert Counter(row.system for row in rows) == expected

    def test_only_the_reference_repeats_its_text(self, rows: list[ResponseRow]) -> None:
        texts = {(row.scenario, *row.system): row.text for row in rows}
        assert len(texts) == 102
        assert len(set(texts.values())) == 102
        assert all(row.text == texts[row.scenario, *row.system] for row in rows)

    def test_every_text_is_short_enough_to_read_five_of_on_a_page(
        self, rows: list[ResponseRow]
    ) -> None:
        assert [row.line for row in rows if not 15 <= len(row.text.split()) <= 70] == []

    def test_commas_quotes_and_a_line_break_are_among_the_texts(
        self, rows: list[ResponseRow]
    ) -> None:
        text = "".join(row.text for row in rows)
        assert [mark for mark in ',"\n' if mark not in text] == []

    def test_none_is_in_the_published_study(
        self, rows: list[ResponseRow], published_responses: Path
    ) -> None:
        with published_responses.open(encoding="utf-8", newline="") as file:
            theirs = {
                row[column] for row in csv.DictReader(file) for column in ("prompt", "response")
            }
        assert {row.text for row in rows} & theirs == set()
        assert {row.prompt for row in rows} & theirs == set()


def test_published_responses_have_the_shape_of_those_that_tests_use(
    published_responses: Path, tmp_path: Path
) -> None:
    """So what tests find of the published shape, they would find in the published study."""

    def shape(path: Path) -> list[tuple[str, str, str, str, int]]:
        """The place of each row, and the first row with its text."""
        rows, _ = read_responses(path, study("tide"))
        texts = [row.text for row in rows]
        return [(*row.block, *row.system, texts.index(row.text)) for row in rows]

    published = shape(published_responses)
    assert (len(published), len({first for *_, first in published})) == (120, 102)
    assert shape(published_study.write_responses(tmp_path)) == published


def test_wrong_path_to_the_published_responses_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLISHED_RESPONSES", str(tmp_path / "nowhere.csv"))
    with pytest.raises(pytest.UsageError, match=r"is not a file: .*nowhere\.csv\. Correct"):
        published_file()
    monkeypatch.setenv("PUBLISHED_RESPONSES", "")
    assert published_file() is None

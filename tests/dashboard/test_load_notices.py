"""What `load_study` points out in a study that it loads: what could spoil it, and what changed."""

from pathlib import Path

import pytest

from tests.dashboard.loading import run, study_folder
from tests.survey import small_study

EMPATHY = Path(__file__).parents[2] / "examples" / "empathy"
# What files say: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return study_folder(tmp_path)


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


def notices_of_rules(
    folder: Path, old: str = "", new: str = "", *, by_default: bool = False
) -> list[str]:
    """What is said of the filter: of rules by default, or of all else."""
    path = folder / "study.yaml"
    path.write_text(path.read_text().replace(old, new, 1))
    said = [line for line in run("load_study", folder).splitlines() if "quality" in line]
    return [line for line in said if ("so default rules exclude" in line) == by_default]


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


WINDOW = "who took less than 10 or more than 75 minutes (`duration`)"
CHECKS = "who failed any attention check (`attention`)"
LEFT = (
    "who left before the end (in progress, and inactive for more than 120 minutes) (`early_exit`)"
)
GOLD = (
    "whose gold-scored ratings had σ < 0.6 and at the same time a mean absolute distance to the "
    "gold scores of more than 0.9 (σ = standard deviation, n − 1 in its denominator) (`sigma_mae`)"
)


@pytest.mark.parametrize(
    ("more", "head", "rules"),
    [
        ("", "quality: is missing", [WINDOW, CHECKS, LEFT, GOLD]),
        ("judging: none\n", "quality: is missing", [WINDOW, CHECKS, LEFT]),
        (
            "quality: {attention: {failures_allowed: 1}, sigma_mae: {sigma_below: 0.5}}\n",
            "quality: has no order",
            [WINDOW, LEFT],
        ),
        (
            "quality: {writing: {least_characters: 9}}\n",
            "has no order",
            [WINDOW, CHECKS, LEFT, GOLD],
        ),
    ],
)
def test_rules_that_exclude_though_the_file_names_none_of_them_are_told(
    folder: Path, more: str, head: str, rules: list[str]
) -> None:
    (notice,) = notices_of_rules(folder, "title:", f"{more}title:", by_default=True)
    assert f"{head}, so default rules exclude raters {'; '.join(rules)}. Write those" in notice
    assert "quality.order, with your thresholds; order: [] excludes nobody" in notice


@pytest.mark.parametrize(
    "quality",
    [
        "{order: []}",
        "{order: [duration, sigma_mae]}",
        "{duration_minutes: {}, attention: {}, early_exit: {}, sigma_mae: {}}",
    ],
)
def test_rules_that_the_file_names_are_no_notice(folder: Path, quality: str) -> None:
    new = f"quality: {quality}\ntitle:"
    assert notices_of_rules(folder, "title:", new, by_default=True) == []


def test_default_rule_about_ratings_is_not_told_where_there_are_none(folder: Path) -> None:
    path = folder / "study.yaml"
    settings = path.read_text().partition("ways_in:")
    path.write_text(small_study.CHOICES_YAML + "".join(settings[1:]))
    (notice,) = notices_of_rules(folder, by_default=True)
    assert WINDOW in notice and "sigma_mae" not in notice


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

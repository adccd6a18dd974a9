"""Every table of an analysis is declared, with words for every column, and the file is current."""

import csv
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from analysis import catalogue
from analysis.catalogue.subjects import SECTIONS, SUBJECTS
from analysis.declarations import DOCS, TABLES, as_docs, as_json
from analysis.quality_rules import STEP_LABELS
from survey.definition.labels import Labels
from tests.factories import add_participant, make_study


def meaning(table: str, column: str) -> str:
    return catalogue.table(table).column(column).meaning


def test_file_and_docs_are_what_is_declared() -> None:
    command = "python -m analysis.declarations"
    assert catalogue.FILE.read_text(encoding="utf-8") == as_json(), command
    assert DOCS.read_text(encoding="utf-8") == as_docs(), command


@pytest.mark.parametrize("name", TABLES)
def test_table_says_what_it_answers_and_what_its_columns_mean(name: str) -> None:
    table = TABLES[name]
    assert table.question.endswith("?") and table.observations and table.says
    assert [column.name for column in table.columns if not column.meaning] == []
    assert len(set(table.names)) == len(table.names)


@pytest.mark.parametrize("name", TABLES)
def test_no_text_says_a_or_b_without_saying_what_they_are(name: str) -> None:
    table = TABLES[name].labelled(Labels({"rules": STEP_LABELS}, a="Zero-shot", b="Fine-tuned"))
    texts = [table.title, table.question, table.says, table.counts, table.kept]
    texts += [c.heading for c in table.columns if c.page or c.report or c.latex]
    for text in texts:
        assert "{" not in text
        assert not re.search(r"\ba − b\b|\b(of|to|than) b\b|condition_|sigma_mae", text), text
        if table.sides == "condition":
            assert not re.search(r"\b[Cc]ondition [ab]\b", text), text


@pytest.mark.parametrize("name", TABLES)
def test_differences_of_a_and_b_are_signed_and_so_are_the_ends_of_their_intervals(
    name: str,
) -> None:
    """Sentences turn them round: without it they would say the opposite."""
    table = TABLES[name]
    of = {column.name for column in table.columns if column.label.startswith("{a} minus {b}")}
    assert [n for n in of if not table.is_signed(n)] == []
    assert [c.name for c in table.columns if c.of in of and not table.is_signed(c.name)] == []


def test_cells_and_headings_of_a_table_are_labelled() -> None:
    labels = Labels({"conditions": {"ft": "Fine-tuned"}}, a="Zero-shot", b="Fine-tuned")
    table = catalogue.table("wins", labels)
    assert table.column("mean_a").heading == "Mean of Zero-shot"
    assert [table.column("winner").text(winner) for winner in ("a", "b", "tie")] == [
        "Zero-shot",
        "Fine-tuned",
        "Tie",
    ]
    assert table.column("condition_b").text("ft") == "Fine-tuned"
    assert table.column("scenario").text("all") == "All scenarios"
    assert catalogue.table("to_reference", labels).column("difference").heading == (
        "System minus reference"
    )
    assert catalogue.table("group_tests", labels).column("difference").heading == (
        "Group a minus group b"
    )


def test_names_of_rules_inside_a_text_are_labelled() -> None:
    table = catalogue.table("sensitivity", Labels({"rules": STEP_LABELS}))
    variant = table.column("variant").text
    assert variant("all but early_exit") == "all but “Left early”"
    assert variant("sigma over blocks, ddof 1") == "σ over means of blocks, divided by n − 1"
    assert table.column("what_moves").text("by_raters (sign)") == "difference by raters (sign)"


@pytest.mark.parametrize("name", TABLES)
def test_table_has_its_place(name: str) -> None:
    table = TABLES[name]
    assert table.section in SECTIONS[:-1]
    assert table.subject in {"", *SUBJECTS}


@pytest.mark.parametrize("name", TABLES)
def test_what_belongs_to_a_column_belongs_to_one_of_its_table(name: str) -> None:
    table = TABLES[name]
    for column in table.columns:
        assert {column.of, column.beside, column.behind * column.page} <= {"", *table.names}, (
            column.name
        )


@pytest.mark.parametrize(
    ("table", "column", "says"),
    [
        ("contrasts", "ci_low", "Lower end of the interval"),
        ("wins_tests", "a_wins_high", "Upper end of the interval of a wins"),
        ("order_conclusions", "ci_low_with", "Lower end of the interval: adjusted for order"),
        ("sensitivity", "by_raters_p", "p of that difference by raters"),
        ("funnel", "excluded_prefer_not_to_answer", "of sex: prefer not to answer"),
        ("raters", "participant", "pseudonym"),
        ("mixed_shares", "rating", "Category of the scale"),
        ("paired", "p", "p value, two-sided"),
        (
            "contrasts",
            "p",
            "For raters and for scenarios F is t², and p is that of the two-sided t test",
        ),
        ("alt_test_raters", "p", "one-sided"),
        ("choices", "score", "(best − worst) / shown"),
        ("choices", "best_ci_low", "Lower end of the interval of share best"),
        ("choices", "score_ci_low", "Lower end of the interval of score"),
        ("wins_tests", "a_share_high", "exact"),
        ("agreement_all", "n_items", "for choices, blocks"),
        ("mixed_models", "n_items", "a response in several sets counts once"),
        ("judge_consistency", "kind", "a file or a panel"),
        ("judge_bias", "raters", "every rule except sigma_mae"),
        ("raters", "gold_by", "gold"),
        ("order_conclusions", "what_moves", "Which of the two"),
        ("alt_test_raters", "p_adjusted", "the Benjamini–Yekutieli method over raters"),
        ("group_tests", "p_adjusted", "by Holm's method over the recipe's family"),
        ("win_differences", "p_adjusted", "by Holm's method over all comparisons"),
    ],
)
def test_words_follow_from_name_and_table(table: str, column: str, says: str) -> None:
    assert says in meaning(table, column)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ("anova", "F"),
        ("games_howell", "any two of the groups"),
        ("ranking_tests", "χ²"),
        ("choice_tests", "the statistic"),
        ("position_tests", "χ²"),
        ("thresholds", "Silverman's"),
    ],
)
def test_p_of_a_test_without_two_sides_is_not_said_to_have_them(table: str, what: str) -> None:
    said = meaning(table, "p")
    assert what in said and "two-sided" not in said


@pytest.mark.slow
@pytest.mark.django_db
def test_analysis_writes_a_codebook_without_gaps(tmp_path: Path) -> None:
    study = make_study()
    for name in ("ann", "ben", "cat"):
        add_participant(study, pseudonym=name, demographics={"age": 30, "sex": "Female"})
    call_command("analyze", "small", out=tmp_path / "out", images=False, verbosity=0)
    with (tmp_path / "out" / "codebook.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    written = {path.name for path in (tmp_path / "out").glob("*.csv")} - {"codebook.csv"}
    assert {row["file"] for row in rows} == written | {"*"}
    assert [row for row in rows if not row["meaning"]] == []


def test_tables_of_all_raters_do_not_speak_of_the_included() -> None:
    twins = [table for table in TABLES.values() if table.name.endswith("_all")]
    assert twins
    for table in twins:
        assert "included" not in f"{table.says} {table.counts}", table.name

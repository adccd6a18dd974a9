"""Tables for papers: rounded as papers do, and LaTeX whatever the texts are."""

import re
from collections.abc import Collection, Iterable, Sequence

import pytest

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.text.latex import PLAIN, Words, escaped, latex_table, p_value

#: Columns by name; others are called by their name.
KNOWN = {
    column.name: column
    for column in (
        *c.FRONT, c.P, c.p_holm("models"), c.VALUE, c.MAE,
        *c.interval("difference"), *c.interval("cohen_d", "d_ci"), *c.interval("bias", "limits"),
        *c.interval("share_best", "best_ci"), Column("obtained", "", form="digits"),
        Column("cohen_d", "", label="d"),
    )
}  # fmt: skip


def latex(
    names: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "T",
    apart: tuple[str, ...] = (),
    aside: Collection[str] = (),
    words: Words = PLAIN,
) -> str:
    declared = [KNOWN.get(name, Column(name, "")) for name in names]
    columns = tuple(column.but(part=False, latex=column.name not in aside) for column in declared)
    return latex_table(TableSpec("t", title, columns, apart=apart), names, rows, words=words)


def body(text: str) -> list[list[str]]:
    """The cells of a table's rows, its header first."""
    lines = [line for line in text.splitlines() if line.endswith(r"\\") and "label" not in line]
    return [line.removesuffix(r" \\").split(" & ") for line in lines]


def headings(text: str) -> list[str]:
    """Those of a table, each in one line."""
    stacked = re.compile(r"\\shortstack\[.\]{(.*)}")
    return [stacked.sub(r"\1", head).replace(r"\\", " ") for head in body(text)[0]]


def column(name: str, *values: object) -> list[str]:
    """How the values of a column are shown; a second column keeps it from being left out."""
    rows = [[value, n] for n, value in enumerate(values)]
    return [row[0] for row in body(latex([name, "x"], rows))][1:]


def test_p_values_are_those_of_apa_style() -> None:
    assert [p_value(p) for p in (0.0041, 0.0009, 0.9994)] == [".004", "$<$ .001", "$>$ .999"]


def test_every_column_of_p_values_is_one() -> None:
    assert column("p", 0.0041, 0.2) == [".004", ".200"]
    assert column("p_adjusted", 0.0041, 1.0) == [".004", "$>$ .999"]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((1, 22), ["1", "22"]),
        ((115.0, 5.0), ["115", "5"]),
        ((3.14159, -2.71828), ["3.14", "$-$2.72"]),
        ((0.18249, -0.5), ["0.18", "$-$0.50"]),
        ((1212.4, 0.311), ["1,212.40", "0.31"]),
        ((0.00012, -0.0031), ["0.0001", "$-$0.003"]),
        ((-0.00001, 2.5), ["0.00", "2.50"]),
        ((1.5, None), ["1.50", "--"]),
        ((1.5, float("nan")), ["1.50", "--"]),
        ((True, False), ["yes", "no"]),
        (("", "a"), ["--", "a"]),
    ],
)
def test_numbers_are_rounded_as_in_the_report_and_none_to_zero_for_a_large_one_beside_it(
    values: tuple[object, ...], shown: list[str]
) -> None:
    assert column("mean", *values) == shown


def test_numbers_of_many_kinds_are_rounded_one_by_one() -> None:
    assert column("value", 1138.0, 29.756, 0.9731) == ["1,138", "29.76", "0.97"]
    of_all_kinds = column("obtained", 26, 0.0004321, -0.041623, "tie")
    assert of_all_kinds == ["26", "0.0004321", "$-$0.041623", "tie"]


def test_whether_numbers_are_whole_is_asked_of_the_whole_table() -> None:
    rows = [["sound", 1.0, 1], ["sound", 0.0, 2], ["paper", 0.25, 3], ["paper", 0.5, 4]]
    found = latex(["recipe", "share", "x"], rows, apart=("recipe",))
    assert [row[0] for row in body(found)] == ["Share", "1.00", "0.00", "Share", "0.25", "0.50"]


def test_columns_are_called_what_they_are_called_elsewhere() -> None:
    found = latex(["mae", "p_adjusted"], [[1.5, 0.5], [2.5, 0.4]])
    assert headings(found) == ["MAE", "$p$ (Holm)"]


def test_symbols_are_in_italics_and_names_are_words() -> None:
    names = ["F", "n_a", "p_adjusted", "mean_rank"]
    found = latex(names, [[1, 2, 0.5, 1], [2, 1000, 0.4, 123456789]])
    heads = ["$F$", "$n$ a", r"\shortstack[r]{$p$\\(Holm)}", "Mean rank"]
    assert body(found)[0] == heads


def test_both_ends_of_an_interval_stand_in_one_column() -> None:
    names = ["difference", "ci_low", "ci_high", "d_ci_low", "d_ci_high"]
    rows: list[list[float | None]] = [[1.5, -0.123, 2.5, 0.1, 0.25], [2.0, None, None, 0.2, None]]
    found = latex(names, rows)
    assert body(found) == [
        ["Difference", "CI", "Cohen d CI"],
        ["1.50", "{[}$-$0.12, 2.50]", "{[}0.10, 0.25]"],
        ["2.00", "--", "{[}0.20, --]"],
    ]


def test_a_plain_interval_stands_behind_what_it_encloses_and_others_are_named_after_it() -> None:
    names = ["difference", "p_adjusted", "ci_low", "ci_high", "limits_low", "limits_high"]
    names += ["best", "share_best", "best_ci_low", "best_ci_high"]
    found = latex(names, [[n + 0.5 for n in range(10)]] * 2)
    assert headings(found) == [
        "Difference", "CI", "$p$ (Holm)", "Limits of agreement", "Best", "Share best",
        "Share best CI",
    ]  # fmt: skip


def test_intervals_say_the_level_of_their_recipe() -> None:
    names = ["recipe", "difference", "ci_low", "ci_high"]
    rows = [[recipe, n / 7, n / 8, n / 6] for recipe in ("sound", "wide", "new") for n in (1, 2)]
    words = Words(levels={"sound": 0.95, "wide": 0.995, "": 0.9})
    sound, wide, new = (
        headings(part) for part in latex(names, rows, apart=("recipe",), words=words).split("\n\n")
    )
    assert (sound[1], wide[1], new[1]) == (r"95\,\%~CI", r"99.5\,\%~CI", "CI")
    without = [row[1:] for row in rows]
    assert headings(latex(names[1:], without, words=words))[1] == r"90\,\%~CI"


def test_what_does_not_vary_is_said_in_the_caption() -> None:
    rows = [["sound", "a", 1.5, None], ["sound", "b", 2.5, None]]
    found = latex(["recipe", "model", "mean", "note"], rows)
    assert r"\caption{T (recipe: sound)}" in found
    assert r"\label{tab:t}" in found
    assert body(found) == [["Model", "Mean"], ["a", "1.50"], ["b", "2.50"]]
    assert r"\begin{tabular}{lr}" in found


def test_one_row_keeps_its_columns() -> None:
    found = latex(["recipe", "n"], [["sound", 3]])
    assert body(found) == [["Recipe", "$n$"], ["sound", "3"]]


def test_a_table_without_rows_has_its_header() -> None:
    assert body(latex(["recipe", "n"], [])) == [["Recipe", "$n$"]]


def test_a_long_table_may_run_over_pages() -> None:
    found = latex(["n"], [[n] for n in range(36)])
    assert r"\begin{longtable}{r}" in found
    assert r"\begin{table}" not in found
    assert r"\endhead" in found
    assert "longtable" in found.splitlines()[0]


def test_long_texts_are_set_in_lines() -> None:
    why = "not estimable, because every rater gave the same rating"
    found = latex(["n", "because"], [[1, why], [2, ""]])
    assert r"{r>{\raggedright\arraybackslash}p{145pt}}" in found


def test_notes_stand_below_the_table_under_their_letters() -> None:
    rows = [["a", 1, "too few"], ["b", 2, ""], ["c", 3, "all alike"], ["d", 4, "too few"]]
    found = latex(["model", "n", "note"], rows)
    marked = [r"a\textsuperscript{a}", "b", r"c\textsuperscript{b}", r"d\textsuperscript{a}"]
    assert [row[0] for row in body(found)] == ["Model", *marked]
    assert r"\textsuperscript{a}~too few\par" in found
    assert r"\textsuperscript{b}~all alike\par" in found


def test_one_note_of_all_rows_has_no_letter() -> None:
    found = latex(["model", "note"], [["a", "too few"], ["b", "too few"]])
    assert body(found) == [["Model"], ["a"], ["b"]]
    assert r"\emph{Note.} too few\par" in found


def test_how_to_read_a_table_stands_above_its_notes() -> None:
    words = Words(says="n counts 100 % of raters.")
    of_one = latex(["model", "note"], [["a", "none"], ["b", ""]], words=words)
    assert of_one.index(r"\emph{Note.} n counts 100 \% of raters.\par") < of_one.index("~none")
    of_all = latex(["model", "note"], [["a", "none"], ["b", "none"]], words=words)
    assert "raters.\\par\nnone\\par\n}" in of_all
    assert of_all.count("Note.") == 1


def test_many_notes_have_letters_of_their_own() -> None:
    rows = [[f"m{n}", f"why {n}"] for n in range(28)]
    cells = [row[0] for row in body(latex(["model", "note"], rows))]
    assert cells[26:] == [
        rf"m{n}\textsuperscript{{{letters}}}" for n, letters in ((25, "z"), (26, "aa"), (27, "ab"))
    ]


def test_rows_that_differ_in_what_sets_apart_are_tables_of_their_own() -> None:
    rows = [["sound", "x", 1], ["paper", "x", 2], ["sound", "x", 3]]
    found = latex(
        ["recipe", "unit", "n"],
        rows,
        apart=(
            "recipe",
            "unit",
        ),
    )
    sound, paper = found.split(r"\end{table}")[:2]
    assert r"\caption{T (recipe: sound; unit: x)}" in sound and r"\label{tab:t-sound}" in sound
    assert body(sound) == [["$n$"], ["1"], ["3"]]
    assert r"\caption{T (recipe: paper; unit: x)}" in paper and r"\label{tab:t-paper}" in paper


def test_columns_left_to_the_csv_are_named() -> None:
    found = latex(["n", "p_bh"], [[1, 0.5], [2, 0.25]], aside=["p_bh"])
    assert body(found) == [["$n$"], ["1"], ["2"]]
    assert "% Columns that are in t.csv alone: p_bh." in found


@pytest.mark.parametrize(
    ("columns", "commands", "is_turned"),
    [(6, r"\small", False), (11, r"\scriptsize", False), (16, r"\scriptsize", True)],
)
def test_wide_table_is_set_smaller_and_then_turned(
    columns: int, commands: str, is_turned: bool
) -> None:
    names = [f"x{n}" for n in range(columns)]
    found = latex(names, [[1.23456] * columns, [-1.5] * columns])
    assert commands in found
    assert (r"\begin{landscape}" in found) == is_turned
    assert ("pdflscape" in found.splitlines()[0]) == is_turned


def test_texts_break_where_numbers_need_the_room() -> None:
    names = ["model", *(f"x{n}" for n in range(21))]
    rows = [[f"a model of many words {n}", *[1.23456 * n] * 21] for n in range(3)]
    found = latex(names, rows)
    (width,) = re.findall(r"p\{(\d+)pt\}", found)
    assert 21 * (4 * 4.1 + 6) + 6 + int(width) < 550


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("50 % & more_or #1 $", r"50 \% \& more\_or \#1 \$"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("<b>", r"\textless{}b\textgreater{}"),
        ("a--b ''c,,", "a-{}-b '{}'c,{},"),
        ("line\nend\ttab\x00", "line end tab"),
        ("σ ≥ 1 × 2", r"$\sigma$ $\geq$ 1 $\times$ 2"),
        ("Zürich – “so”", "Zürich – “so”"),
    ],
)
def test_any_text_is_shown_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_cell_is_no_option_of_the_row_above() -> None:
    assert column("x", "[2cm]", "*") == ["{}[2cm]", "{}*"]


def test_hostile_texts_leave_balanced_latex() -> None:
    hostile = '}{\\end{tabular}%$_^~#&<>|"`\n\\\\'
    found = latex([hostile, "b"], [[hostile, 1], ["a", 2]], title=hostile)
    code = "\n".join(line for line in found.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[%&_#${}\\]", "", code)
    assert "%" not in bare
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert {len(row) for row in body(found)} == {2}


def test_other_scripts_are_said_to_need_xelatex() -> None:
    assert "XeLaTeX" in latex(["a"], [["你好"], ["b"]])
    assert "XeLaTeX" not in latex(["a"], [["Zürich – σ"], ["b"]])

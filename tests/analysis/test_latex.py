"""Tables for papers: rounded as papers do, and LaTeX whatever the texts are."""

import re

import pytest

from analysis.latex import escaped, latex_table, p_value


def body(text: str) -> list[list[str]]:
    """The cells of a table's rows, its header first."""
    lines = [line for line in text.splitlines() if line.endswith(r"\\") and "label" not in line]
    return [line.removesuffix(r" \\").split(" & ") for line in lines]


def column(name: str, *values: object) -> list[str]:
    """How the values of a column are shown; a second column keeps it from being left out."""
    rows = [[value, n] for n, value in enumerate(values)]
    return [row[0] for row in body(latex_table("t", "T", [name, "x"], rows))][1:]


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0041, ".004"),
        (0.05, ".050"),
        (0.0009999, "$<$ .001"),
        (0.0, "$<$ .001"),
        (0.9994, "$>$ .999"),
        (1.0, "$>$ .999"),
    ],
)
def test_p_values_are_those_of_apa_style(p: float, shown: str) -> None:
    assert p_value(p) == shown


def test_every_column_of_p_values_is_one() -> None:
    assert column("p", 0.0041, 0.2) == [".004", ".200"]
    assert column("p_adjusted_scenarios", 0.0041, 1.0) == [".004", "$>$ .999"]
    assert column("by_raters_p", 0.0000041, 0.2) == ["$<$ .001", ".200"]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((1, 22), ["1", "22"]),
        ((115.0, 5.0), ["115", "5"]),
        ((3.14159, -2.71828), ["3.14", "$-$2.72"]),
        ((0.18249, -0.5), ["0.182", "$-$0.500"]),
        ((123.456, 1.0), ["123.5", "1.0"]),
        ((2316.4, 1.0), ["2316", "1"]),
        ((-0.00001, 2.5), ["0.00", "2.50"]),
        ((1.5, None), ["1.50", "--"]),
        ((1.5, float("nan")), ["1.50", "--"]),
        ((True, False), ["yes", "no"]),
        (("", "a"), ["--", "a"]),
    ],
)
def test_a_column_has_as_many_decimals_as_its_numbers_need(
    values: tuple[object, ...], shown: list[str]
) -> None:
    assert column("mean", *values) == shown


def test_numbers_of_many_kinds_are_rounded_one_by_one() -> None:
    assert column("value", 1138.0, 29.756, 0.9731) == ["1138", "29.76", "0.973"]
    of_all_kinds = column("obtained", 26, 0.0004321, -0.041623, "tie")
    assert of_all_kinds == ["26", "0.0004321", "$-$0.041623", "tie"]


def test_symbols_are_in_italics_and_names_are_words() -> None:
    names = ["p_adjusted", "F", "n_a", "condition_a", "ci_low"]
    found = latex_table("t", "T", names, [[1, 2, 3, 4, 5], [2, 3, 4, 5, 6]])
    assert body(found)[0] == ["$p$ adjusted", "$F$", "$n$ a", "condition a", "ci low"]


def test_what_does_not_vary_is_said_in_the_caption() -> None:
    rows = [["sound", "a", 1.5, None], ["sound", "b", 2.5, None]]
    found = latex_table("wins_tests", "Who won", ["recipe", "model", "mean", "note"], rows)
    assert r"\caption{Who won (recipe: sound)}" in found
    assert r"\label{tab:wins_tests}" in found
    assert body(found) == [["model", "mean"], ["a", "1.50"], ["b", "2.50"]]
    assert r"\begin{tabular}{lr}" in found


def test_one_row_keeps_its_columns() -> None:
    found = latex_table("t", "T", ["recipe", "n"], [["sound", 3]])
    assert body(found) == [["recipe", "$n$"], ["sound", "3"]]


def test_a_table_without_rows_has_its_header() -> None:
    assert body(latex_table("t", "T", ["recipe", "n"], [])) == [["recipe", "$n$"]]


def test_a_long_table_may_run_over_pages() -> None:
    found = latex_table("t", "T", ["n"], [[n] for n in range(36)])
    assert r"\begin{longtable}{r}" in found
    assert r"\begin{table}" not in found
    assert r"\endhead" in found
    assert "longtable" in found.splitlines()[0]


def test_long_texts_are_set_in_lines() -> None:
    why = "not estimable, because every rater gave the same rating"
    found = latex_table("t", "T", ["n", "note"], [[1, why], [2, ""]])
    assert r"p{4.5cm}" in found


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
    found = latex_table("t", hostile, [hostile, "b"], [[hostile, 1], ["a", 2]])
    code = "\n".join(line for line in found.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[%&_#${}\\]", "", code)
    assert "%" not in bare
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert {len(row) for row in body(found)} == {2}


def test_other_scripts_are_said_to_need_xelatex() -> None:
    assert "XeLaTeX" in latex_table("t", "T", ["a"], [["你好"], ["b"]])
    assert "XeLaTeX" not in latex_table("t", "T", ["a"], [["Zürich – σ"], ["b"]])

"""Which tests of the second shape never take turns."""

from config.processes import ROOT
from tests.statements import SECONDS_PER_STATEMENT, choose, chosen, without_values


def test_statements_about_more_rows_and_values_are_the_same() -> None:
    one = 'INSERT INTO "a" ("x", "y") VALUES (%s, %s) LIMIT 1'
    three = 'INSERT INTO "a" ("x", "y") VALUES (%s, %s), (%s, %s), (%s, %s) LIMIT 21'
    assert without_values(one) == without_values(three)
    assert without_values('SELECT "x" IN (%s, %s, %s)') == without_values('SELECT "x" IN (%s)')
    assert without_values('SAVEPOINT "s139_x2"') == without_values('SAVEPOINT "s140_x17"')
    assert without_values('SELECT "x"') != without_values('SELECT "y"')


def test_cheapest_tests_that_execute_every_statement_are_chosen() -> None:
    tests = {
        "all, slowly": (9.0, {"a", "b", "c"}),
        "two": (0.2, {"a", "b"}),
        "the third": (0.1, {"c"}),
        "one of the two": (0.1, {"a"}),
        "none": (0.0, set[str]()),
    }
    assert choose(tests) == ["two", "the third"]


def test_statement_that_only_a_dear_test_executes_is_left_out() -> None:
    tests = {"cheap": (0.1, {"a"}), "dear": (SECONDS_PER_STATEMENT + 1, {"a", "b"})}
    assert choose(tests) == ["cheap"]


def test_chosen_tests_are_there() -> None:
    """Where one has another name now, change it in statements.txt."""
    gone = []
    for name in chosen():
        path, *_, function = name.partition("[")[0].split("::")
        if f"def {function}(" not in (ROOT / path).read_text(encoding="utf-8"):
            gone.append(name)
    assert chosen() and gone == []

"""responses.csv is checked as blocks before anything is written."""

import csv
import io
import re
from dataclasses import replace

import pytest

from survey.definition.responses import parse_responses
from survey.files.csv_text import csv_lines
from survey.files.problems import DefinitionError
from tests.survey import small_study, wide_study
from tests.survey.small_study import CSV, stating
from tests.workbooks import book

NO_SETS = small_study.YAML.replace('sets:\n  "1": [Ant]\n  "2": [Bee]\n', "")


def problems_of(text: str | bytes, yaml: str = small_study.YAML) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(DefinitionError) as caught:
        parse_responses(data, small_study.definition(yaml), file="responses.csv")
    return [str(problem) for problem in caught.value.problems]


def changed(old: str, new: str) -> str:
    assert CSV.count(old) == 1, old
    return CSV.replace(old, new)


def test_rows_know_their_lines_across_line_breaks() -> None:
    rows = small_study.rows()
    assert len(rows) == 12
    assert [row.line for row in rows[-2:]] == [12, 14]
    assert rows[-2].text == "It is all right\nto grieve."


def test_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    data = b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode()
    rows, _ = parse_responses(data, small_study.definition(), file="responses.csv")
    assert len(rows) == 12


def test_other_columns_are_ignored_with_a_notice() -> None:
    text = "\n".join(
        f"x,{line}" if line[0] == "S" or line[0] == "s" else line for line in CSV.splitlines()
    )
    rows, notices = parse_responses(text.encode(), small_study.definition(), file="responses.csv")
    assert len(rows) == 12
    assert notices == ["responses.csv, line 1: column 'x' is ignored"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (changed("S2,1,I miss her.,Ant,plain,Time heals.",
                 "S2,1,I miss her.,Ant,tuned,Time heals."),
         "line 9: 'Ant' (tuned) already answers scenario 'S2' in set '1' on line 8"),
        (changed("S1,1,I failed.,Ant,plain", "S1,1,,Ant,plain"), "line 2: prompt is empty"),
        (changed("S1,2,I failed.,Bee,plain", "S1,2,I failed.,Bee,raw"),
         "line 5: condition 'raw' is unknown; known are 'plain', 'tuned', 'reference'"),
        (changed("S2,2,I miss her.,Bee,plain", "all,2,I miss her.,Bee,plain"),
         "line 11: a scenario can't be called 'all': tables use the word"),
        (changed("S2,2,I miss her.,Bee,plain", f"S2,2,I miss her.,{'B' * 201},plain"),
         "line 11: model is longer than 200 characters"),
        (changed("S1,2,I failed.,Bee,plain", "S1,9,I failed.,Bee,plain"),
         "line 5: set '9' is unknown; known are '1', '2'"),
        (changed("S1,2,I failed.,Bee,plain", "S1,2,I fell.,Bee,plain"),
         "line 5: the prompt of scenario 'S1' differs from line 2"),
        (changed("S1,2,I failed.,Bee,plain", "S1,2,I failed.,Ant,plain"),
         "line 5: scenario 'S1' in set '2' must not have 'Ant' (plain): see sets"),
        (changed("S1,2,I failed.,Bee,plain", "S1,2,I failed.,bee,plain"),
         "line 5: model 'bee' is unknown; did you mean 'Bee'?"),
        (changed("Try again.", "Try again.,more"), "line 2: 7 cells where the header has 6"),
        (changed("scenario,set,", "scenario,scenario,"), "line 1: column 'scenario' appears twice"),
        (changed(",model,", ",Modell,"),
         "line 1: column 'Modell' is unknown; did you mean 'model'?"),
        (changed(",response", ",output"),
         "line 1: column 'output' is unknown; did you mean 'response'?"),
        (CSV.splitlines()[0] + "\n", "line 1: there are no responses below the header"),
        (changed('"That hurts', '"That "hurts'), "line 3: not valid CSV"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(text: str, problem: str) -> None:
    assert any(found.startswith(f"responses.csv, {problem}") for found in problems_of(text))


def test_equal_problems_are_one_line_with_their_number_and_the_first_place() -> None:
    text = CSV.replace(",plain,", ",Plain,").replace("Ant,Plain,Try again.", ",Plain,Try again.")
    assert problems_of(text) == [
        "responses.csv, line 2: condition 'Plain' is unknown; did you mean 'plain'? "
        "(and 3 more up to line 11)",
        "responses.csv, line 2: model is empty",
    ]


def test_a_row_may_state_the_language_of_its_response() -> None:
    data = stating("zh-Hans", "fr").encode()
    rows, notices = parse_responses(data, small_study.definition(), file="responses.csv")
    assert [row.language for row in rows] == ["zh-hans", "fr", *[""] * 10]
    assert notices == []
    assert problems_of(stating("french")) == [
        "responses.csv, line 2: column 'responses_language': 'french' is not the tag of a "
        "language, such as en or zh-hans; did you mean 'fr'?"
    ]


def test_a_response_in_several_sets_has_one_language() -> None:
    assert problems_of(stating("", "", "en", "", "", "de")) == [
        "responses.csv, line 7: column 'responses_language': the same response has 'de' here and "
        "'en' on line 4"
    ]


@pytest.mark.parametrize("kind", [";", "\t", "xlsx"])
def test_responses_are_the_same_from_every_kind_of_table(kind: str) -> None:
    records = list(csv.reader(io.StringIO(CSV)))
    out = io.StringIO()
    csv.writer(out, delimiter=kind[0]).writerows(records)
    data = book(records) if kind == "xlsx" else out.getvalue().encode()
    rows, notices = parse_responses(data, small_study.definition(), file="r")
    assert [replace(row, line=0) for row in rows] == [
        replace(row, line=0) for row in small_study.rows()
    ]
    assert notices == []


def notices_of(text: str, yaml: str = small_study.YAML) -> list[str]:
    definition = small_study.definition(yaml)
    return parse_responses(text.encode(), definition, file="responses.csv")[1]


def test_missing_response_is_told() -> None:
    gone = "S1,1,I failed.,Ant,plain,Try again.\n"
    said = "responses.csv: scenario 'S1' in set '1' has no response of 'Ant' (plain)"
    assert notices_of(changed(gone, "")) == [said]
    for empty in ("", "   "):
        assert notices_of(changed("Try again.", empty)) == [
            "responses.csv: 1 row has no response and is left out (first: line 2)",
            said,
        ]


def test_rows_that_repeat_a_response_count_once() -> None:
    row = "S1,1,I failed.,Ant,plain,Try again.\n"
    text = changed(row, row * 3)
    rows, notices = parse_responses(text.encode(), small_study.definition(), file="responses.csv")
    assert [(row.block, row.system, row.text) for row in rows] == [
        (row.block, row.system, row.text) for row in small_study.rows()
    ]
    assert notices == [
        "responses.csv: 2 rows repeat the response of an earlier one, word for word, and are left "
        "out (first: line 3)"
    ]


def test_many_missing_responses_are_counted_and_the_first_named() -> None:
    text = re.sub(r"(?m)^S\d,\d,[^,\n]*,Oracle,reference,.*\n", "", CSV)
    assert notices_of(text) == [
        "responses.csv: 4 of 12 responses are missing, in 4 of 4 blocks: "
        "scenario 'S1' in set '1' has no response of 'Oracle' (reference); "
        "scenario 'S1' in set '2' has no response of 'Oracle' (reference); "
        "scenario 'S2' in set '1' has no response of 'Oracle' (reference); and 1 more"
    ]


def test_scenario_may_lack_a_set() -> None:
    text = "\n".join(line for line in CSV.splitlines() if not line.startswith("S1,2"))
    assert notices_of(text) == [
        f"responses.csv: scenario 'S1' in set '2' has no response of {system}"
        for system in ("'Bee' (plain)", "'Bee' (tuned)", "'Oracle' (reference)")
    ]


def test_systems_that_share_hardly_a_scenario_are_told() -> None:
    head = CSV.splitlines()[0]
    models = ["A", "B", "C", "D"]
    kept = [f"S{n},1,I failed {n}.,{model},plain,Text {n}" for n, model in enumerate(models)]
    (counted, little) = notices_of("\n".join([head, *kept]), NO_SETS)
    assert counted.startswith("responses.csv: 12 of 16 responses are missing, in 4 of 4 blocks")
    assert little == (
        "responses.csv: most responses are missing: 6 of 6 pairs of systems have no scenario in "
        "common, and no pair more than 0. What compares systems on the same scenarios has little "
        "or nothing to compare; are the names of scenarios and models spelled alike everywhere?"
    )


def test_set_without_any_response_is_refused() -> None:
    lines = CSV.splitlines(keepends=True)
    text = "".join(lines[:4] + lines[7:10])
    assert problems_of(text) == [
        "responses.csv: set '2' has no responses; remove it from sets in study.yaml"
    ]


def test_without_declared_sets_blocks_of_a_set_share_systems() -> None:
    text = changed("S2,2,I miss her.,Bee,plain,Find a hobby.\n", "")
    assert notices_of(text, NO_SETS) == [
        "responses.csv: scenario 'S2' in set '2' has no response of 'Bee' (plain)"
    ]


def test_without_declared_sets_scenarios_may_be_divided_among_sets() -> None:
    head = CSV.splitlines()[0]
    rows = [f"S{n},{n},I failed {n}.,{m},plain,Text {n} {m}" for n in range(4) for m in "AB"]
    assert notices_of("\n".join([head, *rows]), NO_SETS) == []


def test_set_column_may_be_absent() -> None:
    text = "scenario,prompt,model,condition,response\n" + "".join(
        f"{s},Hi {s},M{m},plain,Text {s} {m}\n" for s in "AB" for m in (1, 2, 3, 4)
    )
    rows, _ = parse_responses(text.encode(), small_study.definition(NO_SETS), file="r.csv")
    assert {row.block for row in rows} == {("A", ""), ("B", "")}


def test_a_block_holds_one_to_fifty_responses() -> None:
    def block(size: int) -> str:
        return "scenario,prompt,model,condition,response\n" + "".join(
            f"A,Hi,M{m},plain,Text {m}\n" for m in range(size)
        )

    for size in (1, 50):
        definition = small_study.definition(NO_SETS)
        assert len(parse_responses(block(size).encode(), definition, file="r.csv")[0]) == size
    (problem,) = problems_of(block(51), NO_SETS)
    assert problem == (
        "responses.csv, line 2: scenario 'A' has 51 responses; a block has at most 50"
    )


def test_wrong_encoding_names_line_and_column() -> None:
    data = CSV.encode().replace(b"Try again", b"Try ag\x92in")
    assert problems_of(data)[0].startswith("responses.csv, line 2, column 32: byte 0x92 is not")


def test_nul_is_refused_with_its_line() -> None:
    data = CSV.encode().replace(b"Try again", b"Try\0again")
    assert problems_of(data) == ["responses.csv, line 2: there is a NUL character; remove it"]


def test_a_response_keeps_the_indentation_of_its_first_line() -> None:
    code = "    return x\n    y"
    text = changed(
        "S1,1,I failed.,Ant,plain,Try again.\n", f'S1,1,I failed.,Ant,plain,"\n{code}\n"\n'
    ).replace("S1,2,I failed.", "S1,2,  I failed.")
    rows, _ = parse_responses(text.encode(), small_study.definition(), file="responses.csv")
    assert rows[0].text == code
    assert {row.prompt for row in rows if row.scenario == "S1"} == {"I failed."}, "the same prompt"


WIDE = wide_study.yaml_of().replace("ways_in: [link, prolific]\n", "")


def test_what_an_export_writes_is_read_as_it_was() -> None:
    texts = ["- one\n- two", "=1+1", "    return x", "'- quoted", "@me"]
    rows = [["S1", text, "Ant", "plain", text] for text in texts]
    study = small_study.definition(WIDE)
    for number, row in enumerate(rows):
        row[0] = f"S{number}"
    file = "".join(csv_lines(["scenario", "prompt", "model", "condition", "response"], rows))
    read, _ = parse_responses(file.encode(), study, file="responses.csv")
    assert [row.text for row in read] == texts


def test_a_prompt_with_accents_in_another_form_is_the_same_prompt() -> None:
    rows = [["S1", "Caf\u00e9?", "Ant", "plain", "a"], ["S1", "Cafe\u0301?", "Bee", "plain", "b"]]
    file = "".join(csv_lines(["scenario", "prompt", "model", "condition", "response"], rows))
    study = small_study.definition(WIDE)
    read, _ = parse_responses(file.encode(), study, file="responses.csv")
    assert {row.prompt for row in read} == {"Caf\u00e9?"}

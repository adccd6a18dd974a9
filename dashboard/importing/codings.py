"""A file of codes of open answers, checked against a study. Pure."""

from collections.abc import Mapping

from dashboard.importing.files import Findings, TidyFile
from survey.files.digits import NumberedNames
from survey.files.table_file import Columns

#: What names an answer; scenario and set are empty at the end of a study.
ANSWER = ("participant", "scenario", "set", "question")
COLUMNS = Columns(required=(*ANSWER, "codes"), ignored=("text",))
Names = tuple[str, ...]


def read_codings(
    data: bytes,
    file: str,
    answers: Mapping[Names, int],
    findings: Findings,
) -> dict[int, tuple[int, str]]:
    """Line and text in `codes` by answer; rows where it is empty are not coded yet.

    `answers` are the ids of answers by ANSWER.
    """
    table = TidyFile(data, file, COLUMNS, findings, kind="ratings", takes_map=False)
    among = [dict.fromkeys(of) for of in zip(*answers, strict=True)]
    numbered = [NumberedNames(of) for of in among or [{}] * len(ANSWER)]
    coded: dict[int, tuple[int, str]] = {}
    seen: set[int] = set()
    for line, row in table.rows():
        names = tuple(row[name] for name in ANSWER)
        answer = answers.get(names)
        if answer is None:
            known = (of.known(name) for of, name in zip(numbered, names, strict=True))
            answer = answers.get(tuple(known))
        if answer is None:
            reason = "{!r} has no open answer {!r} there"
            table.problem(line, "participant", reason, row["participant"], row["question"])
            continue
        if answer in seen:
            table.problem(line, "", "this answer is in the file twice")
        seen.add(answer)
        if row["codes"]:
            coded[answer] = line, row["codes"]
    return coded

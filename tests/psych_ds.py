"""The rules of Psych-DS that an unpacked dataset can break, as its documents state them.

Source: https://psychds-docs.readthedocs.io/en/latest/reference/rules_and_conventions/ and the rules
of the schema model, version 1.5.0 (https://github.com/psych-ds/psych-DS). In our words, each with
the code that the project's own validator gives it. That validator is in no registry that we use.
"""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: The pattern of names of data files, from the rule `Datafile`.
DATA_FILE = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")
#: Keywords of the standard itself; others are a warning.
KEYWORDS = {
    *("study", "site", "subject", "session", "task", "condition", "trial", "stimulus"),
    "description",
}
REQUIRED = ("name", "description", "variableMeasured")
#: Properties of schema.org that a Dataset has, as far as we use them, and the types of objects that
#: they take.
OF_DATASET: dict[str, set[str]] = {
    "name": set(),
    "description": set(),
    "identifier": {"PropertyValue"},
    "inLanguage": {"Language"},
    "keywords": {"DefinedTerm"},
    "license": {"CreativeWork"},
    "citation": {"CreativeWork"},
    "maintainer": {"Person", "Organization"},
    "variableMeasured": {"PropertyValue", "StatisticalVariable", "Property"},
}


def problems(folder: Path) -> list[str]:
    """Every rule that a dataset breaks, warnings about names and properties too."""
    return list(_problems(folder))


def _problems(folder: Path) -> Iterator[str]:
    described = folder / "dataset_description.json"
    if not described.is_file():
        yield "MISSING_DATASET_DESCRIPTION"
        return
    if not (folder / "data").is_dir():
        yield "MISSING_DATA_DIRECTORY"
        return
    if not any((folder / name).is_file() for name in ("README.md", "README.txt")):
        yield "MISSING_README_DOC"
    yield from (f"WRONG_METADATA_LOCATION {path}" for path in folder.glob("*/**/" + described.name))
    try:
        about: dict[str, Any] = json.loads(described.read_text(encoding="utf-8"))
    except ValueError:  # UnicodeDecodeError is one
        yield "JSON_INVALID"
        return
    yield from _problems_of_description(about)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files = [path for path in files if not _ignored(folder, path)]
    yield from (f"FILE_EMPTY {path.name}" for path in files if not path.stat().st_size)
    data = [path for path in files if path.is_relative_to(folder / "data")]
    columns: set[str] = set()
    for path in data:
        yield from _problems_of_name(path.name)
        header = _header(path)
        yield from _problems_of_rows(path, header)
        columns |= set(header)
    if not data:
        yield "MISSING_DATAFILE"
    variables = about.get("variableMeasured", [])
    names = [each["name"] if isinstance(each, dict) else each for each in variables]
    yield from (f"CSV_COLUMN_MISSING_FROM_METADATA {name}" for name in columns - set(names))
    yield from (f"VARIABLE_MISSING_FROM_CSV_COLUMNS {name}" for name in set(names) - columns)
    yield from (f"repeated variable {name}" for name in set(names) if names.count(name) > 1)


def _problems_of_description(about: dict[str, Any]) -> Iterator[str]:
    yield from (f"JSON_KEY_REQUIRED {key}" for key in REQUIRED if not about.get(key))
    if not re.fullmatch(r"https?://schema\.org/?", str(about.get("@context"))):
        yield f"no context of schema.org: {about.get('@context')}"
    if about.get("@type") != "Dataset":
        yield "INCORRECT_DATASET_TYPE"
    for key, value in about.items():
        if key.startswith("@"):
            continue
        if key not in OF_DATASET:
            yield f"INVALID_SCHEMAORG_PROPERTY {key}"
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and "@type" not in each:
                yield f"OBJECT_TYPE_MISSING {key}"
            elif isinstance(each, dict) and each["@type"] not in OF_DATASET[key]:
                yield f"INVALID_OBJECT_TYPE {key}"


def _ignored(folder: Path, path: Path) -> bool:
    """Whether .psychds-ignore has a file's name or, with a slash at the end, a folder of it."""
    listed = folder / ".psychds-ignore"
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else []
    name = path.relative_to(folder).as_posix()
    return path.name in lines or any(line.endswith("/") and name.startswith(line) for line in lines)


def _problems_of_name(name: str) -> Iterator[str]:
    if not DATA_FILE.fullmatch(name):
        yield f"FILENAME_KEYWORD_FORMATTING_ERROR {name}"
        return
    keys = [pair.partition("-")[0] for pair in name.removesuffix("_data.csv").split("_")]
    yield from (f"FILENAME_UNOFFICIAL_KEYWORD_WARNING {key}" for key in {*keys} - KEYWORDS)


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file), [])


def _problems_of_rows(path: Path, header: list[str]) -> Iterator[str]:
    if not header or not all(header):
        yield f"CSV_HEADER_MISSING {path.name}"
    if len(set(header)) < len(header):
        yield f"CSV_HEADER_REPEATED {path.name}"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))[1:]
    if any(len(row) != len(header) for row in rows):
        yield f"CSV_HEADER_LENGTH_MISMATCH {path.name}"
    if "row_id" in header:
        ids = [row[header.index("row_id")] for row in rows]
        if len(set(ids)) < len(ids):
            yield f"ROWID_VALUES_NOT_UNIQUE {path.name}"

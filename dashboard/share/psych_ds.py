"""How a package follows Psych-DS: names of data files, and dataset_description.json. Pure.

The rules: https://psychds-docs.readthedocs.io/en/latest/reference/rules_and_conventions/
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from survey.definition.datasheet import Responsible
from survey.definition.sharing import ADDRESS, Sharing

SCHEMA = "https://schema.org/"
LICENCES = "https://spdx.org/licenses/"
KEYWORDS = ["human evaluation", "language models", "ratings"]
#: What a package has beside its data files, for the tools of Psych-DS to leave alone: folders, and
#: names of files.
IGNORED = ["analysis/", "datasheets/", "codebook.csv", "export.json"]


class Described(NamedTuple):
    """A row of the codebook."""

    file: str
    column: str
    meaning: str
    values: str


def data_name(slug: str, file: str) -> str:
    """What a file of the export is called in a package: `ratings_all.csv` of `my-study` becomes
    `study-mystudy_description-ratingsAll_data.csv`. Values of keywords are letters and digits.
    """
    first, *others = file.removesuffix(".csv").split("_")
    description = first + "".join(word.capitalize() for word in others)
    return f"study-{slug.replace('-', '')}_description-{description}_data.csv"


def dataset_description(
    *,
    name: str,
    description: str,
    identifier: str,
    languages: Sequence[str],
    share: Sharing,
    codebook: Iterable[Described],
) -> dict[str, Any]:
    """The dataset in the terms of schema.org, with every column of its data files once."""
    about: dict[str, Any] = {
        "@context": SCHEMA,
        "@type": "Dataset",
        "name": name,
        "description": description,
        "identifier": identifier,
        "inLanguage": list(languages),
        "keywords": KEYWORDS,
    }
    if share.licence:
        about["license"] = licence_address(share.licence)
    if share.citation:
        about["citation"] = share.citation
    if person := _person(share.contact):
        about["maintainer"] = person
    return about | {"variableMeasured": _variables(codebook)}


def licence_address(licence: str) -> str:
    """Where a licence can be read: SPDX's page of one that it lists, else what was given."""
    is_listed = not ADDRESS.match(licence) and " " not in licence and "LicenseRef" not in licence
    return f"{LICENCES}{licence}.html" if is_listed else licence


def _person(contact: Responsible) -> dict[str, Any]:
    given: Mapping[str, str | None] = {"name": contact.name, "email": contact.email}
    about: dict[str, Any] = {key: value for key, value in given.items() if value}
    if contact.affiliation:
        about["affiliation"] = {"@type": "Organization", "name": contact.affiliation}
    return {"@type": "Person"} | about if about else {}


def _variables(codebook: Iterable[Described]) -> list[dict[str, str]]:
    """Each column once, with what it means; one that means several things says where it does."""
    meanings: dict[str, dict[str, list[str]]] = {}
    for row in codebook:
        said = f"{row.meaning}. Values: {row.values}" if row.values else row.meaning
        meanings.setdefault(row.column, {}).setdefault(said, []).append(row.file)
    return [
        {
            "@type": "PropertyValue",
            "name": column,
            "description": next(iter(said))
            if len(said) == 1
            else "; ".join(f"in {', '.join(files)}: {text}" for text, files in said.items()),
        }
        for column, said in meanings.items()
    ]

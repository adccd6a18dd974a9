"""What the database holds of the answers that somebody gave."""

import json
from typing import Any

from tests.e2e.person import Person


def text_of(person: Person, public_id: str) -> str:
    rows = person.installation.query(
        "SELECT text FROM survey_response WHERE public_id = %s", [public_id]
    )
    return str(rows[0][0])


def ratings(person: Person) -> dict[tuple[str, str, str], tuple[int, int]]:
    """Value and number of changes, by task, dimension and the response's public id."""
    rows = person.about_me(
        "SELECT task, dimension, public_id, value, revisions FROM survey_rating"
        " JOIN survey_presentation ON survey_presentation.id = presentation_id"
        " JOIN survey_response ON survey_response.id = response_id"
        " JOIN survey_identity"
        " ON survey_identity.participant_id = survey_presentation.participant_id"
        " WHERE key = %s"
    )
    return {(row[0], row[1], row[2]): (row[3], row[4]) for row in rows}


def texts(person: Person) -> dict[str, str]:
    return dict(
        person.about_me(
            "SELECT name, text FROM survey_freeanswer JOIN survey_identity"
            " ON survey_identity.participant_id = survey_freeanswer.participant_id WHERE key = %s"
        )
    )


def checks(person: Person) -> list[int]:
    rows = person.about_me(
        "SELECT answer FROM survey_attentioncheck JOIN survey_identity"
        " ON survey_identity.participant_id = survey_attentioncheck.participant_id WHERE key = %s"
    )
    return [answer for (answer,) in rows]


MEASURED = [
    "visible_seconds",
    "hidden_seconds",
    "unfocused_seconds",
    "focus_losses",
    "first_answer_seconds",
    "last_answer_seconds",
    "changes",
    "response_seconds",
]


def measurements(person: Person) -> dict[str, Any]:
    rows = person.about_me(
        f"SELECT {', '.join(MEASURED)} FROM survey_presentation JOIN survey_identity"
        " ON survey_identity.participant_id = survey_presentation.participant_id WHERE key = %s"
    )
    return dict(zip(MEASURED, rows[0], strict=True))


def as_dict(value: Any) -> dict[str, float]:
    """A JSON column: PostgreSQL gives a dictionary, SQLite text."""
    return dict(json.loads(value) if isinstance(value, str) else value)


def ids_of(person: Person, public_ids: list[str]) -> list[str]:
    rows = dict(person.installation.query("SELECT public_id, id FROM survey_response"))
    return [str(rows[public_id]) for public_id in public_ids]

"""Rows that no stranger may change, read past our own code."""

from collections.abc import Sequence

from jobs.runner import kinds
from tests.e2e.installation import Installation

Rows = dict[str, list[str]]

#: What visitors may add to: their own answers, sessions, and the record of failed logins.
_OF_A_PERSON = "participant_id IN (SELECT participant_id FROM survey_identity WHERE key = %s)"
PERSONAL = {
    "survey_participant": _OF_A_PERSON.replace("participant_id IN", "id IN"),
    "survey_identity": "key = %s",
    "survey_submission": _OF_A_PERSON,
    "survey_browser": _OF_A_PERSON,
    "survey_pagetime": _OF_A_PERSON,
    "survey_slot": _OF_A_PERSON,
    "survey_presentation": _OF_A_PERSON,
    "survey_attentioncheck": _OF_A_PERSON,
    "survey_demographicanswer": _OF_A_PERSON,
    "survey_freeanswer": _OF_A_PERSON,
    "survey_rating": "presentation_id IN (SELECT id FROM survey_presentation WHERE "
    + _OF_A_PERSON
    + ")",
}
#: What a researcher does is recorded; strangers leave no line.
_OF_STRANGERS = "author_id IS NULL"
#: All but the day of the last use.
_OF_TOKENS = "id, user_id, name, digest, scope, studies, expires_at"
OF_VISITS = {
    "survey_addressarrivals",
    "survey_refusedarrivals",
    "django_session",
    "axes_accessattempt",
    "axes_accessattemptexpiration",
    "axes_accessfailurelog",
    "axes_accesslog",
}
#: What researchers may upload and ask for: the requests come with a researcher's cookies, too. An
#: analysis is done already.
OF_RESEARCHERS = {
    "dashboard_submissiononprolific",
    "dashboard_submissionsrevision",
    *{kind._meta.db_table for kind in kinds()} - {"analysis_analysisrun"},
}


def protected(installation: Installation, *, people: Sequence[str]) -> Rows:
    """All rows of tables that hold no visitor's data, and those of people by their Prolific IDs."""
    rows = {}
    for table in tables(installation):
        if table in PERSONAL:
            of_one = f"SELECT * FROM {table} WHERE {PERSONAL[table]}"
            statement = " UNION ALL ".join([of_one] * len(people))
            parameters = list(people)
        elif table in OF_VISITS | OF_RESEARCHERS:
            continue
        elif table == "survey_studyevent":
            statement, parameters = f"SELECT * FROM {table} WHERE {_OF_STRANGERS}", []
        elif table == "dashboard_apitoken":
            statement, parameters = f"SELECT {_OF_TOKENS} FROM {table}", []
        else:
            statement, parameters = f"SELECT * FROM {table}", []
        rows[table] = sorted(map(str, installation.query(statement, parameters)))
    return rows


def tables(installation: Installation) -> list[str]:
    if installation.environment["DATABASE_URL"].startswith("sqlite"):
        found = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%%'"
        found = found.replace("%%", "%")
    else:
        found = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    return sorted(str(name) for (name,) in installation.query(found))

"""The demographic export of a study on the local Prolific: its base columns, answers invented."""

import csv
import io
from random import Random

from examples.local_prolific.world import Submission, World

#: The base columns of Prolific's export, without those of filters.
COLUMNS = (
    *("Submission id", "Participant id", "Status", "Custom study tncs accepted at", "Started at"),
    *("Completed at", "Reviewed at", "Archived at", "Time taken", "Completion code"),
    *("Total approvals", "Age", "Sex", "Ethnicity simplified", "Country of birth"),
    *("Country of residence", "Nationality", "Language", "Student status", "Employment status"),
)
COUNTRIES = ("United Kingdom", "United States", "Germany", "South Africa", "Poland")
ETHNICITIES = ("White", "Asian", "Black", "Mixed", "Other")
EMPLOYMENT = ("Full-Time", "Part-Time", "Unemployed (and job seeking)", "Other", "DATA_EXPIRED")


def export_of(world: World, study: str) -> bytes:
    """The CSV file: a row for each submission, the oldest first."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for submission in world.of_study(study):
        writer.writerow(_about(submission) | world.told.get(submission.participant, {}))
    return text.getvalue().encode()


def _about(submission: Submission) -> dict[str, str]:
    """One row; a person's answers are the same in every study."""
    drawn = Random(submission.participant)
    country = drawn.choice(COUNTRIES)
    return {
        "Submission id": submission.id,
        "Participant id": submission.participant,
        "Status": submission.status,
        "Started at": submission.started_at,
        "Completed at": submission.completed_at or "",
        "Completion code": submission.code or "",
        "Total approvals": str(drawn.randint(0, 3000)),
        "Age": str(drawn.randint(18, 79)),
        "Sex": drawn.choice(("Female", "Male")),
        "Ethnicity simplified": drawn.choice(ETHNICITIES),
        "Country of birth": country,
        "Country of residence": country,
        "Nationality": country,
        "Language": "English",
        "Student status": drawn.choice(("Yes", "No")),
        "Employment status": drawn.choice(EMPLOYMENT),
    }

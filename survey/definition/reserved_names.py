"""Names that questions cannot have."""

#: Columns of participants.csv, exported or analysed, that are not answers.
PARTICIPANT_NAMES = (
    "participant",
    "source",
    "status",
    "started_at",
    "finished_at",
    "duration_seconds",
    "attention_checks_failed",
    "region",
    "ending",
    "language",
    "device",
    "viewport_width",
    "viewport_height",
    "clock_stepped",
    "way_in",
    "sigma",
    "mae",
    "included",
    "exclusion",
    "gold_by",
    "active",
)
#: Columns of the other tables, with their own type or meaning.
TABLE_NAMES = (
    *("rating", "rank", "gold", "block_position", "response_position", "block_seconds"),
    *("revisions", "shown_at", "answered_at", "submitted_at"),
)
#: Fields of every form.
FORM_NAMES = ("csrfmiddlewaretoken", "whose")
#: Names that no question may have, and why.
RESERVED_NAMES = (
    dict.fromkeys(PARTICIPANT_NAMES, "already a column of participants.csv")
    | dict.fromkeys(TABLE_NAMES, "already a column of the tables with answers")
    | dict.fromkeys(FORM_NAMES, "already a field of every form")
)

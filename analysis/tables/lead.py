"""Which answer leads where a is compared with b for other raters and other texts at once: that of a
mixed model, or min F′ where raters are few.

A model has an effect for each rater, but none for what a rater thinks of a condition, and F2 has
neither. Many raters even that out, few do not: with 5 raters both find up to eight times as many
differences that are not there as they should (benchmarks/README.md). min F′ allows for it.
"""

#: Raters below which min F′ leads.
LEAST_RATERS = 20
FEW_RATERS = f"there are fewer than {LEAST_RATERS} raters"
#: Why, after "because".
TASTES = (
    f"{FEW_RATERS}: F2 and mixed models do not allow for what each rater thinks of a condition, "
    "and reject too often"
)
#: In the notes of the rows that this is about.
MIN_F_LEADS = f"min F′ leads, because {TASTES}"


def with_lead(note: str, raters: int) -> str:
    """The note of an answer that rests on so many raters, with what leads where they are few."""
    return "; ".join(filter(None, [note, MIN_F_LEADS if raters < LEAST_RATERS else ""]))


def min_f_leads(note: str | None) -> bool:
    """Whether a note says so."""
    return MIN_F_LEADS in (note or "")


def without_lead(note: str | None) -> str:
    """A note without what it says of the lead."""
    return "; ".join(part for part in (note or "").split("; ") if part != MIN_F_LEADS)

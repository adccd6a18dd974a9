"""What was planted in simulated raters, and which of it their analysis finds."""

from collections import Counter

from dashboard.shared.newest_analysis import NewestAnalysis, newest_analysis
from dashboard.shared.stored_tables import StoredTable
from survey.models import Participant, Study


def analysis_of_rehearsal(study: Study, asked: list[str] | None) -> NewestAnalysis:
    """The newest analysis with simulated raters, or with the test people that were `asked` for."""
    return newest_analysis(study, asked or [str(Participant.Source.SIMULATED)])


def found_counts(planted: StoredTable) -> dict[str, int]:
    """How many of the planted effects came out how, the most frequent first."""
    return dict(Counter(row["found"] for row in planted.rows).most_common())

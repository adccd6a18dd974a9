"""What each column of an export means. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from survey.definition import StudyDefinition
from survey.definition.questions import ChoiceQuestion, IntegerQuestion, Question

MEANINGS = {
    "participant": "Pseudonym, random; or as given where the ratings were imported",
    "source": "How the person came; simulated and preview are test people",
    "status": "Where the person stands in the survey",
    "started_at": "When they agreed to take part (ISO 8601, UTC)",
    "finished_at": "When they completed the survey (ISO 8601, UTC)",
    "duration_seconds": "From start to end; of those who did not finish, to their last answer",
    "attention_checks_failed": "How many; empty where none was answered",
    "region": "US Census region of the state",
    "sigma": "Standard deviation of the person's gold-scored ratings",
    "mae": "Mean absolute distance of these ratings to the gold scores",
    "included": "Whether the person's ratings count; not while they are taking the survey",
    "exclusion": "The first quality rule that matched; of who is not included, empty where no "
    "rule was applied: still taking the survey, declined, screened out or withdrawn",
    "scenario": "User input that was answered",
    "set": "Pairing of models that were shown together; empty where the study has one",
    "model": "Language model that wrote the response",
    "condition": "How the model was used",
    "dimension": "What was rated",
    "rating": "The value given",
    "gold": "Gold score of the response",
    "block_position": "Place of the block in the person's order, 1 for the first; empty if unknown",
    "response_position": "Place of the response on the page, 1 for the top; empty if unknown",
    "block_seconds": "From showing the block to its first complete answer; empty if unknown",
    "revisions": "How often the answer was changed afterwards",
    "rank": "Rank of the response in its block, 1 is best",
    "choice": "Chosen as best or worst of the block",
    "gold_by": "What made the gold scores used here",
}
VALUES = {
    "source": "prolific, link, import, simulated, preview",
    "status": "completed, in_progress, screened_out, declined, withdrawn",
    "included": "true, false",
    "choice": "best, worst",
    "region": "Northeast, Midwest, South, West, Other",
}


def codebook_rows(
    definition: StudyDefinition, files: Mapping[str, Sequence[str]], *, gold: str
) -> Iterator[tuple[str, str, str, str]]:
    """File, column, meaning and values of every column in `files`. `gold` says who scored."""
    questions = {question.name: question for question in definition.demographics}
    rating = definition.rating
    scale = "; ".join(f"{point.value} = {point.label}" for point in rating.scale) if rating else ""
    asked = "; ".join(f"{d.name} = {d.question}" for d in rating.dimensions) if rating else ""
    values = VALUES | {"rating": scale, "dimension": asked, "gold": f"made by: {gold}"}
    values["condition"] = ", ".join(definition.conditions)
    for file, columns in files.items():
        for column in columns:
            if column in questions:
                yield file, column, questions[column].question, _answers(questions[column])
            elif column.startswith("call_"):
                yield file, column, f"Single score {column[5:]} behind the gold score", ""
            else:
                meaning = MEANINGS.get(column, "Not asked in this study")
                yield file, column, meaning, values.get(column, "")


def _answers(question: Question) -> str:
    if isinstance(question, IntegerQuestion):
        return f"whole number, {question.minimum} to {question.maximum}"
    if isinstance(question, ChoiceQuestion):
        return "; ".join(question.categories)
    return "US state or District of Columbia"

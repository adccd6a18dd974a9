"""What each column of an export means. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from analysis import catalogue
from judge.models import Attempt
from survey.definition import StudyDefinition
from survey.definition.questions import AskedQuestion
from survey.definition.settings import ENDINGS
from survey.definition.tasks import COMPARING

#: Columns that mean the same as in the tables of an analysis.
SHARED = {
    "items": ("scenario", "set", "model", "condition", "dimension", "gold"),
    "raters": (
        "participant", "status", "duration_seconds", "attention_checks_failed", "included",
        "exclusion", "excluded_by_decision", "gold_by",
    ),
    "judge_consistency": ("judge",),
}  # fmt: skip
MEANINGS = {
    column: catalogue.table(table).column(column).meaning
    for table, names in SHARED.items()
    for column in names
} | {
    "source": "How the person came; panel means an expert, simulated and preview are test people",
    "started_at": "When they agreed to take part (ISO 8601, UTC)",
    "finished_at": "When they completed the survey (ISO 8601, UTC)",
    "region": "US Census region of the state",
    "sigma": "Standard deviation of the person's gold-scored ratings",
    "mae": "Mean absolute distance of these ratings to the gold scores",
    "rating": "The value given",
    "block_position": "Place of the block in the person's order, 1 for the first; empty if unknown",
    "response_position": "Place of the response on the page, 1 for the top; empty if unknown",
    "block_seconds": "From showing the block to its first complete answer; empty if unknown",
    "revisions": "How often the answer was changed afterwards",
    "repeat": "Which time the person judged the response, 1 for the first",
    "rank": "Rank of the response in its block, 1 is best",
    "choice": "Chosen as best or worst of the block; empty for its other responses",
    "way_in": "From Prolific, by the open link, or by a personal invitation",
    "ending": "Which ending the person saw",
    "language": "Language of the pages: what they chose, or the first their browser asked for",
    "device": "Kind of device, guessed from the size of its screen",
    "viewport_width": "Width of the window in CSS pixels; not for sharing",
    "viewport_height": "Height of the window in CSS pixels; not for sharing",
    "name": "Its name in the study",
    "text": "The text as written. It may identify the writer: this file is not for sharing",
    "kind": "An item on a page of its own, or one more entry in a block",
    "place": "Place among the block's entries, 1 for the top; empty on a page of its own",
    "answer": "The point of the scale, or the option counted from 1, that was chosen",
    "passed": "Whether the answer was right",
    "shown_at": "When the page was first opened (ISO 8601, UTC)",
    "answered_at": "When it was first sent complete (ISO 8601, UTC)",
    "submitted_at": "When it was last sent complete (ISO 8601, UTC)",
    "visible_seconds": "How long the page was in view; empty where no script ran",
    "hidden_seconds": "How long it was open behind another tab, or minimised",
    "unfocused_seconds": "How long it was in view, but another window or the browser itself had "
    "the focus; part of visible_seconds",
    "focus_losses": "How often the focus left the page, for another window or tab or the browser "
    "itself",
    "first_answer_seconds": "In view until the first answer",
    "last_answer_seconds": "In view until the last answer",
    "changes": "Answers changed before the page was sent",
    "seconds_on_screen": "How long half of the response was on screen, or the response with its "
    "questions filled half of what the prompt leaves free of the window; several can be at once. "
    "0 if it never was, empty where no script ran",
    "page": "Number of the page in the survey; 0 for the information and the consent",
    "seconds": "From showing the page to its first complete answer; empty if unknown",
    "clock_stepped": "Whether the server's clock was set back between showing the page and its "
    "answer, which leaves the seconds empty; empty where a time is unknown",
    "interface": "Version of the page as the person saw it: docs/study-files.md lists them; empty "
    "if unknown",
    "response": "The response by the first place where it is shown: the same in all of its sets",
    "replicate": "Which of the repeated calls, 1 for the first",
    "position": "Where the judge saw the response among those of its block, 1 for the first; empty "
    "if it saw the response alone",
    "score": "The single score; empty if the call gave no usable one",
    "reason": "The judge's reason, if the study asks for reasons",
    "model_a": "Model of response a, the first of the two in the order of the block",
    "condition_a": "Condition of response a",
    "model_b": "Model of response b",
    "condition_b": "Condition of response b",
    "response_a": "Response a by the first place where it is shown",
    "response_b": "Response b by the first place where it is shown",
    "first": "Which of the two the judge saw first, a or b",
    "better": "Which of the two the judge prefers: a, b or tie",
    "attempt": "Which attempt at the call, 1 for the first",
    "is_repair": "Whether the request asked to repair an unusable answer",
    "outcome": "How the request ended",
    "ended_at": "When the request ended (ISO 8601, UTC)",
    "http_status": "HTTP status of the answer",
    "requested_model": "The requested model",
    "returned_model": "The model that answered, as reported by the endpoint",
    "cost_usd": "US dollars; empty if unknown",
    "cost_is_estimate": "Whether Fivefold estimated the cost; else the endpoint reported it",
    "prompt_hash": "SHA-256 of the messages",
    "request": "The exact request (JSON)",
    "raw_text": "The judge's answer, or the body of the error",
    "thinking": "The thinking of the judge's model, which is no part of its answer",
    "error": "The error, if any",
    "provenance": "Provider, response id, fingerprint, usage, latency, library versions (JSON)",
    "expected_least": "The lowest rating that was expected",
    "expected_most": "The highest rating that was expected",
    "within": "Whether the rating was within the expected range",
    "characters": "Length of the text",
    "keystrokes": "Keys pressed in the field; which ones is not recorded. This column and those "
    "behind it are empty where no script ran",
    "typed_characters": "Characters typed, dictated or put in by autocorrection",
    "deletions": "Steps that deleted something",
    "pastes": "Pastes from outside the page; what was pasted is not recorded",
    "pasted_characters": "Characters that these pastes brought",
    "own_pastes": "Pastes and drops of text copied, cut or dragged on the same page",
    "drops": "Drops from outside the page",
    "dropped_characters": "Characters that these drops brought",
    "autofills": "Times that the browser or an extension filled in text",
    "autofilled_characters": "Characters that were filled in so",
    "largest_insertion": "Most characters that appeared in one step, own pastes aside",
    "returned_characters": "Characters pasted or dropped as the first thing after a return to the "
    "page",
    "focus_seconds": "How long the cursor was in the field and the page had the focus",
    "typing_seconds": "Time between typed characters; a pause counts at most 10 seconds",
    "away_seconds": "How long the page was left while the question was on screen",
    "pseudonym_1": "The person in the earlier study: `participant` of its files",
    "pseudonym_2": "The same person in this study: `participant` of the files here",
    "pool": "Whose slots: raters (real), experts (panel), or test people",
    "people": "Who is counted: people who completed, or all people with a slot",
    "table": "What is counted: `row` by position on the page, in the survey, or directly above "
    "`column`",
    "row": "A system, a block, or a response of a block",
    "column": "A position on the page, a position among the blocks, or what was directly below",
    "count": "How often",
    "expected": "How often in even orders of the same number of people",
    "missing": "How many are missing until the design is complete; empty where orders are random",
    "chi_square": "Test of the whole table against random orders; empty where there is none",
    "df": "Degrees of freedom of the test",
    "p": "Probability that random orders are at least as uneven",
}
SECONDS_OF_ATTEMPT = (
    "From showing the page, or from the attempt before, to this one; empty if unknown"
)
#: What a column means in one file alone.
MEANINGS_IN = {
    ("participants.csv", "clock_stepped"): "Whether the server's clock was set back while they "
    "took part",
    ("attention_checks.csv", "shown_at"): "When its page was first opened (ISO 8601, UTC); empty "
    "for an entry of a block, which is shown with it",
    ("comprehension.csv", "attempt"): "Which attempt at all questions, 1 for the first",
    ("comprehension.csv", "answer"): "The chosen option, in the study's main language",
    ("comprehension.csv", "answered_at"): "When the attempt was sent complete (ISO 8601, UTC)",
    ("comprehension.csv", "seconds"): SECONDS_OF_ATTEMPT,
    ("training.csv", "name"): "Name of the training item",
    ("training.csv", "attempt"): "Which try at the item, 1 for the first",
    ("training.csv", "response"): "Which of the item's responses, 1 for the top of the page",
    ("training.csv", "dimension"): "The rated dimension",
    ("training.csv", "rating"): "The value given in training; it counts in no table",
    ("training.csv", "answered_at"): "When the try was sent complete (ISO 8601, UTC)",
    ("training.csv", "seconds"): SECONDS_OF_ATTEMPT,
    ("comments.csv", "focus_losses"): "How often the page was left while the question was on "
    "screen",
    ("page_times.csv", "kind"): "What the page is",
    ("page_times.csv", "name"): "Of a block its scenario and set; of an attention check or a "
    "training item its name",
    ("judge_attempts.csv", "started_at"): "When it was sent (ISO 8601, UTC)",
    ("judge_attempts.csv", "set"): "Set of the block that was shown; empty where a response was "
    "shown alone",
    (
        "judge_attempts.csv",
        "model",
    ): "Language model that wrote the response; the judge is not told",
    ("judge_attempts.csv", "condition"): "How that model was used; the judge is not told",
    ("judge_attempts.csv", "dimension"): "The judged dimension; empty for the request that tested "
    "whether the endpoint enforces a JSON schema",
}
VALUES = {
    "source": "prolific, link, import, panel, simulated, preview",
    "status": "completed, in_progress, screened_out, failed_comprehension, declined, withdrawn",
    "included": "true, false",
    "choice": "best, worst",
    "ending": ", ".join(ENDINGS),
    "device": "phone, tablet, desktop",
    "kind": "item, in_block",
    "is_repair": "true, false",
    "cost_is_estimate": "true, false",
    "outcome": ", ".join(Attempt.Outcome.values),
    "passed": "true, false",
    "within": "true, false",
    "clock_stepped": "true, false",
    "pool": "real, panel, simulated, preview",
    "people": "completed, places",
    "table": "system_position, system_follows, block_slot, system_slot, response_position, "
    "response_follows",
    "region": "Northeast, Midwest, South, West, Other",
}
#: In place of the values of a column whose values are not shared.
NOT_SHARED = "empty: not shared"
#: The values of a column in one file alone.
VALUES_IN = {
    ("page_times.csv", "kind"): "consent, screening, instructions, comprehension, training, "
    "block, check, closing, demographics",
    ("page_times.csv", "name"): "",
}


def codebook_rows(
    definition: StudyDefinition,
    files: Mapping[str, Sequence[str]],
    *,
    gold: str,
    empty: Collection[str] = (),
    texts: bool = True,
) -> Iterator[tuple[str, str, str, str]]:
    """File, column, meaning and values of every column in `files`. `gold` says who scored, `empty`
    has the columns whose values are not shared, and `texts` says whether prompts are.
    """
    for file, column, meaning, values in _described(definition, files, gold=gold, texts=texts):
        yield file, column, meaning, NOT_SHARED if column in empty else values


def _described(
    definition: StudyDefinition, files: Mapping[str, Sequence[str]], *, gold: str, texts: bool
) -> Iterator[tuple[str, str, str, str]]:
    questions: dict[str, AskedQuestion] = {
        question.name: question for question in (*definition.screening, *definition.demographics)
    }
    values = VALUES | {"gold": f"made by: {gold}", "condition": ", ".join(definition.conditions)}
    values |= _asked(definition)
    values_in = VALUES_IN | _asked_before_blocks(definition, texts=texts)
    for file, columns in files.items():
        for column in columns:
            if column in questions:
                question = questions[column]
                yield file, column, question.meaning, question.values_in_words
            elif column.startswith("call_"):
                yield file, column, f"Single score {column[5:]} behind the gold score", ""
            else:
                usual = MEANINGS.get(column, "Not asked in this study")
                meaning = MEANINGS_IN.get((file, column), usual)
                yield file, column, meaning, values_in.get((file, column), values.get(column, ""))


def _asked(definition: StudyDefinition) -> dict[str, str]:
    """The study's questions about responses, by the column of the answers."""
    asked: dict[str, str] = {}
    rating = definition.rating
    if rating is not None:
        asked["dimension"] = "; ".join(f"{d.name} = {d.question}" for d in rating.dimensions)
    for column in ("rating", *COMPARING):
        tasks = [task for task in definition.asked_on_blocks if task.column == column]
        if tasks:
            asked[column] = "; ".join(task.values_in_words for task in tasks)
            if empty := tasks[0].empty_in_words:
                asked[column] += f"; empty = {empty}"
    texts = [*definition.block_remarks, *definition.closing]
    checks = definition.attention_checks
    named = [(t.name, t.question) for t in texts] + [(c.name, c.statement) for c in checks]
    asked["name"] = "; ".join(f"{name} = {text}" for name, text in named)
    return asked


def _asked_before_blocks(definition: StudyDefinition, *, texts: bool) -> dict[tuple[str, str], str]:
    """Questions about the instructions with their right answers, and what was trained on."""
    check = definition.comprehension
    questions = check.questions if check else []
    rights = [f"{q.name} = {q.question} Right: {q.answer}" for q in questions]
    prompts = [
        f"{item.name} = {item.prompt}" if texts else item.name for item in definition.training_items
    ]
    return {
        ("comprehension.csv", "name"): "; ".join(rights),
        ("training.csv", "name"): "; ".join(prompts),
    }

"""What participants read, section by section, each with the page on which they read it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dashboard.design.preview import ENDINGS, Preview
from survey.definition import StudyDefinition
from survey.definition.attention_checks import AttentionItem
from survey.definition.codes import possible_endings
from survey.definition.labels import Labels, usual
from survey.definition.parts import with_hint
from survey.definition.questions import Question, ScreeningQuestion
from survey.definition.settings import Settings
from survey.definition.tasks import AskedTask
from survey.models import Scenario
from survey.notices import ai_policy, writing_notice

STANDARD = "Standard text of the pages"


@dataclass(frozen=True)
class Entry:
    """One thing that participants read: what it is, its text, and the answers offered."""

    label: str
    text: str = ""
    options: Sequence[str] = ()
    #: What researchers have to know of it, and participants do not see.
    note: str = ""
    is_markdown: bool = False


@dataclass(frozen=True)
class TextSection:
    title: str
    entries: list[Entry]
    #: The page in the preview on which it is read.
    page: str = ""
    anchor: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "anchor", self.title.lower().replace(" ", "-"))


def texts_of(preview: Preview) -> list[TextSection]:
    """Every section that the study has."""
    shown, content = preview.definition, preview.content
    numbers = {
        "screening": content.screening_page,
        "instructions": content.instructions_page,
        "comprehension": content.comprehension_page,
        "training": next(iter(content.training_pages), None),
        "closing": content.closing_page,
        "about": content.demographics_page,
    }
    page = {name: str(number or "") for name, number in numbers.items()}
    block = next((str(block.page) for block in preview.plan.blocks), "")
    check = next((str(check.page) for check in preview.plan.checks), "")
    screening = [_screening(question) for question in shown.screening]
    about = [_about(question, preview.labels) for question in shown.asked_demographics]
    scenarios = preview.study.scenarios.order_by("position")
    sections = [
        TextSection("Information and consent", list(_information(shown)), "information"),
        TextSection("Screening", screening, page["screening"]),
        TextSection(
            "Instructions",
            [_markdown("", shown.texts.instructions), *_policy(shown)],
            page["instructions"],
        ),
        TextSection("Comprehension check", list(_comprehension(shown)), page["comprehension"]),
        TextSection("Training", list(_training(shown, preview.labels)), page["training"]),
        TextSection("Scenarios", [_scenario(preview.labels, s) for s in scenarios], block),
        TextSection("Questions on each block", list(_asked(shown, preview.labels)), block),
        TextSection("Attention checks", [_check(shown, c) for c in shown.attention_checks], check),
        TextSection("Closing questions", list(_of(shown.closing, preview.labels)), page["closing"]),
        TextSection("About the participant", about, page["about"]),
        TextSection("Endings", list(_endings(preview)), "completed"),
    ]
    return [section for section in sections if section.entries]


def _markdown(label: str, text: str, note: str = "") -> Entry:
    return Entry(label, text, note=note, is_markdown=True)


def _information(shown: StudyDefinition) -> Iterator[Entry]:
    if shown.texts.warning:
        yield _markdown("Warning", shown.texts.warning)
    yield _markdown("Information", shown.texts.information)
    yield from _policy(shown)
    if notice := writing_notice(shown):
        yield Entry("What is recorded while you write", notice, note=f"{STANDARD}.")
    yield _markdown("Statement to agree to", shown.consent.statement)
    if shown.consent.decline:
        yield Entry("Button to decline", shown.consent.decline)


def _policy(shown: StudyDefinition) -> Iterator[Entry]:
    """The policy on AI, which free-text questions show as well."""
    if policy := ai_policy(shown):
        is_own = shown.texts.ai_policy is not True
        yield _markdown("Use of AI tools", policy, "" if is_own else f"{STANDARD}.")


def _screening(question: ScreeningQuestion) -> Entry:
    eligible = f"Eligible: {', '.join(question.eligible)}."
    return Entry(with_hint(question.question, question.hint), "", question.options, eligible)


def _comprehension(shown: StudyDefinition) -> Iterator[Entry]:
    check = shown.comprehension
    for question in check.questions if check else ():
        note = f"Right answer: {question.answer}."
        yield Entry(with_hint(question.question, question.hint), "", question.options, note)


def _training(shown: StudyDefinition, labels: Labels) -> Iterator[Entry]:
    for item in shown.training_items:
        context = f"Shown above it: {item.context}" if item.context else ""
        yield Entry(usual(item.name), item.prompt, note=context)
        for number, response in enumerate(item.responses, start=1):
            expected = ", ".join(
                f"{labels.text('dimensions', name)} {least} to {most}"
                for name, (least, most) in response.expected.items()
            )
            why = f" Why: {response.why}" if response.why else ""
            yield Entry(f"Response {number}", response.text, note=f"Expected: {expected}.{why}")


def _scenario(labels: Labels, scenario: Scenario) -> Entry:
    called = labels.text("scenarios", scenario.name)
    context = f"Shown above it: {scenario.context}" if scenario.context else ""
    return Entry(called, scenario.prompt, note=context)


def _asked(shown: StudyDefinition, labels: Labels) -> Iterator[Entry]:
    yield from _of(shown.tasks, labels)
    if shown.comment:
        yield Entry("Remarks", shown.comment, note="Optional free text.")


def _of(tasks: Sequence[AskedTask], labels: Labels) -> Iterator[Entry]:
    for task in tasks:
        for said in task.texts(labels):
            yield Entry(said.label, said.text, said.options, said.note)


def _check(shown: StudyDefinition, check: AttentionItem) -> Entry:
    least, most = check.range
    place = f"inside block {least} to {most}"
    if check.kind == "item":
        place = f"on a page of its own after block {least} to {most}"
    options = check.options or [f"{p.value}: {p.label}" for p in shown.check_scale(check)]
    note = f"Right answer: {check.answer}. Shown {place}."
    return Entry(
        f"Attention check “{usual(check.name)}”", check.statement, options, note, is_markdown=True
    )


def _about(question: Question, labels: Labels) -> Entry:
    called = labels.text("characteristics", question.name)
    options = question.offered if question.categories else []
    return Entry(called, with_hint(question.question, question.hint), options, question.note)


def _endings(preview: Preview) -> Iterator[Entry]:
    texts = preview.definition.texts
    own = texts.model_dump() | {"completed": texts.thanks}
    settings = Settings.model_validate(preview.study.settings)
    for ending in possible_endings(preview.content.definition, settings):
        label = ENDINGS[ending].removeprefix("End: ").capitalize()
        text = own.get(ending) or ""
        yield _markdown(label, text, "" if text else f"{STANDARD}.")
    closed = texts.closed or ""
    yield _markdown("Study paused or closed", closed, "" if closed else f"{STANDARD}.")
    if texts.help:
        yield _markdown("Help, on every page", texts.help)
    else:
        without = texts.help is False
        yield Entry("Help, on every page", note="None." if without else f"{STANDARD}.")

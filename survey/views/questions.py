"""Questions with options or a field, as pages show them."""

from collections.abc import Mapping, Sequence
from typing import Any

from survey.definition.comprehension import ComprehensionQuestion
from survey.definition.questions import ChoiceQuestion, Question, ScreeningQuestion

Asked = Question | ScreeningQuestion | ComprehensionQuestion
WITH_OPTIONS = ChoiceQuestion | ScreeningQuestion | ComprehensionQuestion


def question_items(
    questions: Sequence[Asked],
    shown: Sequence[Asked],
    sent: Mapping[str, object],
    errors: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Questions as a page shows them; an option is stored in the study's main language."""
    items = []
    for question, translated in zip(questions, shown, strict=True):
        item: dict[str, Any] = {
            "question": translated,
            "kind": getattr(question, "kind", "single"),
            "value": sent.get(question.name),
            "error": errors.get(f"q-{question.name}"),
        }
        if isinstance(question, WITH_OPTIONS):
            assert isinstance(translated, WITH_OPTIONS)
            item["options"] = list(zip(question.offered, translated.offered, strict=True))
        items.append(item)
    return items

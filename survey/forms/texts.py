"""Free answers: their inputs, and what is read of what was sent."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from survey import paradata
from survey.definition import StudyDefinition
from survey.definition.tasks import TextTask
from survey.forms.checked import CheckedInput, clean_text


def text_name(name: str) -> str:
    """Name of the input for the free answer called `name`."""
    return f"text-{name}"


def writing_name(name: str) -> str:
    """Name of the hidden input with how the free answer called `name` was written."""
    return f"writing-{name}"


def text_items(
    definition: StudyDefinition,
    tasks: Sequence[TextTask],
    sent: Mapping[str, object],
    errors: Mapping[str, str],
    writing: Mapping[str, Any] = {},
) -> list[dict[str, Any]]:
    """Free questions as a page shows them, with how they were written so far if that is
    recorded.
    """
    items = []
    for task in tasks:
        name = text_name(task.name)
        length = _("From %(least)s to %(most)s characters")
        if not task.minimum:
            length = _("At most %(most)s characters")
        items.append(
            {
                "task": task,
                "name": name,
                "length": length % {"least": task.minimum, "most": task.maximum},
                "value": sent.get(name, ""),
                "error": errors.get(name),
                "writing_name": writing_name(task.name) if definition.record_writing else "",
                "writing": paradata.writing_text(writing.get(task.name, {})),
            }
        )
    return items


def read_text(
    sent: QueryDict, task: TextTask, values: dict[str, str], checked: CheckedInput[Any]
) -> None:
    """Add the answer to `task` to `values`, or a message to the errors."""
    name = text_name(task.name)
    text = clean_text(sent.get(name, ""))
    values[task.name] = text
    checked.sent[name] = text
    if not text and task.required:
        checked.errors[name] = _("Write an answer: %s") % task.question
    elif text and len(text) < task.minimum:
        checked.errors[name] = _("Write at least %(least)s characters: %(question)s") % {
            "least": task.minimum,
            "question": task.question,
        }
    elif len(text) > task.maximum:
        checked.errors[name] = _("Write at most %(most)s characters; you wrote %(length)s") % {
            "most": task.maximum,
            "length": len(text),
        }


def read_writing(
    sent: QueryDict, definition: StudyDefinition, tasks: Sequence[TextTask]
) -> dict[str, dict[str, Any]]:
    """How the answers to `tasks` were written, by name; only what a script measured, and only if
    participants are told so.
    """
    if not definition.record_writing:
        return {}
    measured = {
        task.name: paradata.read_writing(sent.get(writing_name(task.name), "")) for task in tasks
    }
    return {name: fields for name, fields in measured.items() if fields}

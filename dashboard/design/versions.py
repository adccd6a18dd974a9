"""How versions of a study differ, in words and line by line."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff

from django.db.models import QuerySet

from dashboard.overview.counts import people_counted
from dashboard.overview.events import Key, flat
from dashboard.shared.access import first_or_404
from survey.definition import StudyDefinition
from survey.definition.labels import usual
from survey.models import BlockResponse, Study
from survey.tidy import counted_sources

#: The parts of a study that participants see, by their keys in study.yaml.
PARTS = {
    **{name: key.title or usual(name) for name, key in StudyDefinition.model_fields.items()},
    "translations": "Translations",
    "responses": "Prompts and responses",
}
CONTEXT = 2


def versions_of(study: Study) -> QuerySet[Study]:
    """All versions, the newest first, each with `people`: how many raters began it."""
    versions = Study.objects.filter(slug=study.slug)
    raters = people_counted(source__in=counted_sources())
    return versions.annotate(people=raters).order_by("-version")


def compared_version(study: Study, number: int | None) -> Study | None:
    """The version `number`, to compare with; else the newest before this one, if there is one.
    Raises Http404.
    """
    others = Study.objects.filter(slug=study.slug).exclude(pk=study.pk).order_by("-version")
    if number is None:
        return others.filter(version__lt=study.version).first()
    missing = f"{study.slug} has no version {number} to compare with."
    return first_or_404(others.filter(version=number), missing)


@dataclass(frozen=True)
class DiffLine:
    """A line of a difference: `+`, `-`, a space, or `@` where lines are left out."""

    sign: str
    text: str


@dataclass(frozen=True)
class VersionDifference:
    """What changed in one part of a study."""

    part: str
    summary: str
    lines: list[DiffLine]


def differences(old: Study, new: Study) -> list[VersionDifference]:
    """What participants see otherwise in `new` than in `old`, part by part."""
    before, after = _content(old), _content(new)
    parts = []
    for part in dict.fromkeys([*PARTS.values(), "Other"]):
        here, there = (
            {key: text for key, text in content.items() if PARTS.get(key[0], "Other") == part}
            for content in (before, after)
        )
        if here != there:
            parts.append(VersionDifference(part, _in_words(here, there), _lines(here, there)))
    return parts


def _content(study: Study) -> dict[Key, str]:
    """All that participants see, by its place in the study's files."""
    content = dict(flat(study.definition))
    content |= dict(flat(study.translations, ("translations",)))
    members = BlockResponse.objects.filter(block__study=study).order_by(
        "block__position", "position"
    )
    for member in members.select_related("block__scenario", "response__system"):
        block, system = member.block, member.response.system
        scenario = ("responses", block.scenario.name)
        content[(*scenario, "prompt")] = block.scenario.prompt
        if block.scenario.context:
            content[(*scenario, "context")] = block.scenario.context
        place = f"set {block.set_name}" if block.set_name else "the only set"
        content[(*scenario, place, str(system))] = member.response.text
    return content


def _in_words(old: Mapping[Key, str], new: Mapping[Key, str]) -> str:
    counts = Counter(
        "added" if key not in old else "removed" if key not in new else "changed"
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    )
    order = ("changed", "added", "removed")
    said = [f"{counts[what]} {what}" for what in order if counts[what]]
    return ", ".join(said) or "same texts in another order"


def _lines(old: Mapping[Key, str], new: Mapping[Key, str]) -> list[DiffLine]:
    """The unified difference, without its head."""
    difference = unified_diff(_written(old), _written(new), lineterm="", n=CONTEXT)
    lines = list(difference)[2:]
    return [DiffLine("@", "…") if line[0] == "@" else DiffLine(line[0], line[1:]) for line in lines]


def _written(content: Mapping[Key, str]) -> list[str]:
    lines = []
    for key, text in content.items():
        name = " › ".join(key[1:] if len(key) > 1 else key)
        first, *rest = text.splitlines() or [""]
        lines += [f"{name}: {first}", *(f"    {line}" for line in rest)]
    return lines

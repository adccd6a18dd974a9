"""Writing a checked study to the database."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from survey.definition import ResponseRow, StudyDefinition
from survey.definition.study import Settings
from survey.models import Block, BlockResponse, Response, Scenario, Study, StudyEvent, System


@dataclass(frozen=True)
class Loaded:
    """The study, and what loading did: `created`, `replaced`, `settings` or `unchanged`."""

    study: Study
    outcome: str


def content_hash(definition: StudyDefinition, rows: Sequence[ResponseRow]) -> str:
    """SHA-256 of all that raters see; line numbers and row comments don't count."""
    content = {
        "definition": definition.model_dump(mode="json"),
        "responses": [
            [r.scenario, r.set_name, r.prompt, r.context, r.model, r.condition, r.text]
            for r in rows
        ],
    }
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


@transaction.atomic
def load_study(
    *, definition: StudyDefinition, settings: Settings, rows: Sequence[ResponseRow]
) -> Loaded:
    """Create the study, or a new version of it, or take over changed settings.

    The same content again changes nothing. Changed content replaces a version that nobody has
    arrived at yet; otherwise it becomes a new version in draft, so results never mix.
    """
    digest = content_hash(definition, rows)
    new_settings = settings.model_dump(mode="json")
    newest = (
        Study.objects.select_for_update().filter(slug=definition.slug).order_by("-version").first()
    )
    if newest is not None and newest.content_hash == digest:
        return Loaded(newest, _take_settings(newest, new_settings))
    replace = newest is not None and not newest.participants.exists()
    if newest is None or not replace:
        study = Study(slug=definition.slug, version=newest.version + 1 if newest else 1)
        outcome = "created"
    else:
        study, outcome = newest, "replaced"
        study.blocks.all().delete()
        study.scenarios.all().delete()
        study.systems.all().delete()
    study.title = definition.title
    study.definition = definition.model_dump(mode="json")
    study.settings = new_settings
    study.content_hash = digest
    study.loaded_at = timezone.now()
    study.save()
    _write_content(study, rows)
    StudyEvent.objects.create(study=study, action="loaded", detail={"content_hash": digest})
    return Loaded(study, outcome)


def _take_settings(study: Study, new_settings: dict[str, object]) -> str:
    if study.settings == new_settings:
        return "unchanged"
    StudyEvent.objects.create(
        study=study, action="settings", detail={"from": study.settings, "to": new_settings}
    )
    study.settings = new_settings
    study.save(update_fields=["settings"])
    return "settings"


def _write_content(study: Study, rows: Sequence[ResponseRow]) -> None:
    scenarios: dict[str, Scenario] = {}
    systems: dict[tuple[str, str], System] = {}
    responses: dict[tuple[str, tuple[str, str], str], Response] = {}
    blocks: dict[tuple[str, str], Block] = {}
    members: list[BlockResponse] = []
    sizes: dict[tuple[str, str], int] = {}
    for row in rows:
        scenario = scenarios.setdefault(
            row.scenario,
            Scenario(
                study=study,
                name=row.scenario,
                position=len(scenarios) + 1,
                prompt=row.prompt,
                context=row.context,
            ),
        )
        system = systems.setdefault(
            row.system, System(study=study, model=row.model, condition=row.condition)
        )
        text_hash = hashlib.sha256(row.text.encode()).hexdigest()
        response = responses.setdefault(
            (row.scenario, row.system, text_hash),
            Response(scenario=scenario, system=system, text=row.text, text_hash=text_hash),
        )
        block = blocks.setdefault(
            row.block,
            Block(study=study, scenario=scenario, set_name=row.set_name, position=len(blocks) + 1),
        )
        sizes[row.block] = sizes.get(row.block, 0) + 1
        members.append(BlockResponse(block=block, response=response, position=sizes[row.block]))
    Scenario.objects.bulk_create(scenarios.values())
    System.objects.bulk_create(systems.values())
    Response.objects.bulk_create(responses.values())
    Block.objects.bulk_create(blocks.values())
    BlockResponse.objects.bulk_create(members)

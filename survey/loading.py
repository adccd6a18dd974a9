"""Writing a checked study to the database."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from survey.definition import ResponseRow, StudyDefinition
from survey.definition.codes import with_codes, with_new_codes
from survey.definition.settings import ENDINGS, Prolific, Settings
from survey.files.names import in_one_form, one_name
from survey.models import (
    Block,
    BlockResponse,
    DemographicAnswer,
    Participant,
    Response,
    Scenario,
    Study,
    StudyEvent,
    System,
)
from survey.tidy import response_rows

BlockKey = tuple[str, str]
ResponseKey = tuple[str, tuple[str, str], str]


@dataclass(frozen=True)
class Loaded:
    """The study, and what loading did: `created`, `replaced`, `settings` or `unchanged`.

    What responses.csv states about responses that are there counts as a setting.
    """

    study: Study
    outcome: str


def content_hash(
    definition: StudyDefinition,
    rows: Sequence[ResponseRow],
    translations: Sequence[StudyDefinition] = (),
) -> str:
    """SHA-256 of all that raters see; line numbers, comments and stated languages don't count."""
    return stored_content_hash(
        definition.model_dump(mode="json"),
        rows,
        [translation.model_dump(mode="json") for translation in translations],
    )


def stored_content_hash(
    definition: Mapping[str, Any],
    rows: Sequence[ResponseRow],
    translations: Sequence[Mapping[str, Any]],
) -> str:
    """`content_hash` of definitions as they are stored with a study."""
    content = {
        "definition": definition,
        "translations": translations,
        "responses": [
            [r.scenario, r.set_name, r.prompt, r.context, r.model, r.condition, r.text]
            for r in rows
        ],
    }
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


@transaction.atomic
def load_study(
    *,
    definition: StudyDefinition,
    settings: Settings,
    rows: Sequence[ResponseRow],
    translations: Sequence[StudyDefinition] = (),
) -> Loaded:
    """Create the study or a new version of it, or store changed settings.

    The same content again changes nothing. Changed content replaces a version without participants;
    otherwise it becomes a new version, a draft, so results never mix. If only the
    indentation of first lines differs, a version with participants is kept: earlier releases
    removed it. Without any completion code, one is drawn at random for each ending, once for all
    versions.
    """
    digest = content_hash(definition, rows, translations)
    newest = (
        Study.objects.select_for_update().filter(slug=definition.slug).order_by("-version").first()
    )
    random_codes: dict[str, str] = newest.random_codes if newest else {}
    if settings.lacks_codes:  # a study loaded earlier may lack the code of a newer ending
        in_use = _codes_in_use(newest) if newest and not random_codes else {}
        random_codes = with_new_codes(random_codes or in_use)
    new_settings = with_codes(settings, definition, random_codes).model_dump(mode="json")
    has_people = newest is not None and (
        newest.participants.exists() or newest.withdrawals.exists()
    )
    if newest is not None and newest.content_hash != digest:
        for read in [rows, *([_without_indentation(rows)] if has_people else [])]:
            wanted = content_hash(definition, read, translations)
            _compose_names(newest, definition, read, translations, wanted)
            if newest.content_hash == wanted:
                digest, rows = wanted, read
                break
    if newest is not None and newest.content_hash == digest:
        changed = _take_settings(newest, new_settings, random_codes)
        changed = _take_languages(newest, rows) or changed
        return Loaded(newest, "settings" if changed else "unchanged")
    if newest is None or has_people:
        study = Study(slug=definition.slug, version=newest.version + 1 if newest else 1)
        outcome = "created"
    else:
        study, outcome = newest, "replaced"
        _clear(study, definition, rows)
    study.title = definition.title
    study.definition = definition.model_dump(mode="json")
    study.translations = {t.language: t.model_dump(mode="json") for t in translations}
    study.pilot = definition.pilot
    study.settings = new_settings
    study.random_codes = random_codes
    study.content_hash = digest
    study.loaded_at = timezone.now()
    study.save()
    _write_content(study, rows)
    StudyEvent.objects.create(study=study, action="loaded", detail={"content_hash": digest})
    return Loaded(study, outcome)


def _without_indentation(rows: Sequence[ResponseRow]) -> list[ResponseRow]:
    return [
        replace(row, prompt=row.prompt.strip(), context=row.context.strip(), text=row.text.strip())
        for row in rows
    ]


def _compose_names(
    study: Study,
    definition: StudyDefinition,
    rows: Sequence[ResponseRow],
    translations: Sequence[StudyDefinition],
    digest: str,
) -> None:
    """Give a study that was loaded when its names could be decomposed the names of its files, if
    nothing else differs. What raters see stays, so it is the same version.
    """
    before = response_rows(study, as_loaded=True)
    stored = [
        replace(
            row,
            scenario=one_name(row.scenario),
            set_name=one_name(row.set_name),
            model=one_name(row.model),
            condition=one_name(row.condition),
        )
        for row in before
    ]
    # PostgreSQL does not keep the order of keys.
    texts = [study.definition, *(study.translations.get(t.language) for t in translations)]
    composed = in_one_form(texts)
    if (stored, composed) == (before, texts):
        return
    if None in composed or len(study.translations) != len(translations):
        return
    was, *others = map(StudyDefinition.model_validate, composed)
    is_one_each = len({row.system for row in stored}) == len({row.system for row in before})
    if content_hash(was, stored, others) != digest or not is_one_each:
        return
    for scenario in study.scenarios.all():
        scenario.name = one_name(scenario.name)
        scenario.save(update_fields=["name"])
    for system in study.systems.all():
        system.model, system.condition = one_name(system.model), one_name(system.condition)
        system.save(update_fields=["model", "condition"])
    for block in study.blocks.all():
        block.set_name = one_name(block.set_name)
        block.save(update_fields=["set_name"])
    for answer in DemographicAnswer.objects.filter(participant__study=study):
        if (value := in_one_form(answer.value)) != answer.value:
            answer.value = value
            answer.save(update_fields=["value"])
    study.definition = definition.model_dump(mode="json")
    study.translations = {t.language: t.model_dump(mode="json") for t in translations}
    study.content_hash = digest
    study.save(update_fields=["definition", "translations", "content_hash"])
    StudyEvent.objects.create(study=study, action="names", detail={"content_hash": digest})


def _codes_in_use(study: Study) -> dict[str, str]:
    """The codes of participants from Prolific; empty if there are none, even if others have started
    the study or were imported.
    """
    here, withdrawn = (
        people.filter(source=Participant.Source.PROLIFIC).exists()
        for people in (study.participants, study.withdrawals)
    )
    if study.settings["prolific"] is None or not (here or withdrawn):
        return {}
    prolific = Prolific.model_validate(study.settings["prolific"])
    return {ending: code for ending in ENDINGS if (code := prolific.code(ending)) is not None}


def _clear(study: Study, definition: StudyDefinition, rows: Sequence[ResponseRow]) -> None:
    """Remove what the new content lacks. Other rows stay, with the scores of judges that were paid
    for: the same text for the same prompt and task, and the block of the same responses.
    """
    _clear_blocks(study, rows)
    if study.definition["tasks"] != definition.model_dump(mode="json")["tasks"]:
        study.scenarios.all().delete()
    scenarios = {(row.scenario, row.prompt, row.context) for row in rows}
    for scenario in study.scenarios.all():
        if (scenario.name, scenario.prompt, scenario.context) not in scenarios:
            scenario.delete()
    wanted = {(row.scenario, row.system, row.text_hash) for row in rows}
    for response in Response.objects.filter(scenario__study=study).select_related(
        "scenario", "system"
    ):
        system = (response.system.model, response.system.condition)
        if (response.scenario.name, system, response.text_hash) not in wanted:
            response.delete()
    systems = {row.system for row in rows}
    for system_row in study.systems.all():
        if (system_row.model, system_row.condition) not in systems:
            system_row.delete()


def _clear_blocks(study: Study, rows: Sequence[ResponseRow]) -> None:
    """Remove the blocks that have other responses now. The others get their positions again."""
    wanted: dict[BlockKey, set[tuple[tuple[str, str], str]]] = {}
    for row in rows:
        wanted.setdefault(row.block, set()).add((row.system, row.text_hash))
    shown: dict[Block, set[tuple[tuple[str, str], str]]] = {}
    for member in BlockResponse.objects.filter(block__study=study).select_related(
        "block__scenario", "response__system"
    ):
        system = (member.response.system.model, member.response.system.condition)
        shown.setdefault(member.block, set()).add((system, member.response.text_hash))
    changed = [b.pk for b, responses in shown.items() if wanted.get(_key(b)) != responses]
    study.blocks.filter(pk__in=changed).delete()
    BlockResponse.objects.filter(block__study=study).delete()


def _key(block: Block) -> BlockKey:
    return block.scenario.name, block.set_name


def _take_settings(
    study: Study, new_settings: dict[str, object], random_codes: dict[str, str]
) -> bool:
    """Store settings; whether they differ."""
    # compared as settings: without a key that is newer, they equal those with its default
    old, new = Settings.model_validate(study.settings), Settings.model_validate(new_settings)
    if old == new:
        return False
    StudyEvent.objects.create(
        study=study, action="settings", detail={"from": study.settings, "to": new_settings}
    )
    study.settings, study.random_codes = new_settings, random_codes
    if old.responses_language != new.responses_language:
        study.languages_at = timezone.now()
    study.save(update_fields=["settings", "random_codes", "languages_at"])
    return True


def _take_languages(study: Study, rows: Sequence[ResponseRow]) -> bool:
    """Store what is stated about the language of each response; whether it differs."""
    stated = {(row.scenario, row.system, row.text_hash): row.language for row in rows}
    changed: list[Response] = []
    for key, response in _responses_of(study).items():
        if response.language != stated[key]:
            response.language = stated[key]
            changed.append(response)
    if not changed:
        return False
    Response.objects.bulk_update(changed, ["language"], batch_size=500)
    study.languages_at = timezone.now()
    study.save(update_fields=["languages_at"])
    StudyEvent.objects.create(study=study, action="languages", detail={"responses": len(changed)})
    return True


def _responses_of(study: Study) -> dict[ResponseKey, Response]:
    responses = Response.objects.filter(scenario__study=study).select_related("scenario", "system")
    return {
        (r.scenario.name, (r.system.model, r.system.condition), r.text_hash): r for r in responses
    }


def _write_content(study: Study, rows: Sequence[ResponseRow]) -> None:
    """Write the content of `rows` that is not stored yet."""
    scenarios = {scenario.name: scenario for scenario in study.scenarios.all()}
    systems = {(system.model, system.condition): system for system in study.systems.all()}
    responses = _responses_of(study)
    blocks = {_key(block): block for block in study.blocks.select_related("scenario")}
    members: list[BlockResponse] = []
    sizes: Counter[BlockKey] = Counter()
    positions: dict[str, int] = {}
    for row in rows:
        position = positions.setdefault(row.scenario, len(positions) + 1)
        scenario = scenarios.setdefault(
            row.scenario,
            Scenario(study=study, name=row.scenario, prompt=row.prompt, context=row.context),
        )
        scenario.position = position
        system = systems.setdefault(
            row.system, System(study=study, model=row.model, condition=row.condition)
        )
        response = responses.setdefault(
            (row.scenario, row.system, row.text_hash),
            Response(scenario=scenario, system=system, text=row.text, text_hash=row.text_hash),
        )
        response.language = row.language
        block = blocks.setdefault(
            row.block, Block(study=study, scenario=scenario, set_name=row.set_name)
        )
        sizes[row.block] += 1
        members.append(BlockResponse(block=block, response=response, position=sizes[row.block]))
    for position, key in enumerate(sizes, 1):
        blocks[key].position = position
    Scenario.objects.bulk_update([s for s in scenarios.values() if s.pk], ["position"])
    Scenario.objects.bulk_create(s for s in scenarios.values() if not s.pk)
    System.objects.bulk_create(s for s in systems.values() if not s.pk)
    Response.objects.bulk_update(
        [r for r in responses.values() if r.pk], ["language"], batch_size=500
    )
    Response.objects.bulk_create(r for r in responses.values() if not r.pk)
    Block.objects.bulk_update([b for b in blocks.values() if b.pk], ["position"])
    Block.objects.bulk_create(b for b in blocks.values() if not b.pk)
    BlockResponse.objects.bulk_create(members)

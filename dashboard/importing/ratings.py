"""Importing ratings collected elsewhere: check everything, then write all of it or nothing."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from analysis.models import ManualDecision
from analysis.recipe_sets import recipes_in_force
from analysis.ungrouped import sentences, ungrouped
from dashboard.importing.checks import read_ranks, read_ratings
from dashboard.importing.files import Findings, ImportRefused
from dashboard.importing.gold import GoldValue, read_gold
from dashboard.importing.mapping import known_in
from dashboard.importing.people import (
    ImportedBlock,
    JudgedPage,
    Names,
    Person,
    Vocabulary,
    look_for_prolific_ids,
    read_people,
)
from judge.gold import add_gold_set, choose_gold
from judge.models import GoldSet
from judge.queries import Gold, gold_scores
from survey.batched import batched
from survey.content import content_of
from survey.definition.mapping import StudyMap
from survey.definition.settings import ENDINGS, Settings
from survey.definition.tasks import COMPARING
from survey.files.names import key_of_texts, one_name
from survey.files.problems import Problem, read_bytes
from survey.models import (
    DemographicAnswer,
    Participant,
    Presentation,
    Rating,
    Response,
    Study,
    StudyEvent,
)
from survey.tidy import cells_of, definition_of, dimensions_of

#: What gold scores that come with ratings are called.
IMPORTED = "imported"
#: People whose answers are made into rows at a time.
BATCH = 200


@dataclass(frozen=True)
class Imported:
    """What an import added."""

    participants: int
    ratings: int
    ranks: int
    gold: int
    notices: list[str]


@dataclass(frozen=True)
class _Checked:
    people: dict[str, Person]
    gold: list[GoldValue]
    done: Imported


def import_ratings(
    *, study: Study, files: Mapping[str, Path], map_file: Path | None = None
) -> Imported:
    """Import `files`, by the names `participants`, `ratings`, `gold`, `ranks` (the last two may
    be absent, and that of ratings where the study has none). Without one of participants, these are
    the people whom ratings and ranks name. `map_file` says where they have our columns, if not
    under our names. Raises ImportRefused and DefinitionError, having changed nothing.
    """
    contents = {name: read_bytes(path) for name, path in files.items()}
    vocabulary = vocabulary_of(study)
    study_map = read_map(map_file, vocabulary) if map_file else None
    if vocabulary.rating_task and "ratings" not in files:
        raise ImportRefused(f"Nothing was imported: {study} has ratings, so give their file too")
    if not {"participants", "ratings", "ranks"} & files.keys():
        raise ImportRefused("Nothing was imported: give a file of participants, ratings or ranks")
    checked = _check(vocabulary, files, contents, study_map)
    checked.done.notices.extend(_in_no_group(study, checked.people.values()))
    before = gold_scores(study)
    if checked.gold and before.scores and not before.is_imported:
        notice = f"the imported gold scores replace those of {before.source}"
        checked.done.notices.append(notice)
    digests = {n: hashlib.sha256(data).hexdigest() for n, data in contents.items()}
    if map_file:
        digests["map"] = hashlib.sha256(read_bytes(map_file)).hexdigest()
    try:
        with transaction.atomic():
            _write(study, vocabulary, checked, digests)
    except IntegrityError:
        # The database stopped what was not there a moment ago, when it was looked for.
        raise ImportRefused(
            f"Nothing was imported: another import into {study} added some of this meanwhile"
        ) from None
    return checked.done


def vocabulary_of(study: Study) -> Vocabulary:
    """What files of this study may name."""
    definition = definition_of(study)
    asked, compared = definition.demographics, definition.comparing
    layout = content_of(study).layout
    cells = cells_of(study)
    responses = {response: (block, response) for block, response in cells}
    ids = Response.objects.filter(pk__in=list(responses)).values_list("public_id", "id")
    return Vocabulary(
        study=str(study),
        cells={_composed(cell.names): key for key, cell in cells.items()},
        scenarios=_by_texts(study),
        public_ids={public_id: responses[response] for public_id, response in ids},
        dimensions=dimensions_of(definition),
        shared={(task.column, task.dimension) for task in compared if task.is_shared},
        placing=COMPARING | {task.column: type(task) for task in compared},
        rank_dimensions=definition.compared_dimensions,
        rank_dimension_needed=len(definition.compared_dimensions) > 1
        and all(task.dimension for task in compared),
        rating_task=definition.rating.kind if definition.rating else "",
        scale=definition.rating.values if definition.rating else [],
        questions=[question.name for question in (*definition.screening, *asked)],
        numbers={q.name: q.number for q in asked if q.number},
        options={q.name: q.in_files for q in (*definition.screening, *asked) if q.in_files},
        ways_in=[way.value for way in Participant.WayIn],
        endings=list(ENDINGS),
        devices=[device.value for device in Participant.Device],
        sources=Participant.Source.values,
        repeats=Settings.model_validate(study.settings).repeats,
        test_sources=[str(source) for source in Participant.TEST_SOURCES],
        page_sizes={block: layout.page_sizes(block) for block in layout.responses},
        spread=layout.spread,
    )


def _by_texts(study: Study) -> dict[str, str]:
    """The scenarios by their texts, without those that have the same ones."""
    by_key: dict[str, list[str]] = {}
    for name, prompt, context in study.scenarios.values_list("name", "prompt", "context"):
        by_key.setdefault(key_of_texts(context, prompt), []).append(one_name(name))
        if context:  # a file may have prompts alone
            by_key.setdefault(key_of_texts(prompt), []).append(one_name(name))
    return {key: names[0] for key, names in by_key.items() if len(names) == 1}


def _composed(names: Names) -> Names:
    """Names as files have them. A study that was loaded before names had one form has others."""
    scenario, set_name, model, condition = map(one_name, names)
    return scenario, set_name, model, condition


def read_map(path: Path, vocabulary: Vocabulary) -> StudyMap:
    """A mapping file of a loaded study. Raises DefinitionError."""
    return StudyMap(read_bytes(path), file=str(path), known=known_in(vocabulary))


def _check(
    vocabulary: Vocabulary,
    files: Mapping[str, Path],
    contents: Mapping[str, bytes],
    study_map: StudyMap | None,
) -> _Checked:
    findings = Findings()
    given = {name: (contents[name], str(file), vocabulary) for name, file in files.items()}
    people: dict[str, Person] = {}
    if "participants" in given:
        people = read_people(*given["participants"], findings, study_map=study_map)
        if not people:
            findings.refuse_if_any()
    mapped: dict[str, Any] = {"study_map": study_map, "new_people": "participants" not in given}
    ratings, ranks, gold = 0, 0, []
    if "ratings" in given:
        ratings = read_ratings(*given["ratings"], people, findings, **mapped)
    if "ranks" in given:
        ranks = read_ranks(*given["ranks"], people, findings, **mapped)
    if "participants" not in given:
        file = str(files.get("ratings") or files["ranks"])
        _note_new_people(people, file, findings)
    if "gold" in given:
        gold = read_gold(*given["gold"], findings, study_map=study_map)
    findings.refuse_if_any()
    if study_map:
        findings.notices.extend(study_map.notices_of_unused((*files, "responses")))
    done = Imported(len(people), ratings, ranks, len(gold), findings.all_notices)
    return _Checked(people, gold, done)


def _note_new_people(people: Mapping[str, Person], file: str, findings: Findings) -> None:
    """Say who the people are where no file tells it."""
    if not people and not findings.problems:
        findings.problems.add(Problem(file, 1, 0, "there are no ratings below the header"))
    findings.notices.append(
        f"{file}: there is no file of participants, so everybody whom its rows name is one who "
        f"completed: {len(people)}"
    )
    look_for_prolific_ids(people, file, findings)


def _in_no_group(study: Study, people: Iterable[Person]) -> list[str]:
    """Answers that are in no group of the study's recipes, and how many people gave each."""
    given: dict[str, Counter[str]] = {}
    for person in people:
        for name, answer in person.answers.items():
            given.setdefault(name, Counter())[str(answer)] += 1
    answers = {name: [answer for answer, _ in of.most_common()] for name, of in given.items()}
    return [
        "".join(sentences(field, {answer: str(n) for answer, n in given[field.column].items()}))
        for field in ungrouped(recipes_in_force(study), answers)
    ]


# ── Writing ──────────────────────────────────────────────────────────────────────────────────


def _write(
    study: Study, vocabulary: Vocabulary, checked: _Checked, digests: Mapping[str, str]
) -> None:
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.loaded_at != study.loaded_at:
        raise ImportRefused(f"Nothing was imported: {study} was loaded again meanwhile. Try again")
    _refuse_what_is_there(study, checked)
    if any(person.source not in vocabulary.test_sources for person in checked.people.values()):
        Study.objects.filter(pk=study.pk, frozen_at=None).update(frozen_at=timezone.now())
    for batch in batched(checked.people.values(), BATCH):
        _write_people(study, batch, vocabulary)
    if checked.gold:
        scores = [Gold(g.response, g.dimension, g.value, g.calls) for g in checked.gold]
        made_by = checked.gold[0].gold_by
        gold_set = add_gold_set(study, name=IMPORTED, made_by=made_by, scores=scores)
        choose_gold(study, gold_set=gold_set, why="imported with ratings")
    done = checked.done
    counts = {"participants": done.participants, "ratings": done.ratings, "gold": done.gold}
    detail = {"sha256": dict(digests), **counts, "ranks": done.ranks}
    StudyEvent.objects.create(study=study, action=StudyEvent.IMPORTED, detail=detail)


def _refuse_what_is_there(study: Study, checked: _Checked) -> None:
    pseudonyms = Participant.objects.filter(study=study).values_list("pseudonym", flat=True)
    here = set(map(one_name, pseudonyms))
    twice = [name for name in checked.people if name in here]
    if twice:
        some = ", ".join(twice[:3]) + (", …" if len(twice) > 3 else "")
        raise ImportRefused(
            f"Nothing was imported: {len(twice)} of {len(checked.people)} participants are already "
            f"in {study} ({some}). Was this imported before?"
        )
    if checked.gold and GoldSet.objects.filter(study=study, name=IMPORTED).exists():
        raise ImportRefused(f"Nothing was imported: {study} already has imported gold scores")


def _write_people(study: Study, people: Sequence[Person], vocabulary: Vocabulary) -> None:
    now = timezone.now()
    rows = Participant.objects.bulk_create(
        Participant(
            study=study,
            pseudonym=person.name,
            source=person.source,
            status=person.status,
            arrived_at=person.started_at or now,
            started_at=person.started_at,
            last_seen_at=person.finished_at or person.started_at or now,
            finished_at=person.finished_at,
            imported_duration_seconds=person.duration_seconds,
            imported_checks_failed=person.checks_failed,
            way_in=person.way_in,
            ending=person.ending,
            language=person.language,
            device=person.device,
            viewport_width=person.window[0],
            viewport_height=person.window[1],
            clock_stepped=person.clock_stepped,
        )
        for person in people
    )
    DemographicAnswer.objects.bulk_create(
        DemographicAnswer(participant=row, name=name, value=value)
        for row, person in zip(rows, people, strict=True)
        for name, value in person.answers.items()
    )
    ManualDecision.objects.bulk_create(
        ManualDecision(participant=row, excluded=True, reason=person.excluded_by_decision, at=now)
        for row, person in zip(rows, people, strict=True)
        if person.excluded_by_decision
    )
    given = [
        (row, page, part, answers)
        for row, person in zip(rows, people, strict=True)
        for page, part, answers in _in_parts(person)
    ]
    presentations = Presentation.objects.bulk_create(
        Presentation(
            participant=row,
            block_id=page.block,
            repeat=page.repeat,
            part=part,
            position=answers.position,
            response_order=_order(answers, vocabulary, page.block),
            imported_seconds=answers.seconds,
        )
        for row, page, part, answers in given
    )
    Rating.objects.bulk_create(
        Rating(
            presentation=presentation,
            response_id=response,
            task=task,
            dimension=dimension,
            value=value,
            revisions=revisions,
        )
        for presentation, (_, _, _, answers) in zip(presentations, given, strict=True)
        for (response, task, dimension), (value, revisions) in answers.values.items()
    )


def _in_parts(person: Person) -> Iterator[tuple[JudgedPage, int, ImportedBlock]]:
    """What a person gave on each page, and which page of its block and repeat it is: 1 for the
    first.
    """
    parts: Counter[tuple[int, int]] = Counter()
    for page in sorted(person.blocks, key=lambda page: page.position or 0):
        parts[page.block, page.repeat] += 1
        yield page, parts[page.block, page.repeat], person.blocks[page]


def _order(answers: ImportedBlock, vocabulary: Vocabulary, block: int) -> list[int] | None:
    """The responses from top to bottom, if the place of every one of the page is known: of the
    whole block, or of as many as a page of the study shows.
    """
    places = {place: response for response, place in answers.places.items() if place is not None}
    known = sorted(places) == [*range(1, len(answers.places) + 1)]
    sizes = {vocabulary.block_sizes[block], *vocabulary.page_sizes[block]}
    return [places[p] for p in sorted(places)] if known and len(places) in sizes else None

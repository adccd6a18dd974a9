"""What a page shows of a block, and to whom: `systems_per_page`, `reference_on_every_page`,
`between_subjects`. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from survey.definition.missing import in_set, name_of
from survey.definition.responses import ResponseRow
from survey.definition.study import MOST_ON_A_PAGE, StudyDefinition, SystemName
from survey.definition.tasks import ComparingTask
from survey.files.yaml_file import KeyPath


def is_on_every_page(study: StudyDefinition, system: SystemName) -> bool:
    """Whether every page shows the response of this system."""
    return study.reference_on_every_page and system == study.reference


def group_of(study: StudyDefinition, system: SystemName) -> str:
    """The group of participants who see this system; empty if all do."""
    if study.between_subjects is None or is_on_every_page(study, system):
        return ""
    if study.between_subjects == "system":
        return name_of((system.model, system.condition))
    return system.model if study.between_subjects == "model" else system.condition


def groups_of(study: StudyDefinition, rows: Iterable[ResponseRow]) -> list[str]:
    """The groups of participants, in the order of the rows; one without a name if all see the
    same.
    """
    groups = dict.fromkeys(group_of(study, _system(row)) for row in rows)
    return [group for group in groups if group] or [""]


def least_on_a_page(study: StudyDefinition, rows: Sequence[ResponseRow]) -> int:
    """The fewest responses that a page shows; 0 if there are none."""
    sizes = _sizes(study, rows, limited=True).values()
    return min((size for by_group in sizes for size in by_group.values()), default=0)


def pages_of_each(study: StudyDefinition, sizes: Sequence[int]) -> int:
    """How many pages with responses a participant has in a study of blocks of these sizes; if they
    see some of the blocks, all have equally many.
    """
    pages = [study.page_options.pages_of(size) for size in sizes]
    if study.blocks_per_participant is None or study.blocks_per_participant >= len(sizes):
        return sum(pages)
    return study.blocks_per_participant * max(pages, default=1)


def given_by_each(study: StudyDefinition, rows: Sequence[ResponseRow]) -> tuple[int, int]:
    """How many ratings each rater gives at least, and on how many blocks."""
    blocks = len({row.block for row in rows})
    blocks = min(study.blocks_per_participant or blocks, blocks)
    dimensions = len(study.rating.dimensions) if study.rating else 0
    least = least_on_a_page(study, rows)
    if study.spread_over_pages:
        least = min(Counter(row.block for row in rows).values(), default=0)
    return blocks * least * dimensions, blocks


def page_problems(
    study: StudyDefinition, rows: Sequence[ResponseRow]
) -> Iterator[tuple[KeyPath, str]]:
    """Why pages can't show the responses as the study says: keys and messages, one for each key."""
    yield from _problems_of_groups(study, rows)
    yield from _problems_of_spreading(study, rows)
    all_sizes = _sizes(study, rows, limited=False)
    # where a response is missing, a page may show fewer
    most_in_a_block = max((min(sizes.values()) for sizes in all_sizes.values()), default=0)
    for (scenario, set_name), sizes in all_sizes.items():
        where = f"scenario {scenario!r}{in_set(set_name)}"
        least, most = min(sizes.values()), max(sizes.values())
        if study.systems_per_page is None and most > MOST_ON_A_PAGE:
            message = (
                f"{where} has {most} responses to show, and a page shows at most {MOST_ON_A_PAGE}: "
                f"say how many of them, for example systems_per_page: {MOST_ON_A_PAGE // 2}"
            )
            yield ("systems_per_page",), message
            break
        if study.systems_per_page is not None and most_in_a_block < study.systems_per_page:
            message = f"{where} has only {least} responses that one participant may see"
            yield ("systems_per_page",), message
            break
    shown = _sizes(study, rows, limited=True)
    if alone := next((block for block, sizes in shown.items() if 1 in sizes.values()), None):
        is_everywhere = all(size == 1 for sizes in shown.values() for size in sizes.values())
        where = "" if is_everywhere else f" of scenario {alone[0]!r}{in_set(alone[1])}"
        for index, task in enumerate(study.tasks):
            if isinstance(task, ComparingTask):
                message = f"a page{where} shows one response, and this task compares two or more"
                message += "" if is_everywhere else ": remove the scenario, or add a response"
                yield ("tasks", index, "kind"), message


def _problems_of_spreading(
    study: StudyDefinition, rows: Sequence[ResponseRow]
) -> Iterator[tuple[KeyPath, str]]:
    sizes = Counter(row.block for row in rows)
    pages = {study.page_options.pages_of(size) for size in sizes.values()}
    if len(pages) < 2:
        return
    some = (study.blocks_per_participant or len(sizes)) < len(sizes)
    balanced = study.order.blocks == "balanced"
    if some or balanced:
        key = ("blocks_per_participant",) if some else ("order", "blocks")
        message = (
            "with spread_over_pages, blocks need equally many pages here, and they have "
            f"{min(pages)} to {max(pages)}: add the missing responses, or let participants see all "
            "blocks in random order"
        )
        yield key, message


def _problems_of_groups(
    study: StudyDefinition, rows: Sequence[ResponseRow]
) -> Iterator[tuple[KeyPath, str]]:
    by_block: dict[tuple[str, str], set[str]] = {}
    with_reference: set[tuple[str, str]] = set()
    for row in rows:
        by_block.setdefault(row.block, set()).add(group_of(study, _system(row)))
        if is_on_every_page(study, _system(row)):
            with_reference.add(row.block)
    groups = groups_of(study, rows)
    kind = study.between_subjects
    if kind is not None and len(groups) < 2:
        yield ("between_subjects",), f"the responses are all of one {kind}"
        return
    for (scenario, set_name), present in by_block.items():
        where = f"scenario {scenario!r}{in_set(set_name)}"
        if study.reference_on_every_page and not with_reference:
            yield ("reference_on_every_page",), f"{where} has no response of the reference"
            return
        missing = [group for group in groups if group not in present]
        if kind is not None and missing:
            message = (
                f"{where} has no response of {kind} {missing[0]}, so the participants who see that "
                f"{kind} would have no page there: remove the scenario, add the response or, where "
                "ratings from elsewhere are imported, leave out between_subjects"
            )
            yield ("between_subjects",), message
            return


def _sizes(
    study: StudyDefinition, rows: Sequence[ResponseRow], *, limited: bool
) -> dict[tuple[str, str], dict[str, int]]:
    """How many responses each group may see of each block; `limited` to those of one page."""
    groups = groups_of(study, rows)
    sizes: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        own = group_of(study, _system(row))
        by_group = sizes.setdefault(row.block, dict.fromkeys(groups, 0))
        for group in [own] if own else groups:
            by_group[group] += 1
    if limited and study.systems_per_page is not None:
        for by_group in sizes.values():
            by_group.update({g: min(n, study.systems_per_page) for g, n in by_group.items()})
    return sizes


def _system(row: ResponseRow) -> SystemName:
    return SystemName(model=row.model, condition=row.condition)

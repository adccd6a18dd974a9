"""The counterbalance certificate: what it counts, against a direct count of what was shown."""

from collections import Counter
from itertools import pairwise, permutations
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from scipy import stats

from dashboard.design.certificate import Certificate, certificate_rows
from dashboard.design.grids import Grid
from dashboard.design.shown_pages import pages_in_words
from survey.consent import give_consent
from survey.models import Participant, Presentation, Study
from survey.participants import Arrival
from survey.slots import free_slot
from survey.tidy import cells_of
from tests.factories import newcomer
from tests.survey import small_study, wide_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

NOW = timezone.now()
BALANCED = "order: {responses: balanced, blocks: balanced}\n"


def load(more: str = BALANCED) -> Study:
    yaml = small_study.YAML.replace("after_blocks: [1, 3]", "after_blocks: [1, 1]")
    return small_study.load(yaml=yaml + more)


@pytest.fixture
def study(db: None) -> Study:
    return load()


def start(
    study: Study, number: int, *, source: str = "link", done: bool = True, seeds: bool = False
) -> None:
    """So many people begin, and are `done`; with `seeds`, random orders are always the same."""
    for seed in range(number):
        order_seed = seed if seeds else None
        person = newcomer(Arrival(study=study, source=source, at=NOW, order_seed=order_seed))
        give_consent(participant=person, at=NOW)
        if done:
            Participant.objects.filter(pk=person.pk).update(status="completed", finished_at=NOW)


def counts(grid: Grid) -> dict[tuple[str, str], int]:
    return {cell: tally.count for cell, tally in grid.cells.items() if tally.count}


def direct(study: Study, **whose: object) -> tuple[Counter[tuple[str, str]], ...]:
    """System × place, system above × below, block × slot, system × slot: row by row."""
    names = {key: cell.names for key, cell in cells_of(study).items()}
    tables: tuple[Counter[tuple[str, str]], ...] = (Counter(), Counter(), Counter(), Counter())
    for shown in Presentation.objects.filter(participant__study=study, **whose):
        cells = [names[shown.block_id, response] for response in shown.response_order or ()]
        systems = [f"{model} ({condition})" for _, _, model, condition in cells]
        slot = str(shown.position)
        tables[0].update((system, str(i)) for i, system in enumerate(systems, start=1))
        tables[1].update(pairwise(systems))
        tables[2].update([(f"{cells[0][0]} · {cells[0][1]}", slot)])
        tables[3].update((system, slot) for system in systems)
    return tables


@pytest.mark.parametrize("order", [BALANCED, "", "order: {scenarios_together: true}\n"])
@pytest.mark.parametrize("few", ["", "blocks_per_participant: 2\n"])
def test_certificate_is_a_direct_count(db: None, order: str, few: str) -> None:
    study = load(order + few)
    start(study, 7)
    start(study, 3, done=False)
    start(study, 2, source="simulated")
    free_slot(study.participants.filter(status="in_progress").earliest("id"))
    for pool, people, whose in (
        ("real", "completed", {"participant__source": "link", "participant__status": "completed"}),
        ("real", "places", {"participant__source": "link", "participant__held_slot__gte": 0}),
        ("simulated", "completed", {"participant__source": "simulated"}),
    ):
        certificate = Certificate(study, pool, people)
        shown = certificate.grids[:4]
        assert tuple(map(counts, shown)) == direct(study, **whose)
    assert Certificate(study, "real", "completed").n_people == 7
    assert Certificate(study, "real", "places").n_people == 9


def test_complete_design_is_even_and_misses_nothing(study: Study) -> None:
    start(study, 12)
    certificate = Certificate(study, "real", "completed")
    for grid in certificate.grids:
        assert grid.missing == 0
    for grid in (certificate.block_slots, certificate.response_positions):
        assert grid.least == grid.most
        assert all(tally.count == tally.expected for tally in grid.cells.values())
    assert certificate.response_successions.least == certificate.response_successions.most
    assert [grid.test.p for grid in certificate.grids[:3]] == pytest.approx([1, 1, 1])
    assert [
        (part.name, part.every, part.target, certificate.missing(part))
        for part in certificate.parts
    ] == [
        ("blocks", 4, 12, []),
        ("responses", 6, 12, []),
    ]


def test_incomplete_design_says_what_is_missing(study: Study) -> None:
    start(study, 4)
    start(study, 1, done=False)
    start(study, 2)
    certificate = Certificate(study, "real", "completed")
    assert [(part.name, part.target, certificate.missing(part)) for part in certificate.parts] == [
        ("blocks", 8, [4, 7]),
        ("responses", 12, [4, 7, 8, 9, 10, 11]),
    ]
    assert certificate.block_slots.missing == 2 * 4
    assert certificate.system_positions.missing == 6 * 4 * 3
    with_slots = Certificate(study, "real", "places")
    assert [with_slots.missing(part) for part in with_slots.parts] == [
        [7],
        [7, 8, 9, 10, 11],
    ]


def test_random_orders_have_tests_and_nothing_to_complete(db: None) -> None:
    study = load("")
    start(study, 30, seeds=True)
    certificate = Certificate(study, "real", "completed")
    assert certificate.parts == []
    assert all(
        tally.complete is None for grid in certificate.grids for tally in grid.cells.values()
    )
    tests = [grid.test for grid in certificate.grids[:3]]
    assert [test.df for test in tests] == [2 * 4, 2 * 1, 9]
    expected = chi_squares(study)
    assert [test.statistic for test in tests] == pytest.approx(expected)
    assert [test.p for test in tests] == pytest.approx(
        [stats.chi2.sf(statistic, test.df) for statistic, test in zip(expected, tests, strict=True)]
    )
    assert min(expected) > 0


def chi_squares(study: Study) -> tuple[float, float, float]:
    """Of systems by place, their succession, and blocks by slot, for 30 people.

    What stands where is Pearson's χ² times (n − 1) / n for n places, as no two things share one.
    Of three things, all that their succession adds is which way round they stand.
    """
    names = {key: cell.names for key, cell in cells_of(study).items()}
    places: Counter[tuple[str, str, int]] = Counter()
    turns: Counter[str] = Counter()
    slots: Counter[tuple[int, int]] = Counter()
    for shown in Presentation.objects.filter(participant__study=study):
        assert shown.response_order is not None and shown.position is not None
        cells = [names[shown.block_id, response] for response in shown.response_order]
        set_name = cells[0][1]
        conditions = [condition for *_, condition in cells]
        places.update((set_name, condition, i) for i, condition in enumerate(conditions))
        after_plain = conditions[(conditions.index("plain") + 1) % 3]
        turns[set_name] += 1 if after_plain == "tuned" else -1
        slots[shown.block_id, shown.position] += 1
    assert (len(places), len(slots)) == (2 * 3 * 3, 4 * 4)
    return (
        sum((count - 20) ** 2 / 20 for count in places.values()) * 2 / 3,
        sum(turn**2 / 60 for turn in turns.values()),
        sum((count - 7.5) ** 2 / 7.5 for count in slots.values()) * 3 / 4,
    )


def test_few_random_blocks_each_are_dealt_out_evenly(db: None) -> None:
    study = load("blocks_per_participant: 3\n")
    start(study, 4)
    certificate = Certificate(study, "real", "completed")
    assert [(part.name, part.every, certificate.missing(part)) for part in certificate.parts] == [
        ("choice", 4, [])
    ]
    assert {sum(row) for row in certificate.block_slots.counts()} == {3}


def test_scenarios_kept_together_are_tested_as_such(db: None) -> None:
    study = load("order: {scenarios_together: true}\n")
    start(study, 40)
    assert Certificate(study, "real", "completed").block_slots.test.df == 1 + 2 * 1
    study = load("order: {scenarios_together: true}\nblocks_per_participant: 3\n")
    start(study, 4)
    assert Certificate(study, "real", "completed").block_slots.test.df == 0


def test_one_order_for_everybody_is_found_out(db: None) -> None:
    study = load("")
    start(study, 30)
    for shown in Presentation.objects.filter(participant__study=study):
        shown.response_order = sorted(shown.response_order or ())
        shown.save()
    certificate = Certificate(study, "real", "completed")
    assert certificate.system_positions.test.p < 1e-9
    assert certificate.system_successions.test.p < 1e-9


def test_imported_ratings_without_order_are_not_counted(study: Study) -> None:
    start(study, 1)
    Presentation.objects.update(position=None, response_order=None)
    certificate = Certificate(study, "real", "completed")
    assert certificate.n_people == 0
    assert all(grid.most == 0 for grid in certificate.grids)


def test_rows_name_the_pool_and_leave_out_empty_ones(study: Study) -> None:
    start(study, 1, source="simulated")
    rows = list(certificate_rows(study, ["real", "simulated"]))
    assert {row[:2] for row in rows} == {("simulated", "completed"), ("simulated", "places")}
    assert ("simulated", "completed", "block_slot", "S1 · 1") in {row[:4] for row in rows}


SOME_OF_SEVEN = "systems_per_page: 3", "order: {responses: balanced, blocks: balanced}"


def load_wide(*more: str, systems: int = 7, **shape: Any) -> Study:
    return wide_study.load(wide_study.yaml_of(*more), wide_study.csv_of(systems, **shape))


def test_chosen_systems_are_counted_directly(db: None) -> None:
    study = load_wide("systems_per_page: 3")
    start(study, 9)
    names = {key: cell.names for key, cell in cells_of(study).items()}
    shown: Counter[tuple[str, str]] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    above: Counter[tuple[str, str]] = Counter()
    slots: Counter[tuple[str, str]] = Counter()
    for page in Presentation.objects.all():
        cells = [names[page.block_id, response] for response in page.response_order or ()]
        systems = [f"{model} ({condition})" for _, _, model, condition in cells]
        shown.update((system, cells[0][0]) for system in systems)
        together.update(permutations(systems, 2))
        above.update(pairwise(systems))
        slots.update((system, str(page.position)) for system in systems)
    certificate = Certificate(study, "real", "completed")
    by_name = {grid.name: grid for grid in certificate.grids}
    assert list(by_name) == [
        *("system_scenario", "system_together", "system_position", "system_follows"),
        *("block_slot", "system_slot", "response_position"),
    ]
    assert counts(by_name["system_scenario"]) == shown
    assert counts(by_name["system_together"]) == together
    assert counts(by_name["system_follows"]) == above
    assert counts(by_name["system_slot"]) == slots
    assert set(by_name["system_position"].columns) == {"1", "2", "3"}
    for grid in certificate.grids:
        expected = sum(tally.expected for tally in grid.cells.values())
        assert expected == pytest.approx(sum(tally.count for tally in grid.cells.values()))


def test_a_complete_choice_is_even_and_misses_nothing(db: None) -> None:
    study = load_wide(*SOME_OF_SEVEN)
    start(study, 14)
    certificate = Certificate(study, "real", "completed")
    assert [(part.name, part.every, certificate.missing(part)) for part in certificate.parts] == [
        *(("blocks", 2, []), ("systems", 7, []), ("responses", 7, [])),
    ]
    assert {tally.count for tally in certificate.systems_shown.cells.values()} == {6}
    assert {tally.count for tally in certificate.response_positions.cells.values()} == {2}
    assert all(grid.missing == 0 for grid in certificate.grids)
    for grid in certificate.coarse_grids:
        assert grid.test.df or grid.name == "system_slot"
        assert grid.test.p > (0.2 if grid.name in ("system_together", "system_follows") else 0.9)


def test_an_incomplete_choice_says_what_is_missing(db: None) -> None:
    study = load_wide(*SOME_OF_SEVEN)
    start(study, 5)
    certificate = Certificate(study, "real", "completed")
    assert certificate.systems_shown.missing == 2 * (7 - 5) * 3
    assert certificate.response_positions.missing == 2 * (7 - 5) * 3


def test_an_uneven_choice_is_found_out(db: None) -> None:
    study = load_wide("systems_per_page: 3")
    start(study, 30)
    for page in Presentation.objects.all():
        page.response_order = sorted(page.block.responses.values_list("pk", flat=True))[:3]
        page.save()
    certificate = Certificate(study, "real", "completed")
    tests = {grid.name: grid.test for grid in certificate.grids}
    for name in ("system_scenario", "system_position", "system_follows"):
        assert tests[name].p < 1e-9


def test_people_of_each_system_are_even_and_systems_of_two_groups_never_meet(db: None) -> None:
    study = load_wide("between_subjects: system", systems=2)
    start(study, 8)
    certificate = Certificate(study, "real", "completed")
    assert {tally.count for tally in certificate.systems_shown.cells.values()} == {4}
    assert {tally.expected for tally in certificate.systems_shown.cells.values()} == {4}
    assert "system_together" not in {grid.name for grid in certificate.grids}
    assert [(part.name, part.every) for part in certificate.parts] == [("systems", 2)]


def test_the_reference_on_every_page_is_counted_as_such(db: None) -> None:
    study = load_wide(*SOME_OF_SEVEN, "reference_on_every_page: true", systems=6, reference=True)
    start(study, 18)
    certificate = Certificate(study, "real", "completed")
    shown = {row: tally for (row, _), tally in certificate.systems_shown.cells.items()}
    assert shown["Oracle (reference)"].count == shown["Oracle (reference)"].expected == 18
    assert all(grid.missing == 0 for grid in certificate.grids)
    assert certificate.systems_shown.test.p > 0.5
    assert certificate.system_positions.test.df == certificate.system_successions.test.df == 0


@pytest.mark.parametrize(
    ("study", "said"),
    [
        ([*SOME_OF_SEVEN], "Each page shows 3 of 7 systems."),
        (["between_subjects: system"], "Each participant sees one of 7 systems."),
        (
            ["between_subjects: model", "reference_on_every_page: true"],
            "Each participant sees one of 7 models and the reference.",
        ),
        (
            ["systems_per_page: 4", "reference_on_every_page: true"],
            "Each page shows 3 of 7 systems and the reference.",
        ),
        (["systems_per_page: 8"], ""),
    ],
)
def test_the_page_says_what_pages_show(page: Client, study: list[str], said: str) -> None:
    loaded = load_wide(*study, reference=True) if "reference" in said else load_wide(*study)
    start(loaded, 3)
    assert pages_in_words(loaded) == said
    html = page.get(f"/studies/{loaded}/order/").content.decode()
    assert (f"<p>{said}</p>" in html) == bool(said)
    csv = page.get(f"/studies/{loaded}/order/certificate.csv")
    tables = {line.split(",")[2] for line in csv.getvalue().decode().splitlines()[1:]}
    assert ("system_scenario" in tables) == bool(said)

"""Systems of a scenario on separate pages: taken on the site, or imported, and analysed."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.live_server_helper import LiveServer

from dashboard.design.certificate import certificate_rows
from dashboard.management.doctor.answers import no_second_value
from dashboard.management.doctor.orders import orders_are_those_of_the_seed
from survey.models import Presentation, Study
from survey.tidy import counted_sources, rating_rows
from tests.dashboard.importing import Files, refusal
from tests.dashboard.importing import run as import_ratings
from tests.survey.wide_study import LIKERT, RANKING, csv_of, yaml_of

pytestmark = pytest.mark.django_db
SPREAD = ("spread_over_pages: true", "systems_per_page: 1")


def run(*args: object) -> str:
    out = StringIO()
    call_command(*map(str, args), stdout=out)
    return out.getvalue()


def write(folder: Path, *keys: str, tasks: tuple[str, ...] = (LIKERT,), csv: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(yaml_of(*keys, tasks=tasks))
    (folder / "responses.csv").write_text(csv or csv_of(3))
    return folder


@pytest.mark.parametrize(
    ("keys", "sizes"),
    [
        (SPREAD, [1, 1, 1]),
        (("spread_over_pages: true", "systems_per_page: 2"), [1, 2]),
        ((*SPREAD, "order: {blocks: balanced, responses: balanced}"), [1, 1, 1]),
        ((*SPREAD, "order: {scenarios_together: true}", "blocks_per_participant: 1"), [1, 1, 1]),
    ],
)
def test_each_person_sees_all_systems_on_pages_of_their_own(
    keys: tuple[str, ...], sizes: list[int], live_server: LiveServer, tmp_path: Path
) -> None:
    said = run("load_study", write(tmp_path / "wide", *keys))
    assert "Each participant sees all systems of a block" in said
    study = Study.objects.get()
    Study.objects.update(state="open")
    run("simulate", study.slug, "--participants", 6, "--seed", 1, "--server", live_server.url)
    person = study.participants.filter(status="completed").first()
    assert person is not None
    block = person.presentations.first()
    assert block is not None
    own = person.presentations.filter(block=block.block)
    assert sorted(len(page.response_order or []) for page in own) == sizes
    assert sorted(page.part for page in own) == [*range(1, len(sizes) + 1)]
    assert not list(orders_are_those_of_the_seed()) and not list(no_second_value())
    assert list(certificate_rows(study, ["simulated"]))
    run("analyze", study.slug, "--include", "simulated", "--out", tmp_path / "out", "--no-images")
    with (tmp_path / "out" / "systems.csv").open() as file:
        assert {row["model"] for row in csv.DictReader(file)} == {"M1", "M2", "M3"}


HEADER = "participant,scenario,model,condition,rating,block_position\n"
PEOPLE = "participant,status\nanna,completed\n"
ON_PAGES = HEADER + "".join(
    f"anna,S{scenario},M{model},plain,{rating},{position}\n"
    for scenario, model, rating, position in (
        (1, 1, 1, 1), (1, 2, 2, 4), (1, 3, 3, 6), (2, 1, 3, 2), (2, 2, 2, 3), (2, 3, 1, 5)
    )
)  # fmt: skip


def loaded(tmp_path: Path, *keys: str) -> Study:
    run("load_study", write(tmp_path / "wide", *keys))
    return Study.objects.get()


def test_ratings_on_pages_of_one_block_are_imported_and_exported(
    files: Files, tmp_path: Path
) -> None:
    study = loaded(tmp_path, *SPREAD)
    import_ratings(study, files(participants=PEOPLE, ratings=ON_PAGES))
    pages = Presentation.objects.order_by("position").values_list(
        "position", "block__scenario__name", "part", "repeat"
    )
    assert list(pages) == [
        (1, "S1", 1, 1), (2, "S2", 1, 1), (3, "S2", 2, 1), (4, "S1", 2, 1), (5, "S2", 3, 1),
        (6, "S1", 3, 1),
    ]  # fmt: skip
    before = list(rating_rows(study, counted_sources()))
    assert [(row[3], row[7]) for row in before if row[1] == "S1"] == [
        ("M1", 1), ("M2", 4), ("M3", 6)
    ]  # fmt: skip
    run("export", study, "--out", tmp_path / "out")
    study.participants.all().delete()
    names = {"participants": "participants.csv", "ratings": "ratings_all.csv"}
    import_ratings(study, {name: tmp_path / "out" / file for name, file in names.items()})
    assert list(rating_rows(study, counted_sources())) == before


def test_ratings_without_positions_are_of_one_page(files: Files, tmp_path: Path) -> None:
    study = loaded(tmp_path, *SPREAD)
    ratings = "".join(f"{line.rsplit(',', 1)[0]}\n" for line in ON_PAGES.splitlines())
    import_ratings(study, files(participants=PEOPLE, ratings=ratings))
    assert set(Presentation.objects.values_list("position", "part")) == {(None, 1)}


def test_positions_of_a_block_differ_only_where_it_is_spread(files: Files, tmp_path: Path) -> None:
    study = loaded(tmp_path)
    assert refusal(study, files(participants=PEOPLE, ratings=ON_PAGES))[0].startswith(
        "ratings.csv, line 3: column 'block_position': 4 differs from line 2, the same block; if "
        "people had several pages of a block, write spread_over_pages: true in study.yaml"
    )


def test_response_on_two_pages_of_one_repeat_is_refused(files: Files, tmp_path: Path) -> None:
    study = loaded(tmp_path, *SPREAD)
    lines = [f"{line},1" for line in ON_PAGES.splitlines()[1:]]
    twice = "\n".join([f"{HEADER.strip()},repeat", *lines[:5], "anna,S1,M1,plain,2,5,1", ""])
    assert refusal(study, files(participants=PEOPLE, ratings=twice)) == [
        "ratings.csv, line 7: column 'repeat': 'anna' has judged a response on two pages as repeat "
        "1"
    ]


@pytest.mark.parametrize(
    ("keys", "tasks", "message"),
    [
        (SPREAD[:1], (LIKERT,), "spread_over_pages: say how many responses a page shows"),
        ((*SPREAD, "between_subjects: system"), (LIKERT,), "remove between_subjects"),
        (
            ("spread_over_pages: true", "systems_per_page: 2"),
            (LIKERT, RANKING),
            "spread_over_pages: tasks that compare the responses of a block need them on one page",
        ),
        (
            (
                *SPREAD,
                "attention_checks: [{name: a, statement: x, answer: 1, after_blocks: [1, 7]}]",
            ),
            (LIKERT,),
            "a participant sees 6 pages of blocks",
        ),
    ],
)
def test_what_does_not_go_together_is_named(
    keys: tuple[str, ...], tasks: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match=message):
        run("load_study", write(tmp_path / "wide", *keys, tasks=tasks))


def test_blocks_with_different_numbers_of_pages_are_seen_by_all(tmp_path: Path) -> None:
    some = "\n".join(line for line in csv_of(3).splitlines() if "Reply 2 to 2" not in line)
    folder = write(tmp_path / "wide", *SPREAD, csv=f"{some}\n")
    run("load_study", folder)
    write(folder, *SPREAD, "blocks_per_participant: 1", csv=f"{some}\n")
    with pytest.raises(CommandError, match="need equally many pages here, and they have 2 to 3"):
        run("load_study", folder)

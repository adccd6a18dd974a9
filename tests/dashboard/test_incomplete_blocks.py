"""A study in which some blocks lack a response goes all the way to its tables."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.live_server_helper import LiveServer

from dashboard.design.certificate import Certificate
from dashboard.design.shown_systems import shown_together
from survey.content import content_of
from survey.models import Presentation, Study
from tests.survey.wide_study import CHOICES, LIKERT, RANKING, csv_of, yaml_of


def run(*args: object) -> str:
    out = StringIO()
    call_command(*map(str, args), stdout=out)
    return out.getvalue()


def write(folder: Path, *keys: str, tasks: tuple[str, ...] = (LIKERT,)) -> Path:
    """Three systems; the second scenario lacks the second of them."""
    lines = csv_of(3).splitlines(keepends=True)
    lines = [line for line in lines if not (line.startswith("S2,") and ",M2," in line)]
    (folder / "study.yaml").write_text(yaml_of(*keys, tasks=tasks))
    (folder / "responses.csv").write_text("".join(lines))
    return folder


@pytest.mark.django_db
@pytest.mark.parametrize("keys", [(), ("incomplete_blocks: true",)])
def test_missing_response_is_told(keys: tuple[str, ...], tmp_path: Path) -> None:
    said = run("load_study", write(tmp_path, *keys))
    assert "responses.csv: scenario 'S2' has no response of 'M2' (plain)" in said
    assert Study.objects.get().blocks.count() == 2


@pytest.mark.django_db
def test_pages_of_fewer_systems_show_what_there_is(tmp_path: Path) -> None:
    folder = write(tmp_path, "systems_per_page: 3")
    assert "loaded as a new draft" in run("load_study", folder)
    layout = content_of(Study.objects.get()).layout
    assert sorted(size for block in layout.responses for size in layout.page_sizes(block)) == [2, 3]


def test_balance_is_counted_by_what_each_block_can_show(
    live_server: LiveServer, tmp_path: Path
) -> None:
    run("load_study", write(tmp_path, "systems_per_page: 2"))
    Study.objects.update(state="open")
    run("simulate", "wide", "--participants", 6, "--seed", 1, "--server", live_server.url)
    certificate = Certificate(Study.objects.get(), "simulated", "places")
    together = shown_together(certificate).cells
    names = {n: f"M{n} (plain)" for n in (1, 2, 3)}
    pairs = {(1, 2): 2, (1, 3): 2 + 6, (2, 3): 2}
    assert {pair: together[names[pair[0]], names[pair[1]]].expected for pair in pairs} == {
        pair: pytest.approx(n) for pair, n in pairs.items()
    }


@pytest.mark.parametrize("tasks", [(LIKERT,), (LIKERT, RANKING), (CHOICES,)])
@pytest.mark.parametrize("order", ["random", "balanced"])
def test_pages_show_what_is_there_and_the_analysis_counts_it(
    tasks: tuple[str, ...], order: str, live_server: LiveServer, tmp_path: Path
) -> None:
    folder = write(tmp_path, f"order: {{responses: {order}}}", tasks=tasks)
    run("load_study", folder)
    study = Study.objects.get()
    Study.objects.update(state="open")
    run("simulate", study.slug, "--participants", 6, "--seed", 1, "--server", live_server.url)
    shown = Presentation.objects.exclude(response_order=None).select_related("block__scenario")
    sizes = {(each.block.scenario.name, len(each.response_order or [])) for each in shown}
    assert {size for name, size in sizes if name == "S2"} == {2}
    assert {size for name, size in sizes if name != "S2"} == {3}
    run("analyze", study.slug, "--include", "simulated", "--out", tmp_path / "out")
    name = "choices.csv" if tasks == (CHOICES,) else "systems.csv"
    assert (tmp_path / "out" / name).exists()

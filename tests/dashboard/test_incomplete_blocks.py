"""A study in which some blocks lack a response goes all the way to its tables."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.live_server_helper import LiveServer

from survey.models import Presentation, Study
from tests.survey.wide_study import CHOICES, LIKERT, RANKING, csv_of, yaml_of

ALLOWED = "incomplete_blocks: true"


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
def test_block_that_lacks_a_response_is_refused_unless_the_study_allows_it(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="scenario 'S2' lacks a response of 'M2'"):
        run("load_study", write(tmp_path))
    assert not Study.objects.exists()
    said = run("load_study", write(tmp_path, ALLOWED))
    assert "blocks lack responses of their set, such as scenario 'S2' of 'M2'" in said


@pytest.mark.parametrize("tasks", [(LIKERT,), (LIKERT, RANKING), (CHOICES,)])
@pytest.mark.parametrize("order", ["random", "balanced"])
def test_pages_show_what_is_there_and_the_analysis_counts_it(
    tasks: tuple[str, ...], order: str, live_server: LiveServer, tmp_path: Path
) -> None:
    folder = write(tmp_path, ALLOWED, f"order: {{responses: {order}}}", tasks=tasks)
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

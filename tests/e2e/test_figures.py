"""Figures in a real browser: images of them, and the map without any network."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from pandas import DataFrame
from playwright.sync_api import Page, Route, expect
from plotly.offline import get_plotlyjs

from analysis.figures.images import write_images
from analysis.figures.regions import region_map
from analysis.figures.style import SEQUENCE, show_views
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from config.processes import ROOT
from tests import services

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]

SCRIPTS = Path(__file__).parents[2] / "static" / "dashboard"
ADDRESS = "http://localhost:1/"
SVG = "{http://www.w3.org/2000/svg}"


def region_figure() -> dict[str, Any]:
    """West lower than South in S1, higher in S2; S1 was rated by somebody without a region, too."""
    rows = [("a", "S1", 1), ("b", "S1", 5), ("a", "S2", 5), ("b", "S2", 1)] * 10
    rows += [("c", "S1", 3)]
    full = [(who, scenario, "", "Ant", "plain", "warmth", value) for who, scenario, value in rows]
    ratings = DataFrame(full, columns=["participant", *ITEM, "rating"])
    people = DataFrame({"participant": ["a", "b", "c"], "region": ["West", "South", None]})
    recipe = shipped_recipes()["sound"]
    ratings = ratings.astype(dict.fromkeys(ITEM, "category"))
    made = region_map(ratings, people, recipe, [(1, "Not at all"), (5, "Extremely")])
    return dict(made.to_plotly_json())


def with_views() -> dict[str, Any]:
    trace = {"type": "scatter", "mode": "markers+text", "x": [1], "y": [2]}
    views = {"S1": {"text": [["before"]]}, "S2": {"text": [["after"]]}}
    figure = show_views(go.Figure([trace], {"height": 300}), views)
    return dict(figure.to_plotly_json())


def test_every_view_becomes_svg_and_png_and_what_cannot_is_said(tmp_path: Path) -> None:
    endless = {"data": [{"type": "bar", "y": [1]}], "layout": {"height": 40_000}}
    points, again = with_views(), with_views()
    figures = {"endless": endless, "points": points, "map": region_figure(), "again": again}
    note = write_images(figures, tmp_path, program=str(services.CHROMIUM.find()))
    assert note == (
        "7 of 8 images could be drawn (endless: too large for PNG); all figures are in "
        "report.html and as JSON"
    )
    names = ["again", "again-S2", "map", "map-S1", "map-S2", "points", "points-S2"]
    both = [f"{name}.{ending}" for name in names for ending in ("png", "svg")]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*both, "endless.svg"])
    for name, text in {"points": "before", "points-S2": "after"}.items():
        svg = ET.parse(tmp_path / f"{name}.svg").getroot()
        assert (svg.tag, svg.get("width"), svg.get("height")) == (f"{SVG}svg", "1000", "300")
        assert text in [found.text for found in svg.iter(f"{SVG}text")]
        png = (tmp_path / f"{name}.png").read_bytes()
        assert png.startswith(b"\x89PNG")
        size = [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)]
        assert size == [2000, 600]
    for ending in ("png", "svg"):  # the same figure gives the same bytes
        one, other = (tmp_path / f"{name}.{ending}" for name in ("points-S2", "again-S2"))
        assert one.read_bytes() == other.read_bytes()


DRAWS = """
import sys
from pathlib import Path
from analysis.figures.images import write_images

figure = {"data": [{"type": "bar", "y": [1]}], "layout": {}}
write_images({f"f{n}": figure for n in range(40)}, Path(sys.argv[1]), program=sys.argv[2])
"""


def test_a_process_that_is_killed_leaves_no_browser(tmp_path: Path) -> None:
    """Its profile is in this folder, whose name is in the arguments of what runs."""

    def running() -> list[int]:
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
                if f"{tmp_path}/profiles".encode() in path.read_bytes():
                    found.append(int(path.parent.name))
        return found

    for name in ("profiles", "images"):
        (tmp_path / name).mkdir()
    drawing = subprocess.Popen(
        [sys.executable, "-c", DRAWS, str(tmp_path / "images"), str(services.CHROMIUM.find())],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path / "profiles")},
    )
    while not any((tmp_path / "images").iterdir()):
        assert drawing.poll() is None
        time.sleep(0.05)
    assert running()
    drawing.kill()
    drawing.wait()
    end = time.monotonic() + 20
    while (left := running()) and time.monotonic() < end:
        time.sleep(0.05)
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    assert not left, "the browser still ran"


def test_the_map_is_drawn_without_any_network(new_page: Callable[..., Page]) -> None:
    page = new_page()
    files = {
        "plotly.js": get_plotlyjs(),
        "figures.js": (SCRIPTS / "figures.js").read_text("utf-8"),
        "map.json": json.dumps(region_figure()),
        "": "<!doctype html><details><summary>More</summary>"
        '<div data-name="map" data-figure="map.json"></div></details>'
        '<script src="plotly.js"></script><script src="figures.js"></script>',
    }
    kinds = {"": "text/html", "map.json": "application/json"}

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(ADDRESS)
        if name in files:
            kind = kinds.get(name, "text/javascript")
            route.fulfill(body=files[name], content_type=f"{kind}; charset=utf-8")
        else:
            route.abort()  # whoever asked for it fails; the fixture sees what was asked elsewhere

    page.route("**/*", answer)
    page.goto(ADDRESS)
    areas = page.locator(".js-fill")
    expect(page.get_by_text("More")).to_be_visible()
    expect(areas).to_have_count(0)  # nothing has a width where it is folded
    page.get_by_text("More").click()
    expect(areas).to_have_count(4)
    note = page.locator(".annotation")
    page.get_by_label("Show").select_option("S1")
    expect(note).to_contain_text("1 rater.")
    page.get_by_label("Show").select_option("S2")
    expect(note).not_to_contain_text("1 rater.")
    colours = "areas => areas.map((area) => area.style.fill)"
    expect(page.locator(".gtitle")).to_have_text("S2")
    west, south = (
        tuple(int(c[n : n + 2], 16) for n in (1, 3, 5)) for c in (SEQUENCE[-1], SEQUENCE[0])
    )
    found = areas.evaluate_all(colours)
    assert found[2:] == [f"rgb{south}", f"rgb{west}"]
    texts = page.locator(".textpoint").all_text_contents()
    assert "West 5.001 raterhighest mean" in texts
    buttons = page.locator(".modebar-btn").evaluate_all("all => all.map(one => one.dataset.title)")
    assert "Download plot as a PNG" in buttons
    assert not [title for title in buttons if "Share" in title or "Select" in title]

"""How long studies of other shapes take, from their files to a report with images.

.venv/bin/python benchmarks/shapes.py [--shapes many single pairs between three]
"""

import argparse
import os
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.analysis_scale import manage
from benchmarks.running.tables import reported
from tests.examples.shapes import SHAPES, Shape, write
from tests.services import CHROMIUM

BY_NAME = {shape.slug: shape for shape in SHAPES}
#: What a researcher calls, in this order.
STEPS = ("load_study", "import_ratings", "analyze")


def measured(shape: Shape) -> tuple[dict[str, float], int]:
    """Seconds that the clock said of each command, and how many images there are."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write(shape, folder / "study")
        environment = os.environ | {
            "DATA_DIR": name,
            "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
            "SECRET_KEY": secrets.token_hex(32),
            "CHROMIUM": str(CHROMIUM.need()),
        }
        manage("migrate", environment=environment)
        options = [f"--{file}={path}" for file, path in files.items()]
        given = {
            "load_study": [str(folder / "study")],
            "import_ratings": [shape.slug, *options],
            "analyze": [shape.slug, "--out", str(folder / "out")],
        }
        seconds = {step: manage(step, *given[step], environment=environment)[1] for step in STEPS}
        return seconds, len(list((folder / "out").rglob("*.svg")))


def described(shape: Shape) -> str:
    systems, raters, scenarios = len(shape.systems), shape.raters, shape.scenarios
    return f"{systems} systems, {raters} raters, {scenarios} scenarios"


def arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", nargs="+", choices=list(BY_NAME), default=list(BY_NAME))
    return parser.parse_args(given)


def main() -> None:
    with reported("Seconds by the clock", "study", "shape", *STEPS, "together", "images") as add:
        for name in arguments(sys.argv[1:]).shapes:
            seconds, images = measured(BY_NAME[name])
            times = [*seconds.values(), sum(seconds.values())]
            add(name, described(BY_NAME[name]), *(f"{each:.1f} s" for each in times), images)


if __name__ == "__main__":
    main()

"""Making packages, in a worker: everything into a folder, the folder into a zip, then its place."""

import logging
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings
from django.db import OperationalError, transaction
from django.template.loader import render_to_string
from django.utils import timezone

from analysis import jobs
from analysis.figures.images import write_images
from analysis.figures.printed import images_of
from analysis.heartbeat import kept
from analysis.jobs import Lost
from dashboard.share.analysis_files import chosen_recipes, write_analysis
from dashboard.share.datasheet_files import write_datasheets
from dashboard.share.export_files import write_export
from dashboard.share.exports import SMALL_CELL
from dashboard.share.models import Package
from dashboard.share.output_folder import output_folder
from dashboard.share.packages import scratch_name
from survey.models import Participant, Study

logger = logging.getLogger(__name__)
Stage = Package.Stage

#: Per cent of the work that are done when a stage begins, with images and without.
BEGINS = {
    True: {Stage.TABLES: 0, Stage.IMAGES: 10, Stage.DATA: 85, Stage.ZIP: 95},
    False: {Stage.TABLES: 0, Stage.DATA: 50, Stage.ZIP: 85},
}
#: How often progress is told while a browser draws, in seconds.
TOLD_EVERY = 2.0
ANALYSIS, DATASHEETS, DATA = "analysis", "datasheets", "data"

WriteImages = Callable[[dict[str, Any], Path], str]


def make_package(package_id: int, *, draw: WriteImages = write_images) -> bool:
    """Make a package, or say why it failed. False if there was none to take."""
    packages = Package.objects.select_related("run__study", "run__recipe_set")
    package = jobs.claim(packages, package_id)
    if package is None:
        return False
    scratch = settings.PACKAGES_DIR / scratch_name(package.pk, package.attempts)
    try:
        with kept(package):
            scratch.mkdir(parents=True)
            path = _zip(package, _write(package, scratch, draw))
        _hand_over(package, path)
    except OperationalError:
        raise  # the database went away or stayed locked: once the lease is over it is tried again
    except Lost:
        logger.info("%s is no longer this worker's", package)
    except Exception as error:  # whatever it was: the package has to say that it failed
        logger.exception("%s failed", package)
        jobs.fail(package, error)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return True


def _tell(package: Package, stage: Stage, within: float = 0.0) -> None:
    """Note that a stage has begun, or how much of it is done. Raises Lost."""
    begins = list(BEGINS[package.images].items())
    place = [one for one, _ in begins].index(stage)
    start = begins[place][1]
    end = begins[place + 1][1] if place + 1 < len(begins) else 100
    percent = round(start + within * (end - start))
    if not jobs.is_kept(package, stage=stage, percent=percent):
        raise Lost


def _write(package: Package, scratch: Path, draw: WriteImages) -> Path:
    """Write the folder that becomes the zip. What has to be known of it is noted on `package`."""
    run = package.run
    folder = scratch / package.path.stem
    folder.mkdir()
    _tell(package, Stage.TABLES)
    with output_folder(folder / ANALYSIS, manifest="manifest.json") as analysis:
        analysis.manifest |= write_analysis(
            run,
            analysis.path,
            recipe=package.recipe,
            latex="all",
            write_images=_with_progress(package, draw) if package.images else None,
            sharing=True,
        )
    (folder / DATASHEETS).mkdir()
    write_datasheets(run, folder / DATASHEETS)
    _tell(package, Stage.DATA)
    with output_folder(folder / DATA, manifest="export.json") as data:
        data.manifest |= write_export(run.study, run.sources, data.path, sharing=True)
    package.notes = list(_notes(package, analysis.manifest, data.manifest))
    about = {
        "package": package,
        "run": run,
        "recipes": chosen_recipes(run, package.recipe),
        "not_counted": [one for one in run.sources if one in Participant.NOT_COUNTED],
        "now": timezone.now(),
    }
    readme = render_to_string("dashboard/share/readme.txt", about)
    (folder / "README.txt").write_text(readme, encoding="utf-8")
    return folder


def _notes(package: Package, analysis: dict[str, Any], data: dict[str, Any]) -> Iterator[str]:
    """What has to be known before the files are shared, from both manifests."""
    if package.images and analysis["images"]:
        yield f"Images are missing: {analysis['images']}."
    rules = [manifest["rule_set"]["version"] for manifest in (analysis, data)]
    if data["snapshot_hash"] != analysis["snapshot_hash"] or rules[0] != rules[1]:
        yield "The data are newer than the tables: answers or rules changed after the analysis."
    rare: dict[str, list[str]] = {}
    for cell in data["small_cells"]:
        question, _, answer = cell.partition(": ")
        rare.setdefault(question, []).append(answer)
    if rare:
        answers = "; ".join(f"{question}: {' · '.join(given)}" for question, given in rare.items())
        yield (
            f"Before you share the data: fewer than {SMALL_CELL} people gave each of these "
            f"answers, and could be recognised by it: {answers}."
        )


def _with_progress(package: Package, draw: WriteImages) -> WriteImages:
    """`draw`, which tells how far it is: by the files that are there."""

    def draw_and_tell(figures: dict[str, Any], folder: Path) -> str:
        total = max(1, len(images_of(figures)))
        pool = ThreadPoolExecutor(1)  # which uses no database
        drawing = pool.submit(draw, figures, folder)
        # Nobody waits for the drawing of a package that is lost: it ends with its folder.
        pool.shutdown(wait=False)
        while not drawing.done():
            done = min(1.0, len(list(folder.glob("*.png"))) / total)
            _tell(package, Stage.IMAGES, done)
            wait_for([drawing], timeout=TOLD_EVERY)
        return drawing.result()

    return draw_and_tell


def _zip(package: Package, folder: Path) -> Path:
    """Pack the folder, under the name that its file will have."""
    _tell(package, Stage.ZIP)
    name = Path(package.file_name).stem
    path = folder.with_suffix(".zip")
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                packed.write(file, Path(name) / file.relative_to(folder))
    return path


@transaction.atomic
def _hand_over(package: Package, path: Path) -> None:
    """Put the file in its place and the package among those that are done. Raises Lost."""
    # No withdrawal in between: it would not find the file that it has to remove.
    Study.objects.select_for_update(no_key=True).get(pk=package.run.study_id)
    jobs.finish(package, percent=100, size=path.stat().st_size, notes=package.notes)
    path.replace(package.path)

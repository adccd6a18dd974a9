"""Making packages, in a worker: everything into a folder, the folder into a zip, then its place.

Data and analysis are of one snapshot: the data are read in the transaction in which the analysis
read them, or, where nothing has changed since, in one that finds the same.
"""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone

from analysis.execution import compute_run
from analysis.figures.images import write_images
from analysis.figures.printed import images_of
from analysis.models import AnalysisRun
from analysis.recipe_sets import recipes_of
from analysis.rule_sets import rules_of
from analysis.runs import fingerprint
from dashboard.share.analysis_files import write_analysis
from dashboard.share.datasheet_files import write_datasheets
from dashboard.share.description_files import names_of, write_description
from dashboard.share.export_files import write_export
from dashboard.share.exports import SMALL_CELL
from dashboard.share.materials import write_materials
from dashboard.share.models import Package
from dashboard.share.output_folder import output_folder
from dashboard.share.packages import chosen_recipes, scratch_name, take_new_run
from dashboard.share.psych_ds import data_name
from jobs.leases import Lost
from jobs.runner import GiveBack, Store, Taken, run_job
from survey.definition.settings import Settings
from survey.models import Study
from survey.refusals import NotNow
from survey.tidy import not_counted_among, reading

Stage = Package.Stage
DONE = AnalysisRun.State.DONE
WHY_NOT: dict[str, str] = {
    AnalysisRun.State.FAILED: "failed",
    AnalysisRun.State.STOPPED: "was stopped",
}

#: Per cent of the work that are done when a stage begins, with images and without.
BEGINS = {
    True: {Stage.DATA: 0, Stage.ANALYSIS: 5, Stage.TABLES: 30, Stage.IMAGES: 35, Stage.ZIP: 95},
    False: {Stage.DATA: 0, Stage.ANALYSIS: 10, Stage.TABLES: 50, Stage.ZIP: 85},
}
#: How often data and analysis may turn out to be of different snapshots.
TRIES = 3
#: How often progress is told while a browser draws, in seconds.
TOLD_EVERY = 2.0
ANALYSIS, DATASHEETS, DATA, MATERIALS = "analysis", "datasheets", "data", "materials"

WriteImages = Callable[[dict[str, Any], Path], str]


def pack(taken: Taken[Package], draw: WriteImages = write_images) -> Store:
    """Write the files of a package, and zip them."""
    package = taken.job
    scratch = settings.PACKAGES_DIR / scratch_name(package.pk, package.attempts)
    taken.at_end.callback(shutil.rmtree, scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    return partial(_hand_over, taken, _zip(taken, _write(taken, scratch, draw)))


def _tell(taken: Taken[Package], stage: Stage, within: float = 0.0) -> None:
    """Note that a stage has begun, or how much of it is done. Raises Lost."""
    begins = list(BEGINS[taken.job.images].items())
    place = [one for one, _ in begins].index(stage)
    start = begins[place][1]
    end = begins[place + 1][1] if place + 1 < len(begins) else 100
    taken.keep(stage=stage, percent=round(start + within * (end - start)))


def _write(taken: Taken[Package], scratch: Path, draw: WriteImages) -> Path:
    """Write the folder that becomes the zip. What has to be known of it is noted on the package."""
    package = taken.job
    folder = scratch / package.path.stem
    folder.mkdir()
    with output_folder(folder / DATA, manifest="export.json") as data:
        data.manifest |= _write_data(taken, data.path)
    run = package.run
    _tell(taken, Stage.TABLES)
    with output_folder(folder / ANALYSIS, manifest="manifest.json") as analysis:
        analysis.manifest |= write_analysis(
            run,
            analysis.path,
            recipe=package.recipe,
            latex="all",
            write_images=_with_progress(taken, draw) if package.images else None,
            sharing=True,
        )
    (folder / DATASHEETS).mkdir()
    write_datasheets(run, folder / DATASHEETS, sharing=True)
    (folder / MATERIALS).mkdir()
    write_materials(run.study, rules_of(run.rule_set), folder / MATERIALS)
    write_description(run, folder)
    package.notes = list(_notes(package, analysis.manifest, data.manifest))
    about = {
        "package": package,
        "run": run,
        "recipes": chosen_recipes(recipes_of(run.recipe_set), package.recipe),
        "not_counted": not_counted_among(run.sources),
        "now": timezone.now(),
        "share": Settings.model_validate(run.study.settings).share,
        "names": names_of(run.study, [file.name for file in (folder / DATA).iterdir()]),
    }
    readme = render_to_string("dashboard/share/readme.txt", about)
    (folder / "README.txt").write_text(readme, encoding="utf-8")
    return folder


def _write_data(taken: Taken[Package], folder: Path) -> dict[str, Any]:
    """Write the data of the package's analysis, and what their manifest says. Where answers, scores
    or rules came since that analysis, `package.run` is a new one afterwards.

    Raises GiveBack while another worker computes the analysis, NotNow and Lost.
    """
    package = taken.job
    _tell(taken, Stage.DATA)
    for further in reversed(range(TRIES)):
        manifest = {} if package.run.state == DONE else _compute(taken, folder)
        if package.run.state != DONE:
            continue  # somebody withdrew meanwhile
        if not manifest:
            with reading():
                now = timezone.now()
                if _is_of_now(package.run, now):
                    manifest = _data_of(package.run, folder, now)
        if manifest.get("snapshot_hash") == package.run.snapshot_hash:
            return manifest
        if further:
            take_new_run(package)
    raise NotNow(
        f"the data changed {TRIES} times between their analysis and the zip: prepare it again"
    )


def _compute(taken: Taken[Package], folder: Path) -> dict[str, Any]:
    """Compute the package's analysis and write the data that it reads; nothing if another worker
    has just done it.
    """
    package = taken.job
    manifest: dict[str, Any] = {}

    def write(run: AnalysisRun, at: datetime) -> None:
        manifest.update(_data_of(run, folder, at))

    _tell(taken, Stage.ANALYSIS)
    is_ours = run_job(AnalysisRun, package.run.pk, work=partial(compute_run, while_reading=write))
    _tell(taken, Stage.ANALYSIS, within=1)  # what ended the package, ended its analysis
    run = (
        AnalysisRun.objects.select_related("study", "recipe_set").filter(pk=package.run.pk).first()
    )
    if run is None:
        raise Lost  # a participant of it withdrew; the package went with it
    package.run = run
    if run.state in run.WITHOUT_RESULT:
        raise NotNow(f"the analysis {WHY_NOT[run.state]}: {run.error}")
    if not is_ours and run.state != DONE:
        raise GiveBack
    return manifest


def _is_of_now(run: AnalysisRun, now: datetime) -> bool:
    """Whether a run is of the data as they are. Call it inside `reading()`."""
    as_it_is = fingerprint(run.study, run.sources, run.rule_set, run.recipe_set, at=now)
    return run.fingerprint == as_it_is


def _data_of(run: AnalysisRun, folder: Path, at: datetime) -> dict[str, Any]:
    """Write the data as they are into an empty folder, filtered by the run's rules, and what their
    manifest says. Call it inside `reading()`.
    """
    for left in folder.iterdir():  # of another snapshot
        left.unlink()
    return write_export(
        run.study,
        run.sources,
        folder,
        sharing=True,
        rule_set=run.rule_set,
        at=at,
        name_of=partial(data_name, run.study.slug),
    )


def _notes(package: Package, analysis: dict[str, Any], data: dict[str, Any]) -> Iterator[str]:
    """What has to be known before the files are shared, from both manifests."""
    if package.images and analysis["images"]:
        yield f"Images are missing: {analysis['images']}."
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


def _with_progress(taken: Taken[Package], draw: WriteImages) -> WriteImages:
    """`draw`, which tells how far it is: by the files that are there."""

    def draw_and_tell(figures: dict[str, Any], folder: Path) -> str:
        total = max(1, len(images_of(figures)))
        pool = ThreadPoolExecutor(1)  # which uses no database
        drawing = pool.submit(draw, figures, folder)
        # Nobody waits for the drawing of a package that is lost: it ends with its folder.
        pool.shutdown(wait=False)
        while not drawing.done():
            done = min(1.0, len(list(folder.glob("*.png"))) / total)
            _tell(taken, Stage.IMAGES, done)
            wait_for([drawing], timeout=TOLD_EVERY)
        return drawing.result()

    return draw_and_tell


def _zip(taken: Taken[Package], folder: Path) -> Path:
    """Pack the folder, under the name that its file will have."""
    _tell(taken, Stage.ZIP)
    name = Path(taken.job.file_name).stem
    path = folder.with_suffix(".zip")
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                packed.write(file, Path(name) / file.relative_to(folder))
    return path


def _hand_over(taken: Taken[Package], path: Path) -> None:
    """Put the file in its place and the package among those that are done. Raises Lost."""
    package = taken.job
    # No withdrawal in between: it would not find the file that it has to remove.
    Study.objects.select_for_update(no_key=True).get(pk=package.run.study_id)
    taken.finish(percent=100, size=path.stat().st_size, notes=package.notes)
    path.replace(package.path)

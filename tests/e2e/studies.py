"""Studies for people in browsers, each under an address of its own so that tests don't meet."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from config.processes import ROOT
from tests.e2e.installation import PUBLIC, Installation
from tests.survey import small_study, task_studies, wide_study

Command = Sequence[str | Path]
EXAMPLE = ROOT / "examples" / "empathy"
#: What stands in the examples for what researchers have to write themselves.
FILLED_IN = {
    "Example University": "Lakeside University",
    "示例大学": "湖畔大学",
    "0000-000": "2026-117",
    "example.org": "lakeside.edu",
}
WAYS_IN = """
ways_in: [prolific, link, invitation]
prolific: {completion_code: DONE1, declined_code: NOPE1}
"""


def open_example(installation: Installation, folder: Path, *, slug: str) -> str:
    """The example study of 24 blocks. Returns its slug."""
    text = (EXAMPLE / "study.yaml").read_text(encoding="utf-8")
    return _open(installation, folder, slug, text, EXAMPLE / "responses.csv")


def open_design(installation: Installation, folder: Path, name: str, *, slug: str) -> str:
    """The example study in the folder `name`. Returns its slug."""
    installation.manage_all(*opening_design(folder, name, slug=slug), **PUBLIC)
    return slug


def opening_design(folder: Path, name: str, *, slug: str) -> list[Command]:
    """The commands that load and open the example study in the folder `name`."""
    example = ROOT / "examples" / name
    text = (example / "study.yaml").read_text(encoding="utf-8")
    return _opening(folder, slug, text, example / "responses.csv")


def open_small(
    installation: Installation, folder: Path, *, slug: str, highest: str = "Very", more: str = ""
) -> str:
    """A study of 4 blocks with 3 responses each; `highest` labels its third point, and `more` is
    added to its file. Its slug.
    """
    responses = folder / "responses.csv"
    responses.write_text(small_study.CSV, encoding="utf-8")
    text = small_study.YAML.replace("label: Very", f"label: {highest}") + WAYS_IN
    return _open(installation, folder, slug, text + more, responses)


def open_wide(
    installation: Installation,
    folder: Path,
    *lines: str,
    slug: str,
    systems: int,
    tasks: Sequence[str] = (wide_study.LIKERT,),
) -> str:
    """A study of 2 scenarios with so many systems, and further `lines` of its file. Its slug."""
    responses = folder / "responses.csv"
    responses.write_text(wide_study.csv_of(systems), encoding="utf-8")
    text = wide_study.yaml_of(*lines, tasks=tasks)
    return _open(
        installation, folder, slug, text.replace("ways_in: [link, prolific]\n", WAYS_IN), responses
    )


def open_texts(
    installation: Installation,
    folder: Path,
    texts: Sequence[tuple[str, Sequence[str]]],
    *lines: str,
    slug: str,
) -> str:
    """A study of prompts with their responses, and further `lines` of its file. Its slug."""
    responses = folder / "responses.csv"
    with responses.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["scenario", "prompt", "model", "condition", "response"])
        for prompt, written in texts:
            for number, text in enumerate(written, start=1):
                writer.writerow([prompt, prompt, f"M{number}", "plain", text])
    text = wide_study.yaml_of(*lines)
    return _open(
        installation, folder, slug, text.replace("ways_in: [link, prolific]\n", WAYS_IN), responses
    )


def open_tasks(
    installation: Installation,
    folder: Path,
    name: str,
    *,
    slug: str,
    language: str = "en",
    prompt: str = task_studies.PROMPT,
    **more: Any,
) -> str:
    """A study of `task_studies`, all its pages in `language`; `more` replaces keys of its file.
    Returns its slug.
    """
    installation.manage_all(*_tasks(folder, name, slug, language, prompt, **more), **PUBLIC)
    return slug


def open_every_task(installation: Installation, folder: Path, start: str, *languages: str) -> None:
    """Every study of `task_studies` in every language, as `{start}-likert-en`."""
    commands: list[Command] = []
    for name in task_studies.STUDIES:
        for language in languages:
            slug = f"{start}-{name}-{language}"
            (folder / slug).mkdir()
            commands += _tasks(folder / slug, name, slug, language, task_studies.PROMPT)
    installation.manage_all(*commands, **PUBLIC)


def _tasks(
    folder: Path, name: str, slug: str, language: str, prompt: str, **more: Any
) -> list[Command]:
    responses = folder / "responses.csv"
    responses.write_text(task_studies.csv_of(name, prompt=prompt), encoding="utf-8")
    text = task_studies.yaml_of(name, language=language, **more) + WAYS_IN
    return _opening(folder, slug, text, responses)


def _open(installation: Installation, folder: Path, slug: str, text: str, responses: Path) -> str:
    installation.manage_all(*_opening(folder, slug, text, responses), **PUBLIC)
    return slug


def _opening(folder: Path, slug: str, text: str, responses: Path) -> list[Command]:
    """Write the study's file, filled in. Returns the commands that load and open it."""
    for placeholder, truth in FILLED_IN.items():
        text = text.replace(placeholder, truth)
    original = next(line for line in text.splitlines() if line.startswith("slug: "))
    (folder / "study.yaml").write_text(text.replace(original, f"slug: {slug}"), encoding="utf-8")
    return [("load_study", folder, "--responses", responses), ("set_study", slug, "open")]

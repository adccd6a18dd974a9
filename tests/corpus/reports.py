"""From a loaded study to one report with metrics, a judge, the trained scorer and perturbations."""

from io import StringIO
from pathlib import Path

from django.core.management import call_command
from selectolax.lexbor import LexborHTMLParser

from analysis.perturbation_labels import RULE_LABELS
from judge import runs
from judge.models import Judge

#: A judge called llama, for the end of a study.yaml.
JUDGING = "\njudging: {{budget: {{requests: 200}}, judges: [{{name: llama, endpoint: {}}}]}}\n"
RATERS = 6
#: The sections of the report that are about them, and what has a row in one of these.
SECTIONS = {"Automatic metrics", "Judges", "Trained scorer", "Perturbations"}
SOURCES = {"Words", "llama@1", "scorer@1 (simulated raters)", RULE_LABELS["misspelled"]}


def judge_all() -> None:
    for judge in Judge.objects.all():
        runs.run(judge.pk)


def report_by_commands(slug: str, *, server: str, folder: Path) -> str:
    """What simulated raters, the judge, metrics, a scorer and perturbations give, as HTML."""

    def run(*command: object) -> None:
        call_command(*map(str, command), stdout=StringIO(), stderr=StringIO())

    run("simulate", slug, "--participants", RATERS, "--seed", 1, "--server", server)
    run("judge", slug)
    judge_all()
    run("metrics", slug, "--metric", "words")
    run("scorer", "train", slug, "--include", "simulated", "--ngrams")
    run("perturb", slug, "--judge", "llama@1", "--responses", 3, "--perturbation", "misspelled")
    run("analyze", slug, "--include", "simulated", "--no-images", "--out", folder)
    return (folder / "report.html").read_text(encoding="utf-8")


def check(report: str) -> None:
    """That it has all of it."""
    page = LexborHTMLParser(report)
    headings = {heading.text(strip=True) for heading in page.css("h2, h3")}
    cells = {cell.text(strip=True) for cell in page.css("td, th")}
    assert (SECTIONS - headings, SOURCES - cells) == (set(), set())

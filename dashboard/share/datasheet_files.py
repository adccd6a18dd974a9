"""The datasheets of a study as files: HEDS 3.0 as Markdown and as its form's JSON, and the ARR
checklist as Markdown.
"""

from pathlib import Path

from analysis.labels import labels_of
from analysis.locked_plans import locked_plan
from analysis.models import AnalysisRun
from analysis.queries import results_of
from analysis.rule_sets import rules_of
from analysis.text.cells import read_tables
from dashboard.share.arr_checklist import arr, arr_as_markdown
from dashboard.share.datasheet import ASKED, Facts, heds
from dashboard.share.heds import as_form, as_markdown
from dashboard.share.sharing_form import for_sharing
from survey.definition.settings import Settings
from survey.definition.text_language import distinct
from survey.models import Response
from survey.text_languages import prompt_languages, response_languages
from survey.tidy import definition_of


def write_datasheets(run: AnalysisRun, folder: Path, *, sharing: bool = False) -> tuple[int, int]:
    """Write the three files into `folder`, from a finished run; how many fields of HEDS are
    answered, and how many of them are drafts. `sharing` leaves out what the study withholds.
    """
    facts = facts_of(run, sharing=sharing)
    answers, title = heds(facts), f"{facts.definition.title} ({facts.name})"
    texts = {
        "heds.md": as_markdown(title, answers, ASKED),
        "heds.json": as_form(answers),
        "arr-checklist.md": arr_as_markdown(title, arr(facts)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    drafts = {answer.number for answer in answers if answer.draft}
    return len({answer.number for answer in answers}), len(drafts)


def facts_of(run: AnalysisRun, *, sharing: bool = False) -> Facts:
    """What the datasheets are made from."""
    study, labels = run.study, labels_of(run.study)
    tables = results_of(run, "table")
    if sharing:
        tables = for_sharing(tables, study)
    plan = locked_plan(study)
    return Facts(
        name=str(study),
        definition=definition_of(study),
        settings=Settings.model_validate(study.settings),
        rules=rules_of(run.rule_set),
        tables=read_tables(tables, labels),
        labels=labels,
        systems=study.systems.count(),
        scenarios=study.scenarios.count(),
        comprehension=run.manifest.get("comprehension"),
        input_languages=distinct(prompt_languages(study)),
        output_languages=distinct(response_languages(study).values()),
        responses=Response.objects.filter(scenario__study=study).count(),
        locked=f"{plan.created_at:%Y-%m-%d %H:%M} UTC" if plan else "",
    )

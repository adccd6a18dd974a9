"""The responsible-NLP checklist of ACL Rolling Review, filled in from a study. Pure.

Items are named by their letter and number, with titles in our words
(https://aclrollingreview.org/responsibleNLPresearch/).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.catalogue.number_text import count
from dashboard.share.datasheet import Facts, evaluators, people_of
from survey.files.markdown_text import literal, literal_line


@dataclass(frozen=True)
class Checked:
    """An item of the checklist: what is asked, in our words, what the study says to it, and where.
    An open one names the key that would answer it.
    """

    item: str
    title: str
    answer: str = ""
    source: str = ""
    key: str = ""


def arr(facts: Facts) -> list[Checked]:
    """The checklist, by its items; those about the paper alone are left to its authors."""
    sheet, definition = facts.settings.datasheet, facts.definition
    told = "The full texts of information, instructions and questions are in study.yaml."
    limits = "The report has a section of limits that are true of these results."
    people = people_of(facts)
    recruited = next(a for a in evaluators(facts) if a.number == "3.2.3")
    paid = next((a for a in evaluators(facts) if a.number == "3.2.2.2"), None)
    pay = f" Payment: {paid.text}" if paid and not paid.draft else ""
    n = f"{count(facts.responses)} responses of {count(facts.systems)} systems on "
    return [
        Checked("A1", "Limitations", limits, "report.html: Limits"),
        _asked("A2", "Risks", sheet.risks, "risks"),
        _asked("B1", "Creators of artifacts cited", sheet.resources, "resources"),
        _asked("B2", "Licences and terms", sheet.licence, "licence"),
        _asked("B3", "Intended use", sheet.intended_use, "intended_use"),
        Checked("B4", "Personal and offensive data", "Shared files have pseudonyms and no free "
            "text or exact times.", "data/codebook.csv of the download"),
        Checked("B5", "Documentation of artifacts", "A codebook explains every column, and this "
            "datasheet the evaluation.", "codebook.csv, heds.md"),
        Checked("B6", "Statistics of the data", f"{n}{count(facts.scenarios)} scenarios.",
            "responses.csv, items.csv"),
        _asked("C1", "Size of models, compute", sheet.compute, "compute"),
        Checked("C2", "Experimental setup", "Recipes and rules are given in full.",
            "report.html: Settings and provenance"),
        Checked("C3", "Descriptive statistics", "Tables give means with intervals, and say "
            "what they count.", "report.html"),
        Checked("C4", "Packages and settings", "Versions and seeds of the software are listed.",
            "manifest.json"),
        Checked("D1", "Instructions", told, "study.yaml: texts, tasks"),
        Checked("D2", "Recruitment and payment", f"{recruited.text}{pay}",
            "study.yaml: ways_in, datasheet.payment", "" if pay else "payment"),
        Checked("D3", "Consent", definition.consent.statement, "study.yaml: consent"),
        _asked("D4", "Ethics review", sheet.ethics, "ethics"),
        Checked("D5", "Characteristics of annotators", people, "demographics.csv"),
        _asked("E1", "AI assistants", sheet.ai_assistants, "ai_assistants"),
    ]  # fmt: skip


def _asked(item: str, title: str, said: str | None, key: str) -> Checked:
    return Checked(item, title, said or "", f"study.yaml: datasheet.{key}", key)


def arr_as_markdown(title: str, checklist: Sequence[Checked]) -> str:
    """The checklist as a list with sources; open items name their key of study.yaml."""
    lines = [
        f"# Responsible NLP checklist (ACL Rolling Review): {literal_line(title)}",
        "",
        "Answers from the study, to be read and completed with the sections of the paper.",
        "",
    ]
    for each in checklist:
        head = f"- **{each.item} {each.title}.**"
        if each.answer:
            is_open = each.key and not each.source.endswith(each.key)
            more = f"; say more in study.yaml: datasheet.{each.key}" if is_open else ""
            lines.append(f"{head} {literal(each.answer)} *({each.source}{more})*")
        else:
            where = f"; say it in {each.source}" if each.key else ""
            lines.append(f"{head} *Open{where}.*")
    return "\n".join(lines) + "\n"

"""A study's answers to HEDS 3.0, from what it says, what it found, and its section `datasheet`.
Pure.

What follows from the study has its source; what is likely but has to be read first is a draft; what
only the researchers know is asked once in study.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analysis.catalogue.number_text import count, noun
from analysis.quality_rules import QualityRules
from analysis.text.cells import Tables, rows_of, values
from analysis.text.sentences import listed
from dashboard.share.heds import BY_NUMBER, NO, YES, Answer
from survey.definition import StudyDefinition
from survey.definition.labels import Labels
from survey.definition.settings import Settings
from survey.definition.text_language import base

#: The place of a language among the form's.
LANGUAGES = {"en": 42, "zh": 30, "fr": 49, "de": 56, "es": 150}
#: Which key of `datasheet` answers a field, where it is in study.yaml.
KEYS = {
    "1.1.1": "paper", "1.2": "resources",
    "1.3.1.1": "completed_by.name", "1.3.1.2": "completed_by.affiliation",
    "1.3.1.3": "completed_by.email", "1.3.2.1": "contact.name",
    "1.3.2.2": "contact.affiliation", "1.3.2.3": "contact.email",
    "2.1": "input", "2.3": "task", "3.1.2": "selection", "3.1.3.1": "power",
    "3.1.3.3": "power_script", "3.2.2.1": "experts", "3.2.2.2": "payment",
    "3.2.2.3": "known_to_authors", "3.2.2.4": "authors_rate", "3.2.4": "training",
    "3.3.1": "preregistration", "3.3.4.1": "screenshots", "3.3.6": "questions",
    "4.1.1": "criteria.NAME.type", "4.1.2": "criteria.NAME.aspect",
    "4.1.3": "criteria.NAME.frame", "4.3.1.2": "criteria.NAME.taxonomy",
    "5.1": "ethics", "5.4": "impact",
}  # fmt: skip
ASKED = {number: f"datasheet.{key}" for number, key in KEYS.items()}
#: Demographic questions about special categories of data (GDPR, article 9).
SPECIAL = ("race", "hispanic", "ethnicity", "religion", "health", "orientation", "politics")
DATASHEET_OF_AGREEMENT = {
    "krippendorff_alpha_ordinal": "Krippendorff's α (ordinal)",
    "krippendorff_alpha_interval": "Krippendorff's α (interval)",
    "icc_2_1": "ICC(2,1)",
    "icc_2_k": "ICC(2,k)",
}


@dataclass(frozen=True)
class Facts:
    """What the datasheets are made from: the study's definition, settings and rules, the tables of
    its newest analysis, and how many systems and responses it has.
    """

    name: str
    definition: StudyDefinition
    settings: Settings
    rules: QualityRules
    tables: Tables
    labels: Labels
    systems: int
    scenarios: int
    responses: int
    #: The languages of its prompts and of its responses.
    input_languages: Sequence[str]
    output_languages: Sequence[str]
    #: How many people passed the comprehension check, and failed it; None without one.
    comprehension: Mapping[str, int] | None = None
    #: When its plan was locked, empty where it was not.
    locked: str = ""

    @property
    def prolific(self) -> bool:
        return "prolific" in self.settings.ways_in


def heds(facts: Facts) -> list[Answer]:
    """The answers to HEDS 3.0, in the order of its fields; open fields have none."""
    answers = [
        *_resources(facts), *_systems(facts), *_sample(facts), *evaluators(facts),
        *_design(facts), *_criteria(facts), *_ethics(facts),
    ]  # fmt: skip
    place = {number: at for at, number in enumerate(BY_NUMBER)}
    return sorted(answers, key=lambda answer: place[answer.number])


def _said(number: str, text: str | None, *chosen: int) -> Iterator[Answer]:
    """What the section says, if it says it."""
    if text is not None:
        yield Answer(number, f"study.yaml: {ASKED[number]}", text, chosen)


def _yes_no(number: str, value: bool | None) -> Iterator[Answer]:
    if value is not None:
        yield Answer(number, f"study.yaml: {ASKED[number]}", chosen=(YES if value else NO,))


def _resources(facts: Facts) -> Iterator[Answer]:
    sheet = facts.settings.datasheet
    yield from _said("1.1.1", sheet.paper, 1)
    title = f"{facts.definition.title} ({facts.name})"
    yield Answer("1.1.2", "study.yaml: title, slug", title)
    yield from _said("1.2", sheet.resources, 1)
    for number, person in (("1.3.1", sheet.completed_by), ("1.3.2", sheet.contact)):
        for at, text in enumerate((person.name, person.affiliation, person.email), start=1):
            yield from _said(f"{number}.{at}", text)


def _systems(facts: Facts) -> Iterator[Answer]:
    sheet = facts.settings.datasheet
    yield from _said("2.1", sheet.input, 15)
    yield Answer("2.2", "responses.csv: response", "", (6,), draft=True)
    yield from _said("2.3", sheet.task, 20)
    found = (
        ("2.4", "responses.csv: prompt", facts.input_languages),
        ("2.5", "responses.csv: response", facts.output_languages),
    )
    for number, source, languages in found:
        places = (LANGUAGES[code] for one in languages if (code := base(one)) in LANGUAGES)
        said = f"The language code{' is' if len(languages) == 1 else 's are'} {listed(languages)}."
        yield Answer(number, source, said, tuple(dict.fromkeys(places)), draft=True)


def _sample(facts: Facts) -> Iterator[Answer]:
    sheet, plan = facts.settings.datasheet, facts.settings.preregistration
    yield Answer(
        "3.1.1", "responses.csv",
        f"{count(facts.responses)}: of {count(facts.systems)} systems on {count(facts.scenarios)} "
        "scenarios",
    )  # fmt: skip
    yield from _said("3.1.2", sheet.selection, 6)
    if sheet.power is not None:
        yield from _said("3.1.3.1", sheet.power)
    elif plan.sample_size is not None:
        yield Answer("3.1.3.1", "study.yaml: preregistration.sample_size", plan.sample_size)
    yield from _said("3.1.3.3", sheet.power_script)


def evaluators(facts: Facts) -> Iterator[Answer]:
    sheet, steps = facts.settings.datasheet, rows_of(facts.tables, "funnel")
    if steps:
        n = steps[-1]["remaining"]
        yield Answer("3.2.1", "funnel.csv: remaining", str(n))
    elif rows_of(facts.tables, "raters"):
        kept = [row for row in rows_of(facts.tables, "raters") if row["included"]]
        yield Answer("3.2.1", "raters.csv: included", str(len(kept)))
    yield from _yes_no("3.2.2.1", sheet.experts)
    if sheet.payment is not None:
        yield from _said("3.2.2.2", sheet.payment, 1)
    elif facts.prolific:
        yield Answer("3.2.2.2", "study.yaml: ways_in", "Through Prolific.", (1,), draft=True)
    for number, value in (("3.2.2.3", sheet.known_to_authors), ("3.2.2.4", sheet.authors_rate)):
        if value is None and facts.prolific:
            yield Answer(number, "study.yaml: ways_in", "", (NO,), draft=True)
        yield from _yes_no(number, value)
    ways = {"prolific": "Prolific", "link": "an open link", "invitation": "personal invitations"}
    said = f"Through {listed([ways[way] for way in facts.settings.ways_in])}."
    screened = [question.question for question in facts.definition.screening]
    said += f" Screened by: {' '.join(screened)}" if screened else ""
    yield Answer("3.2.3", "study.yaml: ways_in, screening", said, draft=True)
    if sheet.training is not None:
        yield from _said("3.2.4", sheet.training)
    else:
        yield Answer(
            "3.2.4",
            "study.yaml: texts.instructions, comprehension, training",
            _trained(facts),
            draft=True,
        )
    if people := people_of(facts):
        yield Answer("3.2.5", "demographics.csv", people)


def _trained(facts: Facts) -> str:
    """What participants read, answered and practised before the first block."""
    definition, outcomes = facts.definition, facts.comprehension
    told = "Written instructions before the first page"
    if definition.comprehension is not None:
        asked = noun(len(definition.comprehension.questions), "question")
        told += f", then {len(definition.comprehension.questions)} {asked} about them"
    items = len(definition.training_items)
    practice = f"{items} practice {noun(items, 'page')} with feedback" if items else ""
    told += f"; {practice or 'no practice pages'}."
    if outcomes is not None:
        told += (
            f" {outcomes['passed_first']} people passed the questions at the first attempt and "
            f"{outcomes['passed_second']} at the second; {outcomes['failed']} did not pass and "
            "were sent away before they rated anything."
        )
    return told


def people_of(facts: Facts) -> str:
    """The included raters by characteristic: numbers, not persons."""
    parts = []
    rows = rows_of(facts.tables, "demographics")
    for characteristic in values(rows, "characteristic"):
        own = [row for row in rows if row["characteristic"] == characteristic]
        said = [
            f"mean {row['mean']:.1f} (from {row['min']:g} to {row['max']:g})"
            if row.has("mean")
            else f"{row.text('category')} {row['n']}"
            for row in own
            if row["n"]
        ]
        parts.append(f"{own[0].text('characteristic')}: {', '.join(said)}")
    return "; ".join(parts)


def _design(facts: Facts) -> Iterator[Answer]:
    sheet, definition = facts.settings.datasheet, facts.definition
    if sheet.preregistration is not None:
        yield from _said("3.3.1", sheet.preregistration, YES)
    elif facts.locked:
        said = f"The plan was locked at {facts.locked}; give the address of its registration."
        yield Answer("3.3.1", "locked plan", said, (YES,), draft=True)
    yield Answer("3.3.2", "study.yaml", "Web pages of Fivefold, in the evaluator's own browser.")
    yield from _quality_assurance(facts)
    yield from _said("3.3.4.1", sheet.screenshots)
    yield Answer("3.3.4.2", "study.yaml: tasks", _page(facts))
    free = "They could stop and continue later, on any device."
    if "duration" in facts.rules.order:
        free += f" Those {facts.rules.rule('duration').in_words()} were excluded afterwards."
    yield Answer("3.3.5", "study.yaml: quality.duration", free, (5,))
    if sheet.questions is not None:
        yield from _said("3.3.6", sheet.questions, 4)
    elif definition.closing or definition.comment:
        yield Answer("3.3.6", "study.yaml: closing, comment", "", (3,))
    yield Answer("3.3.7", "study.yaml: ways_in", "", (1,), draft=True)
    yield Answer("3.3.8", "study.yaml: ways_in", "Online, wherever they were.", draft=True)


def _quality_assurance(facts: Facts) -> Iterator[Answer]:
    """Checks, rules, and what is told and recorded because of AI tools."""
    definition = facts.definition
    checks, rules = len(definition.attention_checks), facts.rules.order
    is_automatic = bool(checks or rules or definition.comprehension or definition.record_writing)
    chosen = ((2,) if is_automatic else ()) + ((4,) if rules else ())
    words = [f"evaluators were excluded {facts.rules.rule(name).in_words()}" for name in rules]
    if checks:
        words.insert(0, f"{checks} {noun(checks, 'attention check')} in the survey")
    if definition.comprehension:
        words.insert(0, "questions about the instructions had to be answered right")
    if definition.texts.ai_policy:
        words.append("evaluators read a policy on the use of AI tools")
    if definition.record_writing:
        words += [
            f"a free answer was flagged, which excluded nobody, if {rule.in_words()}"
            for rule in facts.rules.writing.rules
        ]
    said = "; ".join(words) or "No rule of exclusion and no attention check."
    source = "study.yaml: quality, attention_checks"
    yield Answer("3.3.3.1", source, "", chosen or (7,))
    yield Answer("3.3.3.2", source, f"{said[:1].upper()}{said[1:]}")


def _page(facts: Facts) -> str:
    """What a page shows, and asks."""
    definition = facts.definition
    asked = list(dict.fromkeys(task.asks_for for task in definition.asked_on_blocks))
    shown = "all responses of a block"
    if definition.systems_per_page:
        shown = f"{definition.systems_per_page} of a block's responses"
    return (
        f"A page shows the user's message and {shown} under neutral labels, in an order of its "
        f"own, and asks for {listed(asked)}. Models and conditions are not named."
    )


def _criteria(facts: Facts) -> Iterator[Answer]:
    rating = facts.definition.rating
    if rating is None:
        return
    for dimension in rating.dimensions:
        label = facts.labels.text("dimensions", dimension.name)
        for answer in (
            *_kind_of_quality(facts, dimension.name),
            *_elicited(facts, dimension.name, dimension.question),
            *_agreed(facts, dimension.name),
        ):
            yield Answer(**{**answer.__dict__, "criterion": label})


def _kind_of_quality(facts: Facts, name: str) -> Iterator[Answer]:
    given = facts.settings.datasheet.criteria.get(name)
    for number, key in (("4.1.1", "type"), ("4.1.2", "aspect"), ("4.1.3", "frame")):
        said = getattr(given, key) if given else None
        if said is not None:
            at = BY_NUMBER[number].options.index(said) + 1
            yield Answer(number, f"study.yaml: datasheet.criteria.{name}.{key}", chosen=(at,))
    if given and given.taxonomy:
        source = f"study.yaml: datasheet.criteria.{name}.taxonomy"
        yield Answer("4.3.1.2", source, given.taxonomy)
    source = "study.yaml: tasks"
    yield Answer("4.2.1", source, chosen=(2,), draft=True)
    yield Answer("4.2.2", source, chosen=(1,))
    yield Answer("4.2.3", source, chosen=(1,), draft=True)


def _elicited(facts: Facts, name: str, question: str) -> Iterator[Answer]:
    rating, source = facts.definition.rated, "study.yaml: tasks"
    points = [f"{point.value:g}: {point.label}" for point in rating.scale]
    yield Answer("4.3.1.1", "study.yaml: labels.dimensions", facts.labels.text("dimensions", name))
    yield Answer("4.3.2", source, f"Only the question: {question}", draft=True)
    shown = BY_NUMBER["4.3.5"].options.index(rating.presented_as) + 1
    yield Answer("4.3.3", f"{source}.scale", rating.size_in_words)
    yield Answer("4.3.4", f"{source}.scale", "; ".join(points))
    yield Answer("4.3.5", source, chosen=(shown,))
    yield Answer("4.3.6", source, _page(facts))
    yield Answer("4.3.7", f"{source}.dimensions", question)
    yield Answer("4.3.8", source, chosen=(2,), draft=True)
    how = "Means of ratings by response, system and condition"
    if rows_of(facts.tables, "mixed_contrasts", dimension=name):
        how += "; mixed models of the ratings with raters and scenarios as random effects"
    yield Answer("4.3.9", "items.csv, systems.csv, mixed_contrasts.csv", f"{how}.")
    if effect := _effect(facts, name):
        yield Answer("4.3.10", "mixed_contrasts.csv", effect)


def _effect(facts: Facts, name: str) -> str:
    """The difference of the conditions, as the mixed model has it, and how it is tested."""
    rows = rows_of(
        facts.tables, "mixed_contrasts", dimension=name, raters="included", scale="ratings"
    )
    rows = [row for row in rows if row["model"] == "all"] or rows[:1]
    if not rows:
        return ""
    row = rows[0]
    return (
        f"Difference of means in points of the scale ({row['difference']:.2f}, interval from "
        f"{row['ci_low']:.2f} to {row['ci_high']:.2f}), by t tests of mixed models; further tests "
        "in methods.md."
    )


def _agreed(facts: Facts, name: str) -> Iterator[Answer]:
    rows = {row["statistic"]: row for row in rows_of(facts.tables, "agreement", dimension=name)}
    found = {
        key: rows[key] for key in DATASHEET_OF_AGREEMENT if key in rows and rows[key].has("value")
    }
    if found:
        yield Answer(
            "4.3.11.1", "agreement.csv", listed([DATASHEET_OF_AGREEMENT[key] for key in found])
        )
        said = "; ".join(
            f"{DATASHEET_OF_AGREEMENT[key]} {row['value']:.2f}" for key, row in found.items()
        )
        yield Answer("4.3.11.2", "agreement.csv", said)
    again = facts.definition.reference is not None and len(facts.definition.sets or {}) > 1
    said = "Not measured" + (
        ", though the reference is rated again in every set." if again else "."
    )
    for number in ("4.3.12.1", "4.3.12.2"):
        yield Answer(number, "study.yaml: tasks, sets", said, draft=True)


def _ethics(facts: Facts) -> Iterator[Answer]:
    sheet, definition = facts.settings.datasheet, facts.definition
    yield from _said("5.1", sheet.ethics)
    asked = [question.name for question in definition.demographics]
    collected = [*(["Prolific IDs"] if facts.prolific else []), *asked]
    said = f"Collected: {listed(collected)}." if collected else ""
    source = "study.yaml: demographics, ways_in"
    yield Answer("5.2", source, said, (2 if collected else 1,), draft=not collected)
    special = [name for name in asked if any(word in name for word in SPECIAL)]
    said = f"Asked: {listed(special)}." if special else ""
    yield Answer("5.3", "study.yaml: demographics", said, (2 if special else 1,), draft=True)
    yield from _said("5.4", sheet.impact)

"""The Human Evaluation Datasheet, HEDS 3.0: its fields, and answers as Markdown and as its form
reads them. Pure.

A. Belz & C. Thomson (2025), HEDS 3.0: The Human Evaluation Data Sheet Version 3.0, GEM². The form
is at https://nlp-heds.github.io; the names of its fields are those of its JSON. Titles and options
are in our words.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from survey.files.markdown_text import literal, literal_line

#: The sections of the form.
SECTIONS = {
    "1": "Paper and resources",
    "2": "Evaluated systems",
    "3": "Outputs, evaluators and design",
    "4": "Quality criteria",
    "5": "Ethics",
}
YES, NO = 1, 2
_PEOPLE = "paper_and_resources-names_and_affiliations"
_SAMPLE, _EVALUATORS = "sample_evaluators_design-sample", "sample_evaluators_design-evaluators"
_DESIGN = "sample_evaluators_design-experimental_design"
_CRITERION = "criteria-criterion"
_ELICITATION = f"{_CRITERION}-response_elicitation"
_YES_NO = ("yes", "no", "not applicable")
_TEXTS = (
    "structured data", "deep linguistic representation", "shallow linguistic representation",
    "part of a sentence", "sentence", "several sentences", "document", "dialogue", "other text",
    "speech", "visual", "multi-modal",
)  # fmt: skip


@dataclass(frozen=True)
class Field:
    """A field of the form: its number, its name in the JSON (behind `heds-`), a short title, and
    its options, of which one or several can be chosen; a text where there are none.
    """

    number: str
    name: str
    title: str
    options: tuple[str, ...] = ()

    @property
    def of_criterion(self) -> bool:
        """Whether it is answered for each quality criterion."""
        return self.number.startswith("4.")


FIELDS = (
    Field("1.1.1", "paper_and_resources-paper-link", "Report of the experiment",
        ("published", "unpublished report", "this sheet, for preregistration", "none")),
    Field("1.1.2", "paper_and_resources-paper-experiment_identification", "Which experiment"),
    Field("1.2", "paper_and_resources-resources-links", "Shared resources", ("shared", "none")),
    Field("1.3.1.1", f"{_PEOPLE}-person_completing_this_sheet-name", "Completed by: name"),
    Field("1.3.1.2", f"{_PEOPLE}-person_completing_this_sheet-affiliation",
        "Completed by: affiliation"),
    Field("1.3.1.3", f"{_PEOPLE}-person_completing_this_sheet-email", "Completed by: e-mail"),
    Field("1.3.2.1", f"{_PEOPLE}-contact_author-name", "Contact: name"),
    Field("1.3.2.2", f"{_PEOPLE}-contact_author-affiliation", "Contact: affiliation"),
    Field("1.3.2.3", f"{_PEOPLE}-contact_author-email", "Contact: e-mail"),
    Field("2.1", "system-input_types", "Input of the systems",
        (*_TEXTS, "control feature", "none", "other")),
    Field("2.2", "system-output_types", "Output of the systems", (*_TEXTS, "none", "other")),
    Field("2.3", "system-tasks", "Task of the systems", (*[""] * 9, "dialogue turn", *[""] * 6,
        "end-to-end text generation", "", "", "other")),
    Field("2.4", "system-input_languages", "Languages of the input", ("not applicable",)),
    Field("2.5", "system-output_languages", "Languages of the output", ("not applicable",)),
    Field("3.1.1", f"{_SAMPLE}-number_of_system_outputs", "Number of outputs"),
    Field("3.1.2", f"{_SAMPLE}-system_output_selection", "How outputs were selected",
        ("at random", "stratified", "automatically", "by hand", "by hand, balanced", "other")),
    Field("3.1.3.1", f"{_SAMPLE}-statistical_power-method", "Statistical power: method"),
    Field("3.1.3.2", f"{_SAMPLE}-statistical_power-value", "Statistical power: value"),
    Field("3.1.3.3", f"{_SAMPLE}-statistical_power-script", "Statistical power: script"),
    Field("3.2.1", f"{_EVALUATORS}-number_of_evaluators", "Number of evaluators"),
    Field("3.2.2.1", f"{_EVALUATORS}-evaluators-expertise", "Experts?", _YES_NO),
    Field("3.2.2.2", f"{_EVALUATORS}-evaluators-payment", "Paid?",
        ("money", "other", "not paid", "not applicable")),
    Field("3.2.2.3", f"{_EVALUATORS}-evaluators-known_to_authors", "Known to the authors?",
        _YES_NO),
    Field("3.2.2.4", f"{_EVALUATORS}-evaluators-are_authors", "Authors among them?", _YES_NO),
    Field("3.2.3", f"{_EVALUATORS}-recruitment_method", "Recruitment"),
    Field("3.2.4", f"{_EVALUATORS}-training_practice", "Training and practice"),
    Field("3.2.5", f"{_EVALUATORS}-characteristics", "Characteristics of the evaluators"),
    Field("3.3.1", f"{_DESIGN}-preregistered", "Preregistered?", ("yes", "no")),
    Field("3.3.2", f"{_DESIGN}-collection_method", "How responses were collected"),
    Field("3.3.3.1", f"{_DESIGN}-quality_assurance-method", "Quality assurance",
        ("native speakers", "automatic checks", "manual checks", "evaluators excluded",
        "evaluations excluded", "other", "none")),
    Field("3.3.3.2", f"{_DESIGN}-quality_assurance-description", "Quality assurance in words"),
    Field("3.3.4.1", f"{_DESIGN}-what_evaluators_see-link", "What evaluators see: link"),
    Field("3.3.4.2", f"{_DESIGN}-what_evaluators_see-description", "What evaluators see"),
    Field("3.3.5", f"{_DESIGN}-evaluator_freedom", "Freedom in time",
        ("set date", "time limit for each", "time limit for all", "one sitting", "none of these")),
    Field("3.3.6", f"{_DESIGN}-evaluators_can_ask_questions", "Questions and feedback",
        ("can ask", "are told so", "feedback afterwards", "other", "none of these")),
    Field("3.3.7", f"{_DESIGN}-experimental_conditions", "Place",
        ("of their own choosing", *[""] * 6, "other")),
    Field("3.3.8", f"{_DESIGN}-evaluators_place_of_choosing", "Place in words"),
    Field("4.1.1", f"{_CRITERION}-criteria-quality_type", "Type of quality",
        ("correctness", "goodness", "feature")),
    Field("4.1.2", f"{_CRITERION}-criteria-output_aspect", "Aspect",
        ("form", "content", "both")),
    Field("4.1.3", f"{_CRITERION}-criteria-self_vs_external_frame", "Frame of reference",
        ("output", "input", "external")),
    Field("4.2.1", f"{_CRITERION}-evaluation_mode-objective_or_subjective", "Objective?",
        ("objective", "subjective")),
    Field("4.2.2", f"{_CRITERION}-evaluation_mode-absolute_or_relative", "Absolute?",
        ("absolute", "relative")),
    Field("4.2.3", f"{_CRITERION}-evaluation_mode-intrinsic_or_extrinsic", "Intrinsic?",
        ("intrinsic", "extrinsic")),
    Field("4.3.1.1", f"{_ELICITATION}-qc_name-participant_criterion_name", "Name of the criterion"),
    Field("4.3.1.2", f"{_ELICITATION}-qc_name-mapped_criterion_name", "Name in a taxonomy"),
    Field("4.3.2", f"{_ELICITATION}-participant_criterion_definiiton", "Definition as shown"),
    Field("4.3.3", f"{_ELICITATION}-size_of_scale", "Size of the scale"),
    Field("4.3.4", f"{_ELICITATION}-list_or_range", "Points of the scale"),
    Field("4.3.5", f"{_ELICITATION}-scale_presented_as", "Form of the scale",
        ("multiple choice", "check-boxes", "slider", "none", "other")),
    Field("4.3.6", f"{_ELICITATION}-task_description", "Task of the evaluators"),
    Field("4.3.7", f"{_ELICITATION}-verbatim_question", "Question, word for word"),
    Field("4.3.8", f"{_ELICITATION}-form_of_response", "Form of the response",
        ("agreement with a statement", "direct estimate", "relative estimate", *[""] * 7, "other")),
    Field("4.3.9", f"{_ELICITATION}-response_aggregation", "Aggregation"),
    Field("4.3.10", f"{_ELICITATION}-effect_size_method", "Effect sizes and tests"),
    Field("4.3.11.1", f"{_ELICITATION}-inter_annotator-agreement", "Agreement: method"),
    Field("4.3.11.2", f"{_ELICITATION}-inter_annotator-agreement_score", "Agreement: value"),
    Field("4.3.12.1", f"{_ELICITATION}-intra_annotator-intra_annotator_agreement",
        "Agreement with themselves: method"),
    Field("4.3.12.2", f"{_ELICITATION}-intra_annotator-intra_annotator_agreement_score",
        "Agreement with themselves: value"),
    Field("5.1", "ethics-review_body", "Ethics board"),
    Field("5.2", "ethics-personal_data", "Personal data?", ("no", "yes")),
    Field("5.3", "ethics-special_category_data", "Special categories of data?", ("no", "yes")),
    Field("5.4", "ethics-impact_assessments", "Impact assessments"),
)  # fmt: skip
BY_NUMBER = {field.number: field for field in FIELDS}


@dataclass(frozen=True)
class Answer:
    """An answer to a field: its text, or which of its options (from 1) with a text that explains
    them. `source` says where in the study it comes from; a `draft` has to be read before use.
    """

    number: str
    source: str
    text: str = ""
    chosen: tuple[int, ...] = ()
    draft: bool = False
    criterion: str = ""


def as_markdown(title: str, answers: Sequence[Answer], asked: Mapping[str, str]) -> str:
    """Every field in order with its answers; of open ones, the key of study.yaml to answer them."""
    criteria = list(dict.fromkeys(answer.criterion for answer in answers if answer.criterion))
    answered = {(answer.number, answer.criterion): answer for answer in answers}
    n = len({answer.number for answer in answers})
    drafts = len({answer.number for answer in answers if answer.draft})
    lines = [
        f"# Human Evaluation Datasheet (HEDS 3.0): {literal_line(title)}",
        "",
        f"{n} of {len(FIELDS)} fields are answered from the study, {drafts} of them as drafts to "
        "be checked.",
    ]
    for number, section in SECTIONS.items():
        lines += ["", f"## {number} {section}", ""]
        fields = [field for field in FIELDS if field.number.split(".")[0] == number]
        for criterion in (criteria or [""]) if number == "4" else [""]:
            if criterion:
                lines += [f"### {literal_line(criterion)}", ""]
            for field in fields:
                answer = answered.get((field.number, criterion))
                lines += [_line(field, answer, asked.get(field.number, "")), ""]
    return "\n".join(lines).rstrip() + "\n"


def _line(field: Field, answer: Answer | None, key: str) -> str:
    head = f"**{field.number} {field.title}{'' if field.title.endswith('?') else '.'}**"
    if answer is None:
        where = f"; say it in study.yaml: {key}" if key else ""
        return f"{head} *Open{where}.*"
    chosen = ", ".join(filter(None, (_option(field, at) for at in answer.chosen)))
    said = ". ".join(filter(None, (chosen, answer.text)))
    draft = "; draft, please check" if answer.draft else ""
    return f"{head} {literal(said)} *({literal_line(answer.source)}{draft})*"


def _option(field: Field, at: int) -> str:
    return field.options[at - 1] if at <= len(field.options) else ""


def as_form(answers: Sequence[Answer]) -> str:
    """The answers as the form at nlp-heds.github.io uploads them: what it stores of each field, by
    name; of fields of criteria, by criterion.
    """
    stored: dict[str, dict[str, object]] = {}
    criteria = list(dict.fromkeys(a.criterion for a in answers if a.criterion))
    if criteria:
        control = {name: place == 0 for place, name in enumerate(criteria)}
        stored[f"heds-{_CRITERION}"] = {"data": {}, "control": control, "text": {}}
    for answer in answers:
        field = BY_NUMBER[answer.number]
        name, text = f"heds-{field.name}", answer.text
        for at in answer.chosen:
            option = {"data": True, "text": f"{at}. {_option(field, at)}"}
            _put(stored, f"{name}-{at}", answer, option)
        if answer.text or not answer.chosen:
            _put(stored, f"{name}-other_text" if field.options else name, answer, {"data": text})
    return json.dumps(stored, indent=4, ensure_ascii=False) + "\n"


def _put(
    stored: dict[str, dict[str, object]], name: str, answer: Answer, parts: Mapping[str, object]
) -> None:
    """Put a value of a field in its place, under its criterion."""
    field = stored.setdefault(name, {"data": {}, "control": {}, "number": answer.number})
    for part, value in parts.items():
        field[part] = {**dict(field.get(part) or {}), answer.criterion: value}  # type: ignore[call-overload]

"""What Prolific's rules for researchers say about a study, and what to change. Pure.

As read in copies of Prolific's help pages from 2022 to 2026. A rule about words can only look
for words: what it finds is for a person to judge.
"""

import re
from collections.abc import Iterator, Sequence

from survey.definition.checks import AttentionItem
from survey.definition.codes import possible_endings
from survey.definition.findings import Finding
from survey.definition.identity import questions_of_identity
from survey.definition.settings import Prolific, Settings
from survey.definition.study import StudyDefinition

#: From this many minutes on, one failed check is no reason to reject anybody.
LONG_STUDY_MINUTES = 5
#: Prolific's lowest pay for an hour.
LEAST_PER_HOUR = (("£", 6), ("$", 8))
#: A check longer than this hides what it asks for.
LONGEST_STATEMENT = 400

NUMBER = re.compile(r"-?\d+")
MEMORY = re.compile(
    r"\b(remember\w*|recall\w*|memor\w+|previous\w*|earlier|"
    r"did you (?:read|see)|you (?:saw|were shown)|"
    r"(?:first|last|preceding) (?:page|response|message|scenario|text))\b|"
    r"记得|回忆|之前|先前|刚才|前面",
    re.IGNORECASE,
)
HIDING = re.compile(r"<[a-z!/][^>]*>|[\u200b-\u200f\u2060-\u2064\ufeff]", re.IGNORECASE)
NAMES_AI = re.compile(r"\bAI\b|\bA\.I\.|artificial intelligence|chatbot|ChatGPT|人工智能")
DISTRESSING = re.compile(
    r"\b(suicid\w*|self-harm\w*|kill\w* (?:my|him|her|them)sel\w+|abus\w+|rape\w*|assault\w*|"
    r"trauma\w*|violen\w+|murder\w*|died|dying|death|grief|funeral|cancer|miscarriage|"
    r"depress\w+|panic attack\w*|eating disorder\w*|addict\w+)\b|自杀|自残|虐待|创伤|去世|抑郁",
    re.IGNORECASE,
)


def findings(
    definition: StudyDefinition,
    settings: Settings,
    *,
    translations: Sequence[StudyDefinition] = (),
    prompts: Sequence[str] = (),
) -> list[Finding]:
    """Every rule with what it says about the study; `prompts` are what raters read.

    Of a study that does not recruit on Prolific only what holds everywhere is asked.
    """
    prolific = on_prolific(settings)
    checks = [*_checks(definition), *_checks_of_translations(translations)]
    identity = questions_of_identity(definition, translations, paid=prolific is not None)
    if prolific is None:
        return [
            *checks,
            *identity,
            _distress(definition, prompts, paid=False),
            _ai(definition, paid=False),
        ]
    return [
        *_enough_checks(definition, prolific),
        *checks,
        *_endings(definition, settings, prolific),
        _screening(definition),
        *identity,
        _distress(definition, prompts, paid=True),
        _ai(definition, paid=True),
        _pay(definition),
    ]


def on_prolific(settings: Settings) -> Prolific | None:
    """How the study recruits on Prolific; None if it does not."""
    return settings.prolific if "prolific" in settings.ways_in else None


def _enough_checks(definition: StudyDefinition, prolific: Prolific) -> Iterator[Finding]:
    rule = "Enough attention checks"
    checks, minutes = len(definition.attention_checks), definition.estimated_minutes
    if minutes < LONG_STUDY_MINUTES:
        text = f"{checks} in {minutes} minutes; below five minutes one failed check is enough."
        yield Finding(rule, "ok", text)
        return
    if checks < 2:
        yield Finding(
            rule,
            "change",
            f"{checks} in {minutes} minutes. From five minutes on nobody may be rejected for a "
            "single failed check: add checks under attention_checks until there are at least two.",
        )
    elif prolific.failed_attention_code and prolific.failed_attention_from < 2:
        yield Finding(
            rule,
            "change",
            "One failed check already gives the code of failed attention. From five minutes on "
            "it takes two: set prolific.failed_attention_from to 2 or more.",
        )
    else:
        yield Finding(rule, "ok", f"{checks} in {minutes} minutes.")
    if prolific.failed_attention_code and prolific.failed_attention_from > max(checks, 1):
        yield Finding(
            rule,
            "change",
            f"failed_attention_from is {prolific.failed_attention_from}, more than the study has "
            "checks: nobody could ever fail.",
        )


def _checks(definition: StudyDefinition) -> Iterator[Finding]:
    for check in definition.attention_checks:
        amiss = list(_of_check(definition, check))
        rule = f"Attention check {check.name}"
        yield from (Finding(rule, "change", text) for text in amiss)
        if not amiss:
            text = "Says which answer to choose, in sight, and asks for nothing from memory."
            yield Finding(rule, "ok", text)


def _checks_of_translations(translations: Sequence[StudyDefinition]) -> Iterator[Finding]:
    for translation in translations:
        for found in _checks(translation):
            rule = f"{found.rule} ({translation.language})"
            yield Finding(rule, found.state, found.text)


def _of_check(definition: StudyDefinition, check: AttentionItem) -> Iterator[str]:
    scale = definition.check_scale(check)
    labels = {point.value: point.label for point in scale}
    on_a_line = definition.check_values(check) != list(labels)
    label = labels.get(check.right_answer, "")
    named = bool(label) and _names(check.statement, label)
    if on_a_line and not named:
        named = str(check.right_answer) in NUMBER.findall(check.statement)
    if not named:
        label = label or str(check.right_answer)
        yield (
            f"It does not say to choose “{label}”, the answer that passes. Write that answer "
            "into the statement, word for word."
        )
        if len(scale) % 2 and not on_a_line:
            yield (
                "If it is a statement that nobody could agree with: such items are for scales "
                f"without a midpoint, and this one has {len(scale)} points. Use an instruction "
                "instead, or options of its own without a middle."
            )
    if found := MEMORY.search(check.statement):
        yield (
            f"“{found[0]}” sounds as if people had to remember something. Checks must not test "
            "memory: ask for an answer that the item itself names."
        )
    if len(check.statement) > LONGEST_STATEMENT:
        yield (
            f"It has {len(check.statement)} characters; the instruction could be overlooked by "
            "somebody who does read. Keep it to two or three sentences."
        )
    if HIDING.search(check.statement):
        yield "It holds markup or invisible characters. Text of a check must be in plain sight."


def _names(statement: str, label: str) -> bool:
    return _plain(label) in _plain(statement)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", text.casefold()).split())


def _endings(
    definition: StudyDefinition, settings: Settings, prolific: Prolific
) -> Iterator[Finding]:
    rule = "A way back for every ending"
    missing = list(_missing_codes(definition, settings, prolific))
    for key, who in missing:
        yield Finding(
            rule,
            "change",
            f"{who} get no code and can only return their submission by hand: set prolific.{key}.",
        )
    if not missing:
        yield Finding(rule, "ok", "Every ending that can happen has its code.")


#: Whom an ending meets. Those who complete always have a code, and those who fail attention
#: checks have that one where there is none for them.
WHO = {
    "declined": "People who do not consent",
    "screened_out": "People who are screened out",
    "full": "People who find no place left",
    "withdrawn": "People who withdraw",
}


def _missing_codes(
    definition: StudyDefinition, settings: Settings, prolific: Prolific
) -> Iterator[tuple[str, str]]:
    possible = possible_endings(definition, settings)
    for ending, who in WHO.items():
        if ending in possible and prolific.code(ending) is None:
            yield prolific.key_of(ending), who


def _screening(definition: StudyDefinition) -> Finding:
    rule = "Screening at the very start"
    if not definition.screening:
        return Finding(rule, "ok", "There is none; use Prolific's own prescreeners.")
    return Finding(
        rule,
        "remember",
        "The questions come right after consent, as they have to. Word them as the prescreener "
        "on Prolific does, and pay those who are screened out there the fixed reward.",
    )


def _distress(definition: StudyDefinition, prompts: Sequence[str], *, paid: bool) -> Finding:
    rule = "Sensitive content is announced"
    if definition.texts.warning:
        there = (
            " Set the content warning of the study on Prolific too, and describe there what "
            "awaits them."
        )
        text = "People read the warning before they begin."
        return Finding(rule, "remember", text + there) if paid else Finding(rule, "ok", text)
    text = "\n".join((definition.texts.information, definition.texts.instructions, *prompts))
    if found := DISTRESSING.search(text):
        there = ", and set the content warning of the study on Prolific" if paid else ""
        return Finding(
            rule,
            "change",
            f"“{found[0]}” can distress people, and there is no warning before they begin: write "
            f"texts.warning{there}.",
        )
    return Finding(rule, "ok", "No word was found that calls for a warning; judge for yourself.")


def _ai(definition: StudyDefinition, *, paid: bool) -> Finding:
    rule = "Use of AI is ruled out in words"
    texts = (definition.texts.instructions, definition.texts.information)
    if any(NAMES_AI.search(text) for text in texts):
        return Finding(
            rule, "remember", "The texts speak of AI; see that they forbid answering with it."
        )
    reason = ", so using them is no reason to reject" if paid else ""
    return Finding(
        rule,
        "change",
        f"Nothing tells people not to answer with AI tools{reason}. "
        "Say it in texts.instructions, for example: “Please answer yourself, without AI tools.”",
    )


def _pay(definition: StudyDefinition) -> Finding:
    minutes = definition.estimated_minutes
    least = " or ".join(f"{sign}{hour * minutes / 60:.2f}" for sign, hour in LEAST_PER_HOUR)
    return Finding(
        "Pay",
        "remember",
        f"{minutes} minutes are announced: at least {least} each on Prolific. Compare with the "
        "time that people really take, and raise the reward if it is longer.",
    )

"""Prolific's rules for researchers, applied to a study, and what to change. Pure.

Source: copies of Prolific's help pages from 2022 to 2026. Text rules only match keywords; a person
must check what they flag.
"""

import re
from collections.abc import Iterator, Sequence

import regex

from survey.definition.attention_checks import AttentionItem
from survey.definition.codes import possible_endings
from survey.definition.comprehension import MOST_ATTEMPTS
from survey.definition.findings import StudyFinding
from survey.definition.identity import questions_of_identity
from survey.definition.labels import usual
from survey.definition.settings import Prolific, Settings
from survey.definition.study import StudyDefinition
from survey.definition.word_edges import BEGINS, ENDS

#: From this duration in minutes, one failed check is not enough to reject a participant.
LONG_STUDY_MINUTES = 5
#: What amounts are written with.
SIGNS = {"GBP": "£", "USD": "$"}
#: What pages call each term of what a study pays.
PAY_TERMS = {
    "currency": "Currency",
    "reward": "Reward",
    "hourly": "Promised pay per hour",
    "completed_bonus": "Bonus for completing",
    "checks_bonus": "Bonus for passing all attention checks",
    "screened_out": "Pay for people who were screened out",
}
#: Prolific's minimum pay per hour.
LEAST_PER_HOUR = (("£", 6), ("$", 8))
#: Prolific's minimum for people who are screened out, in cents.
LEAST_SCREENED_OUT = {"GBP": 10, "USD": 14}
#: A longer check hides its instruction.
LONGEST_STATEMENT = 400

#: The rule about the open link; researchers also read it when they load and open a study.
NO_OPEN_LINK = "No open link beside Prolific"

NUMBER = re.compile(r"-?\d+")
MEMORY = re.compile(
    r"\b(remember\w*|recall\w*|memor\w+|previous\w*|earlier|"
    r"did you (?:read|see)|you (?:saw|were shown)|"
    r"(?:first|last|preceding) (?:page|response|message|scenario|text))\b|"
    r"记得|回忆|之前|先前|刚才|前面",
    re.IGNORECASE,
)
HIDING = re.compile(r"<[a-z!/][^<>]*>|[\u200b-\u200f\u2060-\u2064\ufeff]", re.IGNORECASE)
#: A threat to reject, not a promise not to.
REJECTS = re.compile(
    r"(?<!\bnot )(?<!\bnever )(?<!\bnot be )(?<!\bnever be )\breject\w*|(?<!不会)(?<!不会被)拒绝",
    re.IGNORECASE,
)
NAMES_AI = regex.compile(
    rf"{BEGINS}AI{ENDS}|{BEGINS}A\.I\.|artificial intelligence|chatbot|ChatGPT|人工智能"
)
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
) -> list[StudyFinding]:
    """The results of all rules; `prompts` are texts that raters read.

    A study that does not recruit on Prolific is checked only by the general rules.
    """
    prolific = on_prolific(settings)
    checks = [*_checks(definition), *_checks_of_translations(translations)]
    about_people = [
        *questions_of_identity(definition, translations, paid=prolific is not None),
        *_of_exports(definition, prolific),
    ]
    if prolific is None:
        return [
            *checks,
            *about_people,
            _distress(definition, prompts, paid=False),
            _ai(definition, paid=False),
        ]
    return [
        *_enough_checks(definition, prolific),
        *checks,
        *_endings(definition, settings, prolific),
        _ways_in(settings),
        _screening(definition),
        *_comprehension(definition, translations),
        *about_people,
        _distress(definition, prompts, paid=True),
        _ai(definition, paid=True),
        _pay(definition),
    ]


def least_per_hour(currency: str) -> int:
    """Prolific's minimum pay per hour. Of a currency that we do not know, the lower one."""
    least = dict(LEAST_PER_HOUR)
    return least.get(SIGNS.get(currency, ""), min(least.values()))


def on_prolific(settings: Settings) -> Prolific | None:
    """The study's Prolific settings; None if it does not recruit there."""
    return settings.prolific if "prolific" in settings.ways_in else None


def _enough_checks(definition: StudyDefinition, prolific: Prolific) -> Iterator[StudyFinding]:
    rule = "Enough attention checks"
    checks, minutes = len(definition.attention_checks), definition.estimated_minutes
    if minutes < LONG_STUDY_MINUTES:
        text = f"{checks} in {minutes} minutes; below five minutes, one failed check is enough."
        yield StudyFinding(rule, "ok", text)
        return
    if checks < 2:
        yield StudyFinding(
            rule,
            "change",
            f"{checks} in {minutes} minutes. From five minutes, one failed check is not enough to "
            "reject a participant: add checks under attention_checks until there are at least two.",
        )
    elif prolific.failed_attention_code and prolific.failed_attention_from < 2:
        yield StudyFinding(
            rule,
            "change",
            "One failed check gives the code for failed attention. From five minutes, two are "
            "needed: set prolific.failed_attention_from to 2 or more.",
        )
    else:
        yield StudyFinding(rule, "ok", f"{checks} in {minutes} minutes.")
    if prolific.failed_attention_code and prolific.failed_attention_from > max(checks, 1):
        yield StudyFinding(
            rule,
            "change",
            f"failed_attention_from is {prolific.failed_attention_from}, but the study has fewer "
            "checks, so no participant could fail. Set it to the number of checks or less.",
        )


def _checks(definition: StudyDefinition) -> Iterator[StudyFinding]:
    for check in definition.attention_checks:
        amiss = list(_of_check(definition, check))
        rule = f"Attention check “{usual(check.name)}”"
        yield from (StudyFinding(rule, "change", text) for text in amiss)
        if not amiss:
            text = "It states the answer to choose, visibly, and requires no memory."
            yield StudyFinding(rule, "ok", text)


def _checks_of_translations(translations: Sequence[StudyDefinition]) -> Iterator[StudyFinding]:
    for translation in translations:
        for finding in _checks(translation):
            rule = f"{finding.rule} ({translation.language})"
            yield StudyFinding(rule, finding.state, finding.text)


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
            f"It does not state “{label}”, the answer that passes. Write that answer into the "
            "statement, word for word."
        )
        if len(scale) % 2 and not on_a_line:
            yield (
                "A statement that no one could agree with needs a scale without a midpoint; this "
                f"scale has {len(scale)} points. Use an instruction instead, or give the check "
                "options without a middle."
            )
    if match := MEMORY.search(check.statement):
        yield (
            f"“{match[0]}” may ask participants to remember something. Checks must not test "
            "memory: state the answer in the check itself."
        )
    if len(check.statement) > LONGEST_STATEMENT:
        yield (
            f"It has {len(check.statement)} characters; even careful participants could miss the "
            "instruction. Shorten it to two or three sentences."
        )
    if HIDING.search(check.statement):
        yield "It contains markup or invisible characters. Remove them: checks must be visible."


def _names(statement: str, label: str) -> bool:
    return _plain(label) in _plain(statement)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", text.casefold()).split())


def _endings(
    definition: StudyDefinition, settings: Settings, prolific: Prolific
) -> Iterator[StudyFinding]:
    rule = "A way back for every ending"
    missing = list(_missing_codes(definition, settings, prolific))
    for key, who in missing:
        yield StudyFinding(
            rule,
            "change",
            f"{who} get no code and must return their submission by hand: set prolific.{key}.",
        )
    if not missing:
        yield StudyFinding(rule, "ok", "Every possible ending has a code.")


def _ways_in(settings: Settings) -> StudyFinding:
    """Beside Prolific's link, the open one admits people from there whom nobody could pay."""
    if "link" not in settings.ways_in:
        return StudyFinding(NO_OPEN_LINK, "ok", "Nobody from Prolific takes part without an ID.")
    return StudyFinding(
        NO_OPEN_LINK,
        "remember",
        "ways_in has prolific and link. People from Prolific who take part by the open link get no "
        "code and can't be paid. Links that look like Prolific's and lack the ID are refused, but "
        "not all can be recognised: remove link, or load a copy with another slug for it.",
        ("ways_in",),
    )


#: The participants of each ending. Those who complete always have a code. Those who fail attention
#: checks get the same code if they have none of their own.
WHO = {
    "declined": "People who do not consent",
    "failed_comprehension": "People who fail the comprehension check",
    "screened_out": "People who are screened out",
    "full": "People who arrive when the study is full",
    "withdrawn": "People who withdraw",
}


def _missing_codes(
    definition: StudyDefinition, settings: Settings, prolific: Prolific
) -> Iterator[tuple[str, str]]:
    possible = possible_endings(definition, settings)
    for ending, who in WHO.items():
        if ending in possible and prolific.code(ending) is None:
            yield prolific.key_of(ending), who


def _screening(definition: StudyDefinition) -> StudyFinding:
    rule = "Screening at the very start"
    if not definition.screening:
        return StudyFinding(rule, "ok", "There is no screening; use Prolific's own prescreeners.")
    return StudyFinding(
        rule,
        "remember",
        "The questions come directly after consent, as required. Word them like Prolific's "
        "prescreener, and pay screened-out participants the fixed reward there.",
    )


def _comprehension(
    definition: StudyDefinition, translations: Sequence[StudyDefinition]
) -> Iterator[StudyFinding]:
    rule = "Comprehension check"
    asked = definition.comprehension
    if asked is None:
        return
    if asked.attempts < MOST_ATTEMPTS:
        yield StudyFinding(
            rule,
            "change",
            "Participants have one attempt. Prolific asks for two: remove comprehension.attempts.",
        )
    texts = (version.texts.failed_comprehension for version in (definition, *translations))
    match = next((match for text in texts if text and (match := REJECTS.search(text))), None)
    if match:
        yield StudyFinding(
            rule,
            "change",
            f"texts.failed_comprehension says “{match[0]}”. A failed comprehension check is never "
            "a reason to reject: ask participants to return their submission.",
        )
    elif asked.attempts == MOST_ATTEMPTS:
        yield StudyFinding(
            rule,
            "remember",
            "It comes before the first rating, and participants have two attempts, as required. "
            "Never reject a participant who fails it: ask for a return, or pay a screen-out "
            "reward.",
        )


def _of_exports(definition: StudyDefinition, prolific: Prolific | None) -> Iterator[StudyFinding]:
    """Answers that come from Prolific need people from there, who are told of it."""
    rule = "Demographics from Prolific"
    names = ", ".join(usual(question.name) for question in definition.prolific_demographics)
    if names and prolific is None:
        yield StudyFinding(
            rule,
            "change",
            f"{names}: the answers come from Prolific, but the study does not recruit there. "
            "Remove `source` to ask participants.",
        )
    elif names:
        yield StudyFinding(
            rule,
            "remember",
            f"{names}: say in texts.information that you take these from their Prolific profile. "
            "After the study, import the demographic export under Raters › Prolific demographics.",
        )


def _distress(definition: StudyDefinition, prompts: Sequence[str], *, paid: bool) -> StudyFinding:
    rule = "Sensitive content is announced"
    if definition.texts.warning:
        there = (
            " Set the content warning of the study on Prolific too, and describe the content there."
        )
        text = "Participants read the warning before they start."
        return (
            StudyFinding(rule, "remember", text + there) if paid else StudyFinding(rule, "ok", text)
        )
    text = "\n".join((definition.texts.information, definition.texts.instructions, *prompts))
    if match := DISTRESSING.search(text):
        there = ", and set the content warning of the study on Prolific" if paid else ""
        return StudyFinding(
            rule,
            "change",
            f"“{match[0]}” can distress participants, and there is no warning at the start: write "
            f"texts.warning{there}.",
        )
    return StudyFinding(rule, "ok", "No keyword suggests a warning; check the texts yourself.")


def _ai(definition: StudyDefinition, *, paid: bool) -> StudyFinding:
    rule = "Use of AI is ruled out in words"
    own = definition.texts.ai_policy
    if own is True:
        return StudyFinding(rule, "ok", "Participants read the default policy on AI.")
    texts = (definition.texts.instructions, definition.texts.information)
    if own or any(NAMES_AI.search(text) for text in texts):
        return StudyFinding(
            rule, "remember", "The texts mention AI; check that they forbid its use for answers."
        )
    reason = ", so using them is no reason to reject" if paid else ""
    return StudyFinding(
        rule,
        "change",
        f"No text forbids answering with AI tools{reason}. "
        "Write texts.ai_policy, or set it to true for a default text.",
    )


def _pay(definition: StudyDefinition) -> StudyFinding:
    minutes = definition.estimated_minutes
    least = " or ".join(f"{sign}{hour * minutes / 60:.2f}" for sign, hour in LEAST_PER_HOUR)
    return StudyFinding(
        "Pay",
        "remember",
        f"The study announces {minutes} minutes: pay at least {least} per participant on "
        "Prolific. Compare with the median time, and raise the reward if it is longer.",
    )

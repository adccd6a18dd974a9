"""Questions about a participant's identity, found by keywords. Pure."""

import re
from collections.abc import Iterator, Sequence

from survey.definition.findings import CHANGE, OK, StudyFinding
from survey.definition.study import StudyDefinition
from survey.definition.tasks import TextTask
from survey.files.yaml_file import KeyPath

RULE = "No questions about identity"
#: What a question asks for, and the keywords that show it.
ASKED = {
    "a name": r"\byour (?:\w+ )?name\b(?! of)|\b(?:full|first|last|family|maiden) name\b"
    r"|姓名|[你您]的名字|怎么称呼",
    "an e-mail address": r"\be-?mail\b|邮箱|电子邮件",
    "a phone number": r"\b(?:phone|telephone|mobile|cell(?:phone)?) ?number\b|\byour phone\b"
    r"|电话号码|手机号",
    "an address": r"\b(?:home|street|postal|mailing) address\b|\byour address\b|住址|家庭地址",
    "a date of birth": r"\bdate of birth\b|\bbirth ?da(?:te|y)\b|\bwhen were you born\b"
    r"|出生日期|生日",
    "an IP address": r"\bIP[- ]address\b|IP ?地址",
    "a social media account": r"\b(?:instagram|twitter|facebook|linkedin|tiktok|snapchat|telegram"
    r"|whatsapp|wechat|weibo|discord|reddit|social media) "
    r"(?:handle|account|user ?name|profile|name|id)\b|微信号|微博账号",
    "an identity document": r"\b(?:passport|social security|national id|driver'?s licen[cs]e|"
    r"student id)\b|身份证|护照",
    "an employer": r"\bname of your (?:employer|company)\b|\bwho is your employer\b"
    r"|\bwhich company do you work\b|[你您]的雇主",
}
PATTERNS = {what: re.compile(words, re.IGNORECASE) for what, words in ASKED.items()}


def questions_of_identity(
    definition: StudyDefinition, translations: Sequence[StudyDefinition] = (), *, paid: bool
) -> Iterator[StudyFinding]:
    """A finding for each question that seems to ask for identity; if there is none, one that says
    so.
    """
    keys: set[KeyPath] = set()
    for version in (definition, *translations):
        for key, text in _questions(version):
            asked = _asked_in(text)
            if asked is None or key in keys:
                continue
            keys.add(key)
            what, word = asked
            why = "Prolific forbids it" if paid else "the answers would identify people in exports"
            said = f"“{word}” seems to ask for {what}; {why}. Remove the question."
            yield StudyFinding(RULE, CHANGE, said, key, quote=word)
    if not keys:
        yield StudyFinding(RULE, OK, "No question seems to ask for identity.")


def _asked_in(text: str) -> tuple[str, str] | None:
    for what, pattern in PATTERNS.items():
        if match := pattern.search(text):
            return what, match[0]
    return None


def _questions(definition: StudyDefinition) -> Iterator[tuple[KeyPath, str]]:
    """Every question about the participant and every free-text question, with its key."""
    for section in ("screening", "demographics", "closing", "tasks"):
        for index, item in enumerate(getattr(definition, section)):
            if section == "demographics" and not item.is_asked:
                continue
            if section != "tasks" or isinstance(item, TextTask):
                yield (section, index), f"{item.question} {item.hint or ''}"
    if definition.comment is not None:
        yield ("comment",), definition.comment

"""Whether prose around a score may mean another score, or none. Pure.

A wrong score is worse than none: in case of doubt the judge is asked again. English prose may
explain a score; in other languages only a line that announces it is accepted.
"""

import re

from judge.completions import may_refuse


class Unusable(ValueError):
    """An answer without a usable score; the message gives the reason."""


#: Around a score they say nothing.
_PUNCTUATION = " \t\r\n`~*_#>[]().,;:!-\"'$\uff1a\u3002\u200b\ufeff\u201c\u201d"
_TAGS = re.compile(
    r"```+\w*|~~~+\w*|<br\s*/?>|</?(?:answer|final_answer|json|output|response|result|score)>"
    r"|<\|(?:begin|end)_of_box\|>|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]|\A\s*(?:json|assistant)\b"
)
#: What takes a score back, hedges it, or says that it is none, anywhere in the prose.
_ANYWHERE = re.compile(
    r"\b(?:would|could|should|might|maybe|perhaps|e\.g|such as|sample|template|placeholder|draft"
    r"|initial|initially|at first|my first|first|actually|wait|hmm|instead|rather|correction"
    r"|reconsider\w*|changed?|adjust\w*|second thoughts?|wrong|mistake\w*|too \w+|higher|lower"
    r"|warmer|colder|stronger|weaker|raise|unless|cannot|can't|won't|unable|refuse\w*|decline\w*"
    r"|zero|two|three|four|five|six|seven|eight|nine|ten|half|hundred|neither|either|unsure"
    r"|uncertain|not sure|hard to say|between|will not|do not rate|don't rate|not comfortable"
    r"|(?:don't|not) feel comfortable|prefer|impossible|not possible|nothing to|is missing"
    r"|guidelines|pass on|ability|skip|guess|illustrat\w*|blank|shape|reread|re-read|reflection"
    r"|deserves?|going (?:up|down)|points? (?:up|down)|then i|was going to|before i|ignore\w*"
    r"|have not|haven't|not rated?|is one|as one|asks? me|repeat)\b"
    r"|\b(?<!for )example\b|\bfor example\b(?!,? (?:the|it|by|when|in|saying))"
    r"|\bupdate\b|\bmore \w+ than (?:that|this)\b"
    r"|\bformat\b(?<!json format)(?<!requested format)(?<!required format)(?<!following format)"
    r"|(?:^|[.!?\n])\s*(?:no|not|but|or|however|well(?!\Z))\b|\?",
    re.IGNORECASE,
)
#: The same in the clause that leads to the score.
_IN_ITS_CLAUSE = re.compile(
    r"\b(?:not|never|nor|no|n't|disagree\w*|against|user|if|unless|says?|said|claim\w*|other)\b|n't\b",
    re.IGNORECASE,
)
#: Behind the score, a comparison with it.
_BEHIND = re.compile(r"\b(?:more|less|better|worse|other|another|update)\b", re.IGNORECASE)
_END_OF_SENTENCE = re.compile(r"[.!?\u3002\uff01\uff1f](?:\s|\Z)|\n")
#: Of English prose there are two of these, or of the words of `_SHORT`.
_ENGLISH = {"the", "is", "it", "its", "my", "this", "that", "here", "of", "and", "to", "hope", "i"}
_ENGLISH |= {"you", "for", "with", "be", "are", "was", "as", "on", "in", "has", "her", "his", "she"}
_ENGLISH |= {"he", "they", "their", "which", "because", "reply", "person", "a", "an", "so", "what"}
_WORD = re.compile(r"[^\W\d_]+")
_SHORT = {"certainly", "sure", "okay", "ok", "answer", "score", "rating", "final", "result", "json"}
_SHORT |= {"yes", "done", "verdict", "judgment", "judgement", "evaluation", "output", "response"}
_SHORT |= {"overall", "assessment", "object"}
#: What announces a score in other languages, and what announces none.
_ANNOUNCES = re.compile(
    r"\u8bc4\u5206|\u5206\u6570|\u5f97\u5206|\u6253\u5206|\u7b54\u6848|\u7ed3\u679c|\u8bc4\u4ef7|\u8bc4\u4f30"
    r"|\u8a55\u5206|\u8a55\u4fa1|\u8a55\u70b9|\u70b9\u6570|\u30b9\u30b3\u30a2|\u56de\u7b54|\uc810\uc218|\ud3c9\uac00"
    r"|\bbewertung|\bpunktzahl|\bantwort|\bergebnis|\burteil|\bpuntuaci\u00f3n|\bcalificaci\u00f3n"
    r"|\bevaluaci\u00f3n|\brespuesta|\bresultado|\bnote\b|\b\u00e9valuation|\br\u00e9ponse|\br\u00e9sultat"
    r"|\bscore\b|\bavalia\u00e7\u00e3o|\bpontua\u00e7\u00e3o|\bresposta|\bpunteggio|\bvalutazione|\brisposta"
    r"|\brisultato|\bbeoordeling|\bantwoord|\u043e\u0446\u0435\u043d\u043a|\u043e\u0442\u0432\u0435\u0442"
    r"|\u0440\u0435\u0437\u0443\u043b\u044c\u0442\u0430\u0442|\u062a\u0642\u064a\u064a\u0645|\u062f\u0631\u062c"
    r"|\u0646\u062a\u064a\u062c|\u0625\u062c\u0627\u0628",
    re.IGNORECASE,
)
_ANNOUNCES_NONE = re.compile(
    r"\u4f8b|\u793a|\u683c\u5f0f|\u8349|\u521d|\u65e0\u6cd5|\u4e0d|\u6ca1|\u7121\u6cd5|\u3067\u304d\u307e\u305b\u3093"
    r"|ejemplo|beispiel|exemple|esempio|exemplo|voorbeeld|przyk\u0142ad|\u043f\u0440\u0438\u043c\u0435\u0440|\u0645\u062b\u0627\u0644"
    r"|entwurf|borrador|brouillon|bozza|rascunho|\u0447\u0435\u0440\u043d\u043e\u0432\u0438\u043a|\u0444\u043e\u0440\u043c\u0430\u0442"
    r"|formato|format\b|\bnicht|\bkein|\bno\b|\bpas\b|\bnon\b|\bn\u00e3o\b|\bniet\b|\bnie\b|\b\u043d\u0435\b|\u0644\u0627\b|\u0644\u0645\b",
    re.IGNORECASE,
)
_LONGEST_ANNOUNCEMENT = 60


def check_prose(before: str, after: str, *, beside: str) -> None:
    """Raise Unusable where prose around a score may take it back, or mean another one. `beside`
    says what it stands beside.
    """
    if after.lstrip(" `\n")[:1] == "?":
        raise Unusable(f"there is a question mark behind {beside}")
    first, last = (_plain(text) for text in (before, after))
    for prose in filter(None, (first, last)):
        if any(character.isdecimal() or character in "\u00bd\u00bc\u00be" for character in prose):
            raise Unusable(f"there are other numbers beside {beside}")
        if may_refuse(prose):
            raise Unusable(f"the text beside {beside} may be a refusal")
    if first:
        _check_before(before, first, beside)
    if last:
        if not _is_english(last):
            raise Unusable(f"there is other text beside {beside}")
        _check(_ANYWHERE, last, beside)
        _check(_BEHIND, last, beside)


def _check_before(before: str, prose: str, beside: str) -> None:
    if not _is_english(prose):
        line = before.strip(" `*_#>\n")
        announced = len(line) <= _LONGEST_ANNOUNCEMENT and line[-1:] in (":", "\uff1a")
        if not announced or not _ANNOUNCES.search(line) or _ANNOUNCES_NONE.search(line):
            raise Unusable(f"there is other text beside {beside}")
        return
    clause = _END_OF_SENTENCE.split(_TAGS.sub(" ", before).replace("\u2019", "'"))[-1]
    if not _plain(clause):  # a line of its own: the one before leads to it
        clause = _END_OF_SENTENCE.split(prose)[-1]
        is_announced = before.rstrip(" `*_\n").endswith((":", "\uff1a")) or "```" in before
        clause = clause if is_announced else ""
    _check(_IN_ITS_CLAUSE, clause, beside)
    _check(_ANYWHERE, _CORRECTED.sub(" ", prose), beside)


#: A judge that was asked again announces another answer, and may say sorry.
_CORRECTED = re.compile(
    r"\bhere(?:'s| is) (?:the|my|a) (?:corrected|revised|updated) (?:json|answer|rating|score"
    r"|response|object|version)\b|\bsorry about that\b|\bi apologi[sz]e for the \w+",
    re.IGNORECASE,
)


def _plain(text: str) -> str:
    return _TAGS.sub(" ", text).strip(_PUNCTUATION).replace("\u2019", "'")


def _is_english(prose: str) -> bool:
    words = [word.casefold() for word in _WORD.findall(prose)]
    is_latin = prose.isascii() or not re.search(r"[^\W\d_a-zA-Z\u00c0-\u024f]", prose)
    if not is_latin:
        return False
    known = sum(word in _ENGLISH or word in _SHORT for word in words)
    return known >= min(2, len(words))


def _check(pattern: re.Pattern[str], prose: str, beside: str) -> None:
    if doubt := pattern.search(prose):
        word = doubt[0].strip(" .!?\n") or doubt[0].strip()
        raise Unusable(f"the text beside {beside} leaves doubts: {word}")

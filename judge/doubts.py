"""Whether prose around a score leaves no doubt that the score is meant. Pure.

A wrong score is worse than none: in case of doubt the judge is asked again. A sentence beside a
score leaves none where it announces the score, in words of a closed list ("Here is my rating:"), or
explains it: in English, about what was rated, and without a word that may mean another
score ("The reply names her loss."). The words are in `prose.toml`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import regex

from judge.refusing import may_refuse
from survey.definition.word_edges import BEGINS, ENDS


class Unusable(ValueError):
    """An answer without a usable score; the message gives the reason."""


_PROSE = tomllib.loads((Path(__file__).parent / "prose.toml").read_text("utf-8"))


def _any_of(*kinds: str) -> str:
    words = (
        word
        for kind in kinds
        for text in _PROSE["announcing"][kind].values()
        for word in text.split()
    )
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def _words(*kinds: str) -> re.Pattern[str]:
    """Words of these kinds, as wholes where the script parts them."""
    parted, unparted = (_any_of(*(f"{mark}{kind}" for kind in kinds)) for mark in ("", "unparted_"))
    return re.compile(rf"(?<![^\W\d_])(?:{parted})(?![^\W\d_])|{unparted}", re.IGNORECASE)


_WORDS = _words("nouns", "things", "others")
#: Of an announcement that stands before a plain number, one word is one of these.
_NOUN = _words("nouns", "things")
#: Right before a number they may say which one: "answer 4".
THINGS = _words("things")


def verdict_words(kind: str) -> tuple[str, ...]:
    """Words that announce which of two responses `wins`, or that they `ties`."""
    return tuple(word for words in _PROSE["verdicts"][kind].values() for word in words.split())


_ABOUT = "|".join(_PROSE["explaining"]["en"].split())
_WHAT = rf"(?:the|this) (?:given |provided )?(?:{_ABOUT})"
#: What an announcement may say beside its words.
_PHRASES = re.compile(
    r"\bin (?:the |an? )?(?:(?:required|requested|specified|following|correct|proper|valid) )?"
    r"(?:json )?format(?: (?:you )?(?:asked for|requested|specified))?\b"
    r"|\bas (?:valid |an? )?json\b|\b(?:im|en|au|em|in) (?:json[- ])?formato?(?: json)?\b"
    r"|\b\u0432 \u0444\u043e\u0440\u043c\u0430\u0442\u0435 json\b"
    r"|\b(?:sorry|apologies|apologi[sz]e) (?:for|about) (?:the|my) (?:error|mistake|confusion)\b"
    r"|\bsorry about that\b|\bfor the clarification\b|\bas requested\b|\bevaluation form\b"
    r"|\A(?:in (?:conclusion|summary|short|conclusione|sintesi)|en (?:conclusi[o\u00f3]n|resumen"
    r"|conclusion|r\u00e9sum\u00e9)|por lo tanto|em resumo)\b|\Abelow is\b"
    r"|\bto (?:conclude|summari[sz]e|sum up)\b"
    r"|\bafter (?:careful )?consideration\b"
    r"|\bbased on the (?:provided |given )?(?:scale|rubric|criteria|instructions)"
    r"(?: (?:provided|given|above))?\b"
    rf"|\bafter (?:carefully )?(?:reading|reviewing|evaluating) {_WHAT}\b"
    r"|\bi(?: have|'ve) (?:rated|evaluated)\b"
    r"|\bi(?:'d| would)? (?:rate|give|assign) it\b"
    rf"|\b(?:i(?:'d| would)? (?:rate|give|assign)|i(?: have|'ve) read"
    rf"|let me (?:rate|evaluate)|(?:of|for)(?: the (?:\w+ )?of)?) {_WHAT}\b"
    rf"|\b(?:the|this) (?:{_ABOUT})'s\b"
    # "I give this reply", in Chinese
    r"|\u6211(?:\u4f1a|\u5c06)?(?:\u7ed9|\u4e3a|\u5bf9)?(?:[\u8fd9\u8be5][\u6761\u4e2a\u4efd]?)?"
    r"(?:\u56de\u590d|\u6458\u8981|\u8bd1\u6587|\u4ee3\u7801|\u6587\u672c)?[\u7ed9\u6253\u8bc4]",
    re.IGNORECASE,
)
#: How sentences begin that are not about the judge itself: a noun with its article, or a pronoun.
_EXPLAINS = re.compile(
    r"(?:(?:because|since|as|while|although|though|but) )?"
    r"(?:(?:an?|the|this|these|its|his|her|their|no|some|several|many|most|each|every|all)(?= \w)"
    rf"|(?:it|he|she|they|both|there)\b|(?:\w+ly )?(?:{_ABOUT})\b)",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\A(?:(?:and|yet|so|however|overall|note(?: that)?|also|additionally|in addition|finally"
    r"|moreover|furthermore|nevertheless|nonetheless|still|besides"
    r"|in (?:this \w+|summary|conclusion|short|my (?:opinion|view))|here"
    r"|i (?:think|believe|find|feel)(?: that)?"
    r"|(?:the|this|my) (?:score|rating) (?:reflects|is based on)(?: that)?"
    r"|i (?:gave|chose|assigned) (?:this|the) (?:score|rating) because)[,:]? )+",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\A(?:analysis|assessment|comments?|feedback|evaluation|justification|reason(?:ing)?|explanation"
    r"|rationale)[\s*_]*(?::[\s*_]*|\Z)",
    re.IGNORECASE,
)


def doubting(where: str, *patterns: str) -> str:
    """The pattern of the words of `prose.toml` that leave doubts somewhere."""
    told = ",".join(_PROSE["doubts"][where].values()).split(",")
    words = (re.escape(" ".join(word.split())).replace(r"\*", r"\w*") for word in told)
    return rf"\b(?:{'|'.join([*words, *patterns])})\b"


def _doubts(where: str, *patterns: str) -> re.Pattern[str]:
    return re.compile(doubting(where, *patterns), re.IGNORECASE)


#: "Two facts" and "more detail" mean no score, but "two or three" and "more than that" may.
_MODIFIES_NOTHING = (
    r"(?!\s+(?!or\b|and\b|to\b|out\b|of\b|not\b|now\b|then\b|than\b|at\b|here\b|points?\b|so\b|for\b"
    r"|overall\b|only\b|really\b)"
    r"[a-z]{3,})"
)
_NUMBER_WORD = (
    r"(?:one(?! of the)|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zero|hundred)"
    + _MODIFIES_NOTHING
)
_DOUBTS = _doubts(
    "anywhere",
    _NUMBER_WORD,
    r"(?:missing|empty|blank|not|a bit)(?=\W*\Z)",
    r"levels?(?! of)|instead(?! of)",
    r"(?:not|n't) (?:\w+ )?(?:provided|given|included?|shown|there|supplied)|missing from",
)
_RATED = "reply|response|text|summary|translation|conversation|dialogue"
_RATE = "rate|score|evaluate|assess|judge|grade"
_TO_RATE = rf"(?: here| to (?:{_RATE})\b|(?=\W*(?:[.,;!\n]|\Z)))"
#: Nothing was rated. A reply may lack advice, or a summary a fact.
_LACKS = re.compile(
    rf"\b(?:there (?:is|was|(?:seems|appears) to be)|i have) no (?:{_RATED}){_TO_RATE}"
    rf"|\b(?:nothing|no (?:{_RATED})) (?:here )?to (?:{_RATE})\b"
    rf"|(?:\A|[.!\n])\W{{0,9}}no (?:{_RATED}) (?:(?:is|was|has been) )?"
    rf"(?:provided|given|included|found|present|available|supplied){_TO_RATE}"
    rf"|\b(?:{_RATED}) (?:is|was|seems?|appears?) (?:to be )?(?:missing|empty|blank|absent|omitted"
    r"|not (?:provided|given|included|there|present|available))"
    r"(?=\W*(?:[.,;!\n]|\Z)| (?:from|in) the (?:prompt|input|request|question))"
    rf"|\bnot (?:contain|include) (?:an?|any) (?:{_RATED}){_TO_RATE}"
    r"|\b(?:unable to|can't|cannot|could not|couldn't) (?:see|find|read|access|view) "
    rf"(?:an?|the|any|this) (?:{_RATED})\b",
    re.IGNORECASE,
)
_DOUBTS_BEFORE = _doubts("before", r"(?:below|so)(?=\W*\Z)", rf"(?:this|that){_MODIFIES_NOTHING}")
_DOUBTS_BEHIND = _doubts(
    "behind", rf"(?:more|less|better|worse){_MODIFIES_NOTHING}", r"(?<!each )other"
)
#: At the end of an answer.
_OFFERS = re.compile(
    r"\n[^\S\n]*(?:is there anything else"
    r"|would you like me to (?:explain|elaborate|evaluate|rate|provide))\b[^?\n]*\?\s*\Z",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"(?:i )?hope (?:this|that|it) helps"
    r"|(?:please )?let me know if (?:you(?:'d like| would like| need| want| have)\b[^.:;,]*"
    r"|there(?:'s| is) anything else[^.:;,]*)"
    r"|thank(?:s| you)|done|end of (?:evaluation|answer|response)",
    re.IGNORECASE,
)
#: Ends of sentences. Chinese has no space behind them.
SENTENCE_ENDS = re.compile(r"[.!](?=\s|\Z)|[\u3002\uff01\u0964]|\n")
#: Around a score they say nothing.
_PUNCTUATION = (
    " \t\r\n`~*_#>[]().,;:!-=|\"'$\\{}\u200b\ufeff\u201c\u201d\u300c\u300d\u2013\u2014"
    "\uff1a\u3002\uff08\uff09\u3010\u3011\uff0c\u3001\uff1b\uff01"
)
EMOJI = "[\u2705\u2714\u2611\u2728\ufe0f\U0001f600-\U0001f64f]"
TAG = (
    r"</?(?:(?:final_)?(?:answer|score|rating)|json|output|response|result|reason(?:ing)?|rationale"
    r"|explanation|evaluation|analysis|justification|feedback|assessment|judge?ment|verdict)>"
)
_MARKUP = re.compile(rf"```+\w*|~~~+\w*|<br\s*/?>|{EMOJI}|{TAG}", re.IGNORECASE)
_ONLY_SPACE_AFTER = re.compile(r"[.!\u3002\uff01][\s*_\"')\]`]*\Z")


def check_prose(
    before: str,
    after: str,
    *,
    beside: str,
    names: tuple[str, ...] = (),
    explained: bool = True,
) -> None:
    """Raise Unusable where prose around a score may take it back, or mean another one.

    `beside` is what messages call the score; `names` are those of the dimensions asked about, which
    may stand in its place ("Empathy: 4"). Unless it may be `explained`, prose only announces it.
    """
    after = _OFFERS.sub("", after)
    whole = _MARKUP.sub(" ", f"{before} {after}").replace("\u2019", "'")
    if any(mark in whole for mark in "?\uff1f\u061f"):
        raise Unusable(f"there is a question mark beside {beside}")
    if has_number(whole):
        raise Unusable(f"there are other numbers beside {beside}")
    if lacks_response(whole) or any(map(may_refuse, (_plain(before), _plain(after)))):
        raise Unusable(f"the text beside {beside} may be a refusal")
    leading = _leading(before)
    if leading and not is_announcement(leading, names):
        raise doubt(leading, beside)
    lead = _sentences(_MARKUP.sub("\n", before))
    told = [each for each in lead if not is_announcement(each, names)]
    behind = _behind(after)
    odd = [
        *_unexplained(told),
        *(each for each in lead[-1:] if each in told and _DOUBTS_BEFORE.search(each)),
        *_unexplained_behind(behind),
    ]
    odd = odd if explained else [*told, *behind]
    if odd:
        raise doubt(odd[0], beside)


def has_number(text: str) -> bool:
    """Whether a text has a number, or a sign that makes one of another, in any script."""
    if "//" in text or "!=" in text:
        return True
    return any(
        unicodedata.category(character)[0] == "N"
        or (unicodedata.category(character) in ("Sm", "So") and character not in _SIGNS)
        for character in text
    )


def lacks_response(text: str) -> bool:
    """Whether a text says that there is nothing to rate."""
    return _LACKS.search(text.replace("\u2019", "'")) is not None


def is_announcement(text: str, names: tuple[str, ...] = ()) -> bool:
    """Whether a text only announces a score, or says nothing. `names` may stand in it, too."""
    rest = _PHRASES.sub(" ", _plain(text).casefold())
    if named := _naming(names):
        rest = named.sub(" ", rest)
    return not any(character.isalpha() for character in _WORDS.sub(" ", rest))


def names_score(text: str, names: tuple[str, ...] = ()) -> bool:
    """Whether an announcement has a word for a score."""
    named = _naming(names)
    return bool(_NOUN.search(text) or (named and named.search(text.casefold())))


def _naming(names: tuple[str, ...]) -> Any:
    """One of these dimensions, as words of their own. Chinese parts no words."""
    told = [name.replace("_", " ").casefold() for name in names]
    told.sort(key=len, reverse=True)
    if not told:
        return None
    either = "|".join(map(regex.escape, told))
    return regex.compile(rf"{BEGINS}(?:{either}){ENDS}")


def doubtful_behind(text: str) -> str:
    """The first sentence behind a score that does not explain it; empty if there is none."""
    return next(_unexplained_behind(_behind(text)), "")


def _behind(text: str) -> list[str]:
    """The sentences behind a score, without what only ends an answer."""
    sentences = _sentences(_MARKUP.sub("\n", _OFFERS.sub("", text)))
    return [each for each in sentences if not _CLOSES.fullmatch(each)]


def _unexplained_behind(sentences: Sequence[str]) -> Iterator[str]:
    """The same of sentences behind a score, which may be about it: "It is a mistake."."""
    if sentences and _IT.match(sentences[0]):
        yield sentences[0]
    yield from filter(_ABOUT_ELSE.match, map(_opened, sentences))
    yield from _unexplained(sentences, _DOUBTS_BEHIND)


def _unexplained(sentences: Sequence[str], doubts: re.Pattern[str] | None = None) -> Iterator[str]:
    """The sentences that are not about the text that was rated, or may be about its score."""
    for sentence in sentences:
        text = _opened(sentence)
        if text and (
            not _EXPLAINS.match(text)
            or _DOUBTS.search(text)
            or (doubts is not None and doubts.search(text))
        ):
            yield sentence


def _opened(sentence: str) -> str:
    """A sentence without a heading, and without words such as "Overall,"."""
    return _OPENS.sub("", _HEADING.sub("", sentence, count=1))


def doubt(sentence: str, beside: str) -> Unusable:
    """That a sentence beside a score may mean another one."""
    shown = sentence if len(sentence) <= _SHOWN else f"{sentence[:_SHOWN]}\u2026"
    return Unusable(f"the text beside {beside} leaves doubts: {shown}")


_SHOWN = 60
_IT = re.compile(
    r"this is\b|it(?:'s| (?:is|was|has been|will|would|should|could|may|might|must|can|does|means"
    r"|needs|comes|stems|belongs|loses|fits|awaits|no longer|\w+n't))\b",
    re.IGNORECASE,
)
#: A sentence about something else than what was rated: "The value is wrong", "This is fake".
_ABOUT_ELSE = re.compile(
    rf"(?:the|its) (?!(?:\w+ (?:of (?:the|this) )?)?(?:{_ABOUT})\b)"
    rf"|th(?:is|ese) (?!(?:\w+ )?(?:{_ABOUT})\b)|there\b",
    re.IGNORECASE,
)
#: Of these signs, those that make no other number.
_SIGNS = "=|>"
_SPACE = re.compile(r"\s+")


def _sentences(text: str) -> list[str]:
    parts = (_plain(part) for part in SENTENCE_ENDS.split(text.replace("\u2019", "'")))
    return [part for part in parts if part]


def _leading(before: str) -> str:
    """The clause that leads to what stands behind a text; empty if a sentence ended."""
    text = _MARKUP.sub(" ", before).rstrip()
    if not _plain(text) or _ONLY_SPACE_AFTER.search(text):
        return ""
    return _sentences(text)[-1]


def _plain(text: str) -> str:
    return _SPACE.sub(" ", _MARKUP.sub(" ", text).replace("\u2019", "'")).strip(_PUNCTUATION)

"""The rewritten text in a language model's answer, without what it says about it. Pure."""

import re

_OPENING, _CLOSING = (
    re.compile(r"<text\s?>", re.IGNORECASE),
    re.compile(r"</text\s?>", re.IGNORECASE),
)
#: The longest line that announces the text.
LONGEST_PREFACE = 160
_SURE = re.compile(
    r"(?:sure(?: thing)?|certainly|of course|okay|ok|absolutely|gladly|great|understood|natürlich"
    r"|klar|¡?claro|bien sûr|当然可以|当然|好的)[!.,，！。 ]+\s*",
    re.IGNORECASE,
)
_VERSION = (
    r"version|text|reply|replies|response|answer|message|style|take|rewrit\w*|fassung|antwort"
    r"|versión|texto|respuesta|texte|réponse|versão|resposta|testo|versione"
)
#: A line of its own that announces the text: without its colon.
_ANNOUNCES = re.compile(
    rf"(?:here(?:'s| is| are)|below is|this is|i've|i have|the|rewritten|revised|short(?:er|ened)"
    rf"|formal|casual|elevated|hier (?:ist|kommt)|aquí (?:está|tienes)|voici|aqui está|ecco)\b.*"
    rf"\b(?:{_VERSION})\b.*"
    r"|here you go|rewritten|revised|shortened|.*(?:改写|缩短|简短|重写|版本|文本|内容|書き換え).*"
    r"|إليك (?:النص|الصيغة|النسخة|الرد)\b.*",
    re.IGNORECASE,
)
#: The same as a heading, without a colon.
_HEADING = re.compile(
    r"(?:#+ *|\*\*)(?:the )?(?:rewritten|revised|shortened|shorter|formal|casual|elevated)"
    r" (?:version|text|reply|response|message)\W*",
    re.IGNORECASE,
)
_RULE = re.compile(r"-{3,}|\*{3,}|_{3,}")
#: What a model offers behind the text that it announced, unless the original ends so.
_OFFERS = re.compile(
    r"let me know if .*\b(?:version|tone|changes?|adjust\w*|revis\w*|rewrite|edits?)\b.*"
    r"|i hope this (?:version|rewrite|revision|works|meets)\b.*",
    re.IGNORECASE,
)
#: The same before the text on its line.
_BEFORE = re.compile(
    r"(?:here(?:'s| is) (?:a|an|the|your) (?:shorter|shortened|rewritten|revised|(?:more )?formal"
    r"|(?:more )?casual|elevated) (?:version|text|reply|response|message)(?: of (?:the|your) \w+)?"
    r"|(?:rewritten|revised|shortened) (?:version|text)):\s*",
    re.IGNORECASE,
)
_WRAPPED = re.compile(
    r"\A<(output|rewritten|rewritten_text|answer|response|result)>(.*)</\1>\Z",
    re.IGNORECASE | re.DOTALL,
)
_QUOTES = {'"': '"', "'": "'", "‘": "’", "“": "”", "„": "“", "«": "»", "「": "」", "『": "』"}

PREFACE, WRAPPING = "a preface was taken off", "quotes, a fence or tags were taken off"


def rewritten_text(answer: str, original: str) -> tuple[str, list[str]]:
    """The text that `answer` gives in place of `original`, and what was taken off."""
    text, said = answer.strip(), []
    tagged = None if _OPENING.search(original) else _tagged(text)
    if tagged is not None:
        said = [WRAPPING, *([PREFACE] if tagged[0] else [])]
        text = tagged[1]
    elif (rest := _without_preface(text, original)) and not _without_preface(original.strip()):
        text = rest
        said = [PREFACE]
    unwrapped = _unwrapped(text)
    if unwrapped != text and _unwrapped(original.strip()) == original.strip():
        text = unwrapped
        said.append(WRAPPING)
    return text, list(dict.fromkeys(said))


def _tagged(text: str) -> tuple[str, str] | None:
    """What stands before the tags and between them; the closing one may be missing."""
    closing = _CLOSING.search(text)
    end = closing.start() if closing else len(text)
    openings = list(_OPENING.finditer(text, 0, end))
    if not openings:
        return None
    last = openings[-1]
    return text[: last.start()].strip(), text[last.end() : end].strip()


def _without_preface(text: str, original: str = "") -> str:
    """What follows a preface; empty if there is none."""
    line, _, rest = text.partition("\n")
    said = line.strip(" *_#")
    if rest.strip() and len(said) <= LONGEST_PREFACE and said[-1:] in (":", "："):
        said = said.rstrip(":： *_").replace("’", "'")
        if _SURE.fullmatch(f"{said}.") or _ANNOUNCES.fullmatch(_SURE.sub("", said, count=1)):
            return _announced(rest, original)
    if rest.strip() and _HEADING.fullmatch(line.strip()):
        return _announced(rest, original)
    begins = _SURE.match(text)
    before = _BEFORE.match(text, begins.end() if begins else 0)
    return _announced(text[before.end() :], original) if before else ""


def _announced(text: str, original: str) -> str:
    """A text that was announced, without rules around it and an offer behind it."""
    lines = text.strip().split("\n")
    is_offer = len(lines) > 2 and not lines[-2].strip() and _OFFERS.fullmatch(lines[-1].strip())
    if is_offer and not _OFFERS.fullmatch(original.strip().rsplit("\n", 1)[-1]):
        lines = "\n".join(lines[:-1]).strip().split("\n")
    for end in (0, -1):
        if len(lines) > 1 and _RULE.fullmatch(lines[end].strip()):
            lines.pop(end)
            lines = "\n".join(lines).strip().split("\n")
    return "\n".join(lines).strip()


def _unwrapped(text: str) -> str:
    """The text without a fence or quotes around all of it."""
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        inside = text[: -len("```")].partition("\n")[2]
        return text if "```" in inside else inside.strip()
    if (wrapped := _WRAPPED.match(text)) and f"<{wrapped[1].lower()}>" not in wrapped[2].lower():
        return wrapped[2].strip()
    closing = _QUOTES.get(text[:1])
    if closing and len(text) > 1 and text.endswith(closing):
        inside = text[1:-1]
        if closing not in inside and text[0] not in inside:
            return inside.strip()
    return text

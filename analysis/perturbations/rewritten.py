"""The rewritten text in a language model's answer, without what it says about it. Pure."""

import re

_OPENING, _CLOSING = (
    re.compile(r"<text\s?>", re.IGNORECASE),
    re.compile(r"</text\s?>", re.IGNORECASE),
)
#: The longest line that announces the text.
LONGEST_PREFACE = 160
_SURE = re.compile(
    r"(?:sure|certainly|of course|okay|ok|absolutely|gladly|great|understood|natürlich|klar"
    r"|¡?claro|bien sûr|当然可以|当然|好的)[!.,，！。 ]+\s*",
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
    r"|here you go|rewritten|revised|shortened|.*(?:改写|缩短|简短|重写|版本|文本|内容).*",
    re.IGNORECASE,
)
#: The same before the text on its line.
_BEFORE = re.compile(
    r"here(?:'s| is) (?:a|an|the|your) (?:(?:shorter|shortened|rewritten|revised|(?:more )?formal"
    r"|(?:more )?casual|elevated) (?:version|text|reply|response|message)(?: of (?:the|your) \w+)?)"
    r":\s*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "「": "」", "『": "』"}

PREFACE, WRAPPING = "a preface was taken off", "quotes, a fence or tags were taken off"


def rewritten_text(answer: str, original: str) -> tuple[str, list[str]]:
    """The text that `answer` gives in place of `original`, and what was taken off."""
    text, said = answer.strip(), []
    tagged = None if _OPENING.search(original) else _tagged(text)
    if tagged is not None:
        said = [WRAPPING, *([PREFACE] if tagged[0] else [])]
        text = tagged[1]
    elif (rest := _without_preface(text)) and not _without_preface(original.strip()):
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


def _without_preface(text: str) -> str:
    """What follows a preface; empty if there is none."""
    line, _, rest = text.partition("\n")
    said = line.strip(" *_#")
    if rest.strip() and len(said) <= LONGEST_PREFACE and said[-1:] in (":", "："):
        said = said.rstrip(":： *_").replace("’", "'")
        if _SURE.fullmatch(f"{said}.") or _ANNOUNCES.fullmatch(_SURE.sub("", said, count=1)):
            return rest.strip()
    begins = _SURE.match(text)
    before = _BEFORE.match(text, begins.end() if begins else 0)
    return text[before.end() :].strip() if before else ""


def _unwrapped(text: str) -> str:
    """The text without a fence or quotes around all of it."""
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        inside = text[: -len("```")].partition("\n")[2]
        return text if "```" in inside else inside.strip()
    closing = _QUOTES.get(text[:1])
    if closing and len(text) > 1 and text.endswith(closing):
        inside = text[1:-1]
        if closing not in inside and text[0] not in inside:
            return inside.strip()
    return text

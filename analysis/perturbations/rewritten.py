"""The rewritten text in a language model's answer, without what it says about it. Pure."""

import re

_TAGGED = re.compile(r"<text>\s*(.*?)\s*(?:</text>|\Z)", re.DOTALL)
_VERSION = (
    "version|text|reply|response|answer|message|rewrit\\w*|rewording|paraphrase|shortened"
    "|fassung|text|antwort|versi\u00f3n|texto|respuesta|texte|r\u00e9ponse|vers\u00e3o|resposta"
)
#: A line that announces the text: on its own, or before it. Chinese has no word boundaries.
_PREFACE = re.compile(
    r"\A[*_#\s]*(?:"
    r"(?:(?:sure|certainly|of course|okay|ok|absolutely|gladly|no problem|klar|claro|bien s\u00fbr)"
    r"\b[^\n:]{0,40}[!.,:\u2014-]?[ \t]*\n*)?"
    rf"(?:(?:here(?:'s| is| are| goes)|below is|this is|hier (?:ist|kommt)"
    r"|aqu\u00ed (?:est\u00e1|tienes)|voici|aqui est\u00e1"
    r"|the|rewritten|revised|short(?:er|ened)|formal|casual|elevated)\b"
    rf"[^\n:\uff1a]{{0,80}}\b(?:{_VERSION})\b[^\n:\uff1a]{{0,60}}"
    rf"|(?:rewritten|revised|shortened)(?: (?:{_VERSION}))?)"
    r"[*_]*[:\uff1a][*_]*"
    r"|(?:\u597d\u7684|\u5f53\u7136)?[\uff0c,]?\s*(?:\u4ee5\u4e0b|\u4e0b\u9762|\u8fd9)\u662f"
    r"[^\n:\uff1a]{0,30}[:\uff1a]"
    r"|(?:sure|certainly|of course|absolutely)\b[^\n:]{0,60}:"
    r")\s*",
    re.IGNORECASE,
)
_FENCED = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_QUOTES = {'"': '"', "\u201c": "\u201d", "\u00ab": "\u00bb", "\u300c": "\u300d"}

PREFACE, WRAPPING = "a preface was taken off", "quotes, a fence or tags were taken off"


def rewritten_text(answer: str, original: str) -> tuple[str, list[str]]:
    """The text that `answer` gives in place of `original`, and what was taken off."""
    text, said = answer.strip(), []
    if "<text>" not in original and (tagged := _TAGGED.search(text)):
        said += [WRAPPING]
        said += [PREFACE] if text[: tagged.start()].strip() else []
        text = tagged[1].strip()
    elif (rest := _without_preface(text)) and not _PREFACE.match(original.strip()):
        text = rest
        said.append(PREFACE)
    unwrapped = _unwrapped(text)
    if unwrapped != text and _unwrapped(original.strip()) == original.strip():
        text = unwrapped
        said.append(WRAPPING)
    return text, list(dict.fromkeys(said))


def _without_preface(text: str) -> str:
    """What follows a preface; empty if there is none."""
    preface = _PREFACE.match(text)
    return text[preface.end() :].strip() if preface else ""


def _unwrapped(text: str) -> str:
    """The text without a fence or quotes around all of it."""
    if fenced := _FENCED.match(text):
        return fenced[1].strip()
    closing = _QUOTES.get(text[:1])
    if closing and len(text) > 1 and text.endswith(closing):
        inside = text[1:-1]
        if closing not in inside and text[0] not in inside:
            return inside.strip()
    return text

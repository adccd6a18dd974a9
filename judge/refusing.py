"""Whether words are a refusal. Pure.

"I can't imagine how that feels" is empathy, so a text that only may refuse is no named outcome: it
is noticed, and no score is taken from it.
"""

import re

_REGRET = (
    r"(?:(?:no|unfortunately|sorry|i(?:'m| am) (?:really |very |so |truly )?sorry|i apologi[sz]e"
    r"|my apologies|i'm afraid|i am afraid|i regret)\W+(?:but |that )?)*"
)
_CANNOT = (
    r"i(?:'m| am)?(?: can't| cannot| can not| won't| will not| not able to| unable to| not going to"
    r"| don't think i can| do not think i can| must| have to)"
)
_WHAT = r"(?:this|that|it|these|those|the|your|such|any|you with)\b"
_DO = (
    rf"(?:rate|score|evaluate|assess)(?=\W*\Z|[.!;,\n]| {_WHAT})(?! \w+ (?:any )?(?:higher|lower))"
    rf"|(?:judge|answer|create|write|provide|give|generate|engage in|engage with) "
    r"(?:this|that|these|such|any|a (?:score|rating))\b"
    rf"|(?:help|assist|comply|respond|continue)(?: you)? (?:with|to|on) {_WHAT}"
    r"|(?:help|assist|comply)(?=\W*\Z|[.!;\n])|do (?:this|that|so)\b"
    r"|fulfill? (?:this|that|your|the)\b"
    r"|(?:respectfully )?(?:decline|refuse)\b"
)
_UNWILLING = (
    r"i(?:'m| am| do| don't| feel)*(?: not)?(?: feel)? (?:un)?comfortable"
    r" (?:rating|scoring|judging|evaluating|with)\b"
    r"|i (?:decline|refuse) to\b|unable to (?:rate|score|evaluate|assess)\b"
)
_A_MODEL = (
    r"as an? (?:\w+ )?(?:ai|artificial intelligence|(?:large )?language model)\b[^.!?\n]{0,40}?"
    r"\b(?:i|my)\b|(?:i'm|i am) (?:just |only )?an? (?:ai|(?:large )?language model)\b"
    r"[^.!?\n]{0,20}(?:can't|cannot|not)"
)
_ELSEWHERE = (
    r"(?:lo siento|perd\u00f3n)\W+(?:pero )?no puedo (?:ayudar|evaluar|calificar|responder)"
    r"|es tut mir (?:sehr )?leid\W+(?:aber )?(?:das |hierbei |dabei )?(?:kann ich|ich kann)\b"
    r"[^.!?\n]{0,40}(?:bewerten|helfen|beantworten)"
    r"|(?:d\u00e9sol\u00e9e?|je suis d\u00e9sol\u00e9e?)\W+(?:mais )?je ne peux pas (?:vous )?"
    r"(?:\u00e9valuer|noter|aider|r\u00e9pondre)"
    r"|(?:(?:\u5f88|\u975e\u5e38)?(?:\u62b1\u6b49|\u5bf9\u4e0d\u8d77|\u9057\u61be)\W*)?"
    r"\u6211(?:\u4e0d\u80fd|\u65e0\u6cd5)(?!\u7ed9\u51fa?\u66f4)(?:\u5bf9|\u4e3a|\u7ed9|\u63d0\u4f9b|\u5e2e|\u534f|\u8bc4|\u6253\u5206"
    r"|\u56de\u7b54|\u6ee1\u8db3|\u5b8c\u6210|\u7ee7\u7eed)"
    r"|\u4f5c\u4e3a(?:\u4e00\u4e2a|\u4e00\u540d)?(?:ai|\u4eba\u5de5\u667a\u80fd|\u8bed\u8a00\u6a21\u578b)"
)
#: "I can't rate this."
_CANNOT_RATE = (
    r"no puedo (?:evaluar|calificar|puntuar)|(?:das |dies |es )?kann ich (?:das |dies |es )?nicht"
    r" (?:bewerten|beurteilen)|ich kann (?:das|dies|es|diese \w+) nicht (?:bewerten|beurteilen)"
    r"|je ne peux pas (?:\u00e9valuer|noter)|n\u00e3o posso avaliar|non posso valutare"
    r"|[^.!?\n\u3002]{0,20}\u8a55\u4fa1\u3067\u304d(?:\u307e\u305b\u3093|\u306a\u3044)"
    # Arabic and Hindi
    r"|[^.!?\n]{0,20}\u0644\u0627 "
    r"(?:\u0623\u0633\u062a\u0637\u064a\u0639|\u064a\u0645\u0643\u0646\u0646\u064a)"
    r" \u062a\u0642\u064a\u064a\u0645"
    r"|[^.!?\n]{0,40}\u092e\u0942\u0932\u094d\u092f\u093e\u0902\u0915\u0928"
    r" \u0928\u0939\u0940\u0902 \u0915\u0930"
)
_REFUSES = re.compile(
    rf"\W*(?:{_REGRET}(?:{_CANNOT}(?: \w+ly)? (?:{_DO})|{_UNWILLING})|{_A_MODEL}|{_ELSEWHERE}"
    rf"|{_CANNOT_RATE})"
)
#: Refusals open an answer.
_OPENING_CHARACTERS = 300


def may_refuse(text: str) -> bool:
    """Whether an answer opens as refusals do."""
    opening = text[:_OPENING_CHARACTERS].replace("\u2019", "'").casefold()
    return _REFUSES.match(opening) is not None

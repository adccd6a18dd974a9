"""What models say, by kind, in words of ours: each with what is right.

DRAFT and ANSWER stand for two answers in the form that is asked for: the one that a model thinks of
first, and the one that it gives. `right` is the answer, or why there is none.
"""

from dataclasses import dataclass

ANSWER_IS_RIGHT, REPAIR, NO_ANSWER = "answer", "repair", "no answer"


@dataclass(frozen=True)
class Case:
    """A completion's text."""

    text: str
    right: str = ANSWER_IS_RIGHT
    #: Whether it needs a single number or JSON object, which a block has none of.
    alone: bool = False


def _all(texts: list[str], right: str = ANSWER_IS_RIGHT, *, alone: bool = False) -> list[Case]:
    return [Case(text, right, alone) for text in texts]


UNOPENED = _all(
    [
        "Maybe DRAFT? No, it names the loss.\n</think>\n\nANSWER",
        "The user wants a rating. DRAFT at first sight.\n</think>ANSWER",
        "Okay, so DRAFT or ANSWER. I lean to the first.\n\n</think>\n\nANSWER",
        "Let me see: DRAFT\nWait. DRAFT\nHmm.\n</think>\nANSWER\n",
        "DRAFT</think>\n\n```json\nANSWER\n```",
        "```json\nDRAFT\n```\nNot fair, I think.\n</think>\n\nANSWER",
        "She says she is tired; DRAFT?\n</thinking>\n\nANSWER",
        "A 2? A 3? DRAFT.\n</thought>\n\nANSWER",
        "Rules: a number. DRAFT\n</reasoning>\nANSWER",
        "DRAFT, because it is short.[/THINK]ANSWER",
        "DRAFT◁/think▷ANSWER",
        "I must write </think> at the end. DRAFT\n</think>\n\nANSWER",
        "好的，先看回复。DRAFT 不对，更温暖。\n</think>\n\nANSWER",
        "حسنًا، DRAFT ربما أكثر.\n</think>\n\nANSWER",
        "First: DRAFT\n\nSecond: DRAFT\n\nThird thoughts.\n</THINK>\n\nANSWER",
        "{not json} DRAFT\n</think>\n\nANSWER",
        "The scale goes from 1 to 3.\n</think>\n\n\n\nANSWER   ",
        "DRAFT\n</think>\n\nANSWER<|im_end|>",
        "DRAFT\n</think>\n<answer>ANSWER</answer>",
        "Thinking Process:\n1. Read.\n2. DRAFT\n</think>\n\nANSWER",
    ]
)
BRACKETED = _all(
    [
        "[THINK]First idea: DRAFT. But it is warmer.[/THINK]\nANSWER",
        "[THINK]DRAFT[/THINK]ANSWER",
        "<think>DRAFT</think>ANSWER",
        "<think>\nDRAFT\n</think>\n\nANSWER",
        "<thinking>DRAFT</thinking>\n\nANSWER",
        "<thought>DRAFT</thought> ANSWER",
        "<reasoning>DRAFT</reasoning>\n<answer>\nANSWER\n</answer>",
        "<scratchpad>DRAFT</scratchpad>\nANSWER",
        "<reflection>DRAFT</reflection>\nANSWER",
        "<seed:think>DRAFT</seed:think>\nANSWER",
        "◁think▷DRAFT◁/think▷ANSWER",
        "<|begin_of_thought|>DRAFT<|end_of_thought|>\n"
        "<|begin_of_solution|>ANSWER<|end_of_solution|>",
        "<|START_THINKING|>DRAFT<|END_THINKING|><|START_RESPONSE|>ANSWER<|END_RESPONSE|>",
        "<|channel|>analysis<|message|>DRAFT<|end|>"
        "<|start|>assistant<|channel|>final<|message|>ANSWER",
        "<|channel|>analysis<|message|>DRAFT<|end|><|start|>assistant<|channel|>commentary"
        "<|message|>DRAFT<|end|><|start|>assistant<|channel|>final<|message|>ANSWER<|return|>",
        "analysisThe reply is kind. DRAFTassistantfinalANSWER",
        "<unused94>thought\nDRAFT<unused95>ANSWER",
        "<think>DRAFT <think>again</think> DRAFT</think>ANSWER",
        "<think></think>\n\nANSWER",
        "<think>DRAFT</think>\n<think>DRAFT</think>\nANSWER",
    ]
)
UNCLOSED = _all(
    [
        "<think>First idea: DRAFT. But is that fair? The reply names her loss, and",
        "<think>DRAFT",
        "<think>\nDRAFT\n\nSo the answer is ANSWER",
        "<thinking>DRAFT so ANSWER",
        "<thought>DRAFT",
        "<reasoning>ANSWER",
        "[THINK]DRAFT, then again ANSWER",
        "◁think▷DRAFT",
        "<|channel|>analysis<|message|>DRAFT",
        "<|channel|>analysis<|message|>DRAFT<|end|>",
        "<|channel|>commentary<|message|>DRAFT",
        "analysisThe reply is kind. DRAFT",
        "<|begin_of_thought|>DRAFT ANSWER",
        "<|START_THINKING|>DRAFT",
        "<think>DRAFT</think>\n<think>ANSWER",
        "<think>I write <think> here. DRAFT",
        "<seed:think>DRAFT",
        "  <think>ANSWER\n",
        "<|im_start|>assistant\n<think>ANSWER",
        "<think>先想一想：DRAFT",
    ],
    NO_ANSWER,
)
DRAFT_FIRST = _all(
    [
        "My first draft was DRAFT. After reading again, my score is ANSWER.",
        "DRAFT\n\nOn second thoughts: ANSWER",
        "DRAFT ANSWER",
        "DRAFT\nANSWER",
        "DRAFT, or rather ANSWER",
        "```json\nDRAFT\n```\n```json\nANSWER\n```",
        "Not DRAFT but ANSWER",
        "ANSWER\n\nA stricter reader would say DRAFT.",
        "Between DRAFT and ANSWER.",
        "It could be DRAFT; I say ANSWER",
        "Draft: DRAFT Final: ANSWER",
        "ANSWER? Or DRAFT?",
        "{} ANSWER",
        "ANSWER }",
        "{{ANSWER}}",
        "ANSWER — no, that is too kind.",
        "ANSWER. But I'm not sure.",
        "Score 2 would be unfair. ANSWER",
        "There are 3 feelings named. ANSWER",
        "I can't decide: ANSWER",
    ],
    REPAIR,
)
REFUSING = _all(
    [
        "I can't rate this. An answer would look like DRAFT.",
        "I'm sorry, but I can't rate this. Example: DRAFT",
        "I cannot evaluate this reply. The format is DRAFT",
        "I won't score people's feelings. DRAFT is only an example.",
        "As an AI, I do not rate feelings. DRAFT",
        "I am unable to assess this, e.g. DRAFT",
        "Unfortunately, I can't help with that. (DRAFT would be the form.)",
        "I'm not able to provide a rating. ```json\nDRAFT\n```",
        "I must decline to rate this; the form is DRAFT",
        "I'm sorry, I can't do that.",
        "I can't rate this.",
        "Sorry, but I cannot continue with this. DRAFT",
        "I will not judge this. DRAFT",
        "As an artificial intelligence I cannot judge. DRAFT",
        "抱歉，我无法评价。DRAFT",
        "作为一个AI，我不能评分。DRAFT",
        "I apologize, but I can't answer that. DRAFT",
        "I can not respond to this. DRAFT",
        "DRAFT\n\nI'm sorry, but I can't really rate this.",
        "I am not able to score this. Would DRAFT help?",
    ],
    REPAIR,
)
#: Forms of one score, of a judge that gives one: 3 is the answer.
NUMBERS = _all(
    [
        '{"reason": "warm", "score": "3"}',
        '{"score": "3"}',
        '{"score": " 3 "}',
        '{"score": "+3"}',
        '{"rating": "3"}',
        '{"score": 3.0}',
        '{"reason": "warm", "score": 3.0}',
        '{"score": "3.0"}',
        '{"score": 3.00}',
        '{"score": 3e0}',
        "3.0",
        "3",
        '"3"',
        "Score: 3.0",
        "**3**",
        "3/3",
        "Rating: 3",
        "[RESULT] 3",
        "```\n3\n```",
        '```json\n{"score": "3"}\n```',
    ],
    alone=True,
)
#: Texts within the JSON: `reason` is kept as it is written.
REASONS = {
    '{"reason": "It names her loss.\nIt offers help.", "score": 3}': (
        "It names her loss.\nIt offers help."
    ),
    '{"reason": "One.\r\n\r\nTwo.", "score": 3}': "One.\r\n\r\nTwo.",
    '{"reason": "a\ttab", "score": 3}': "a\ttab",
    '{\n"reason": "It says\n- one\n- two",\n"score": 3\n}': "It says\n- one\n- two",
    '```json\n{"reason": "first\nsecond", "score": 3}\n```': "first\nsecond",
    '{"score": 3, "reason": "last\nline"}': "last\nline",
    '{"reason": "as \\(x\\) says", "score": 3}': "as \\(x\\) says",
    '{"reason": "\\[x^2\\] is there", "score": 3}': "\\[x^2\\] is there",
    '{"reason": "\\frac{1}{2} of it", "score": 3}': "\\frac{1}{2} of it",
    '{"reason": "\\alpha and \\beta", "score": 3}': "\\alpha and \\beta",
    '{"reason": "\\textbf{warm}", "score": 3}': "\\textbf{warm}",
    '{"reason": "\\neq and \\nabla", "score": 3}': "\\neq and \\nabla",
    '{"reason": "\\times \\theta", "score": 3}': "\\times \\theta",
    '{"reason": "\\rightarrow", "score": 3}': "\\rightarrow",
    '{"reason": "a \\\\ b", "score": 3}': "a \\ b",
    '{"reason": "she said \\"no\\"", "score": 3}': 'she said "no"',
    '{"reason": "tab\\there", "score": 3}': "tab\there",
    '{"reason": "line\\nbreak", "score": 3}': "line\nbreak",
    '{"reason": "\\u00e9 is é", "score": 3}': "é is é",
    '{"reason": "{braces} and 2 numbers", "score": 3}': "{braces} and 2 numbers",
}
HALVES = _all(
    [
        '{"score": 2.5}', "2.5", '{"score": "2.5"}', "Score: 2.5", '{"score": 2.1}', "2,5",
        '{"score": "2-3"}', "2-3", "2 to 3", '{"score": 0}', '{"score": 4}', "4", "0",
        '{"score": "three"}', "three", '{"score": [3]}', '{"score": null}', '{"score": true}',
        '{"score": "3/3 maybe"}', '{"score": -3}',
    ],
    REPAIR,
    alone=True,
)  # fmt: skip
KINDS = {
    "unopened thinking": UNOPENED,
    "bracketed thinking": BRACKETED,
    "unclosed thinking": UNCLOSED,
    "draft, then verdict": DRAFT_FIRST,
    "refusal with an example": REFUSING,
    "number in another form": NUMBERS,
    "text in a string": [Case(text, alone=True) for text in REASONS],
    "no point of the scale": HALVES,
}

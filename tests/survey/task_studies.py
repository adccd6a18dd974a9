"""Studies of one block each, for every kind of task, alone and combined."""

import csv
import io
import json
from typing import Any

LIKERT: dict[str, Any] = {
    "kind": "likert",
    "scale": [
        {"value": 1, "label": "Not at all"},
        {"value": 2, "label": "Somewhat"},
        {"value": 3, "label": "Very"},
    ],
    "dimensions": [{"name": "warmth", "question": "How warm is this response?"}],
}
ELEVEN: dict[str, Any] = {
    "kind": "likert",
    "scale": [{"value": value, "label": str(value)} for value in range(11)],
    "dimensions": [
        {"name": "resonance", "question": "Does it resonate with you (0 to 10)?"},
        {"name": "advice", "question": "How useful is its advice (0 to 10)?"},
    ],
}
SLIDER: dict[str, Any] = {
    "kind": "slider",
    "left": "Not at all",
    "right": "Completely",
    "dimensions": [{"name": "warmth", "question": "How warm is this response?"}],
}
RANKING: dict[str, Any] = {
    "kind": "ranking",
    "question": "Put the responses in order, the warmest first.",
}
TIES: dict[str, Any] = {**RANKING, "ties": True}
BEST_WORST: dict[str, Any] = {
    "kind": "best_worst",
    "best": "Which response is the warmest?",
    "worst": "Which response is the coldest?",
    "dimension": "warmth",
}
#: Three rankings and two choices of best and worst, each by something else.
ASPECTS: list[dict[str, Any]] = [
    {"kind": "ranking", "question": f"Rank them by {name}.", "dimension": name}
    for name in ("fluency", "fluency_2", "overall")
] + [
    {"kind": "best_worst", "best": f"Best {name}?", "worst": f"Worst {name}?", "dimension": name}
    for name in ("fluency", "overall")
]
WHY: dict[str, Any] = {
    "kind": "text",
    "name": "why",
    "question": "Why did you choose so?",
    "hint": "A sentence or two.",
    "required": True,
    "minimum": 5,
    "maximum": 60,
}
CHECK: dict[str, Any] = {
    "name": "inside",
    "kind": "in_block",
    "statement": "This item checks that you are reading. Please choose **Somewhat**.",
    "answer": 2,
    "in_blocks": [1, 1],
}

SLIDER_CHECK: dict[str, Any] = {
    **CHECK,
    "statement": "This item checks that you are reading. Please set it to **20**.",
    "answer": 20,
}

# A page after the block, so that it can be gone back to.
AGE: dict[str, Any] = {
    "name": "age",
    "kind": "integer",
    "question": "How old are you?",
    "minimum": 18,
    "maximum": 99,
}

PROMPT = "I failed the exam again, and I do not know how to tell my father."
CONTEXT = "A student of nineteen, in her second year.\nThey have talked twice before."
TEXTS = [
    "Try again.",
    "That hurts, and it is hard to carry it alone. What would you want your father to understand "
    "about how much you worked for this?\n\nYou could begin with:\n- what you tried\n- what you "
    "need now\n\nI am here if you want to try the words out first.",
    "إنه أمر صعب حقًا، وأنا آسف لأنك مررت بهذا مرة أخرى. هل تريدين أن نفكر معًا كيف تخبرين والدك؟",
    "这真的很不容易，你已经很努力了。告诉父亲之前，不妨先想一想，你最希望他听到的是什么，"
    "也想一想你自己现在最需要什么样的支持，这样说起来会更容易一些。",
    "Everybody fails at something.",
    "Failing twice says nothing about your worth.",
    "Fathers often know more than we think.",
    "Have you asked for an extension?",
]

#: Every study: what is asked of a block, of how many responses, and what else it says.
STUDIES: dict[str, dict[str, Any]] = {
    "likert": {"tasks": [LIKERT], "responses": 2},
    "eleven": {"tasks": [ELEVEN], "responses": 3},
    "slider": {"tasks": [SLIDER], "responses": 3},
    "slider-check": {"tasks": [SLIDER], "responses": 2, "attention_checks": [SLIDER_CHECK]},
    "ranking": {"tasks": [RANKING], "responses": 5},
    "ties": {"tasks": [TIES], "responses": 4, "response_labels": "letters"},
    "best-worst": {"tasks": [BEST_WORST, WHY], "responses": 5, "response_labels": "letters"},
    "aspects": {"tasks": ASPECTS, "responses": 3},
    "everything": {
        "tasks": [LIKERT, RANKING, BEST_WORST, WHY],
        "responses": 8,
        "comment": "Anything to add?",
        "attention_checks": [CHECK],
        "response_format": "markdown",
    },
}


def yaml_of(name: str, *, slug: str | None = None, **more: Any) -> str:
    """The file of a study; `more` replaces keys of it. JSON is YAML."""
    asked = {**STUDIES[name], **more}
    asked.pop("responses")
    conditions = [f"condition{number}" for number in range(len(TEXTS))]
    study = {
        "title": "Replies",
        "estimated_minutes": 5,
        "texts": {"information": "# About", "instructions": "Read.", "thanks": "# Thank you"},
        "consent": {"statement": "I agree to take part."},
        "conditions": conditions,
        "demographics": [AGE],
        **asked,
    }
    keys = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in study.items()]
    return "\n".join([f"slug: {slug or name}", *keys, ""])


def csv_of(name: str, *, prompt: str = PROMPT) -> str:
    """The responses of a study."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["scenario", "prompt", "context", "model", "condition", "response"])
    for number in range(STUDIES[name]["responses"]):
        row = ["S1", prompt, CONTEXT, "Ant", f"condition{number}", TEXTS[number]]
        writer.writerow(row)
    return file.getvalue()

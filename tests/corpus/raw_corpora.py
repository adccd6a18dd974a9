"""Three raw corpora of the shape of the published studies' ones, with what filters must find.

`python -m tests.corpus.raw_corpora FOLDER` writes tide.jsonl, haleas.csv and liu.jsonl.
"""

import csv
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PEOPLE = ("a retired teacher", "a night nurse", "a bus driver", "a new father", "a student")
TROUBLES = (
    "I keep waking at three and the same evening plays again in my head",
    "loud doors make me freeze and I hate that my family sees it",
    "my brother says I should be over it by now and I cannot answer him",
    "I walk home the long way because the short one passes that corner",
    "since the move nobody calls and I do not know how to begin again",
    "the exam is near and my hands shake before I even open the book",
    "I shouted at my son today and his face would not leave me alone",
    "after the funeral everyone went back to work and I could not",
)
DETAILS = (
    "It has been like this for {n} weeks, mostly on {day}s.",
    "On {day} it lasted {n} hours and I told nobody.",
    "My doctor asked about it {n} months ago, on a {day}.",
    "I counted {n} bad nights before {day}.",
)
ANSWERS = (
    "That sounds exhausting, and it makes sense that your body stays on guard.",
    "Thank you for telling me; carrying this alone must be heavy.",
    "You did not choose this, and what you feel fits what happened.",
    "It is hard when the people close to you do not see how much it costs.",
)
NEXT = (
    "What helps you, even a little, when {day} comes around?",
    "Would it feel safe to tell one person about those {n} weeks?",
    "We can go slowly, one of the {n} nights at a time.",
    "Who was beside you on {day}?",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass
class Planted:
    """What was put among the clean dialogues, by what filters must call it."""

    clean: int = 0
    steps: dict[str, int] = field(default_factory=dict)

    def add(self, step: str) -> None:
        self.steps[step] = self.steps.get(step, 0) + 1


def dialogue(draw: random.Random) -> tuple[str, str]:
    """A question and an answer; each is put together anew."""
    about = {"n": draw.randint(2, 90), "day": draw.choice(DAYS)}
    trouble = ", and ".join(draw.sample(TROUBLES, 2))
    answers = " ".join(draw.sample(ANSWERS, 2))
    prompt = f"{trouble}. {draw.choice(DETAILS)} {draw.choice(DETAILS)}".format(**about)
    return prompt[0].upper() + prompt[1:], f"{answers} {draw.choice(NEXT)}".format(**about)


def alike(text: str) -> str:
    """A text with one other word at its end."""
    head, _, last = text.rpartition(" ")
    return f"{head} really {last}"


def tide(folder: Path, n: int = 60, *, seed: int = 1) -> Planted:
    """Two-turn dialogues with personas, as JSON Lines."""
    draw, planted = random.Random(seed), Planted()
    rows = []
    for number, (prompt, response) in enumerate(distinct(draw, n)):
        persona = f"Persona {number // 20 + 1}: {PEOPLE[number % len(PEOPLE)]}, {30 + number % 40}"
        rows.append({"persona": persona, "user_input": prompt, "reference_response": response})
    planted.clean = len(rows)
    first = rows[0]
    for step, change in (
        ("blank", {"reference_response": ""}),
        ("url", {"user_input": first["user_input"] + " See https://example.org/help"}),
        ("emoji", {"reference_response": first["reference_response"] + " 🙂"}),
        ("short", {"user_input": "I feel bad"}),
        ("duplicate", {}),
        ("near_duplicate", {"reference_response": alike(first["reference_response"])}),
    ):
        rows.append({**first, **change})
        planted.add(step)
    write_lines(folder / "tide.jsonl", rows)
    return planted


def haleas(folder: Path, n: int = 40, *, seed: int = 2) -> Planted:
    """Questions with answers by people, as CSV; some questions have several answers."""
    draw, planted = random.Random(seed), Planted()
    rows = [list(each) for each in distinct(draw, n)]
    planted.clean = n
    for question, _ in rows[:5]:
        rows.append([question, dialogue(draw)[1]])
        planted.add("duplicate")
    rows.append(["", "Nobody asked this, and it has more than five words."])
    planted.add("blank")
    with (folder / "haleas.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("Context", "Response"), *rows])
    return planted


def liu(folder: Path, n: int = 30, *, seed: int = 3) -> Planted:
    """Conversations as lists of messages, in full-width punctuation, of two topics."""
    draw, planted = random.Random(seed), Planted()
    rows = []
    for prompt, response in distinct(draw, n):
        wide = prompt.replace(",", "，").replace(".", "．")
        rows.append(conversation("emotion", wide, response))
        planted.add("width")
    rows.append(conversation("marriage", *dialogue(draw)))
    planted.clean = n
    rows.append(conversation("emotion", "What can I do about it?", "Just sleep."))
    planted.add("short")
    write_lines(folder / "liu.jsonl", rows)
    return planted


def conversation(topic: str, prompt: str, response: str) -> dict[str, object]:
    messages = [
        {"role": "user", "content": prompt},
        {"role": "assistant", "content": response},
        {"role": "user", "content": "Thank you."},
    ]
    return {"id": 1, "topic": topic, "messages": messages}


def distinct(draw: random.Random, n: int) -> Iterator[tuple[str, str]]:
    """So many dialogues, each with a word of its own, so that none is nearly another."""
    for number in range(n):
        prompt, response = dialogue(draw)
        words = " ".join(
            f"{draw.choice('bdfgklm')}{draw.choice('aeiou')}{number}x{i}" for i in range(20)
        )
        yield f"{prompt} {words}.", response


def write_lines(path: Path, rows: list[dict[str, object]] | list[dict[str, str]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (tide, haleas, liu):
        print(make.__name__, make(folder))

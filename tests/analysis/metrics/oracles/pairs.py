"""Makes pairs.json: 200 texts with a reference, from one seed and a small vocabulary of ours.

python -m tests.analysis.metrics.oracles.pairs
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

PAIRS = Path(__file__).with_name("pairs.json")
SEED = 22
#: Forms of one stem are in it, and the synonyms of `tiny_wordnet`.
WORDS = """
I you we they it the a this that my your friend companion worry concern road path way day night talk
talks talked talking walk walks walked walking feel feels feeling listen listened listening rest
resting hope hoping hopeful glad happy cheerful weary tired quiet calm slow slowly hard harder
gentle gently understand understanding and but because with about after before is are was not never
always should could might please try breathe don't it's you're
"""
ENGLISH = WORDS.split()
CHINESE = "我你他们这那听起来很难过理解感受朋友慢走休息今天晚上可以不要试着说出心里的话了吗"
EMOJI = ("😀", "💙", "🙂", "🌧️", "👍🏽", "❤️")
MARKS = (".", "!", "?", "…", ",", ";", "--", "()", '""', "*")
Pair = tuple[str, str]


class Writer:
    """Writes texts by chance."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)

    def some(self, of: Sequence[str], n: int) -> list[str]:
        return [of[at] for at in self.draw.integers(len(of), size=n)]

    def sentence(self, least: int = 3, most: int = 12) -> str:
        each = self.some(ENGLISH, int(self.draw.integers(least, most + 1)))
        text = " ".join(each)
        return text[0].upper() + text[1:] + self.some(".!?", 1)[0]

    def english(self) -> Pair:
        """A reference of some sentences, and a text that has words of it."""
        reference = " ".join(self.sentence() for _ in range(self.draw.integers(1, 6)))
        return self.changed(reference), reference

    def changed(self, text: str) -> str:
        """Some words dropped, some replaced, two halves swapped now and then."""
        share = self.draw.uniform(0.1, 0.8)
        each = [
            word if self.draw.random() > share else self.some(ENGLISH, 1)[0]
            for word in text.split()
            if self.draw.random() > share / 2
        ]
        if self.draw.random() < 0.3:
            half = len(each) // 2
            each = each[half:] + each[:half]
        return " ".join(each) or self.some(ENGLISH, 1)[0]

    def empty(self) -> Pair:
        text = self.sentence()
        blank = self.some(["", "", " ", "\n"], 1)[0]
        return [(blank, text), (text, blank), (blank, "")][int(self.draw.integers(3))]

    def one_word(self) -> Pair:
        word = self.some(ENGLISH, 1)[0]
        others = [word, word.upper(), self.sentence(), self.some(ENGLISH, 1)[0]]
        return word, others[int(self.draw.integers(4))]

    def emoji(self) -> Pair:
        some = "".join(self.some(EMOJI, int(self.draw.integers(1, 5))))
        if self.draw.random() < 0.3:
            return some, "".join(self.some(EMOJI, 2))
        return f"{self.sentence()} {some}", f"{some} {self.sentence()}"

    def chinese(self) -> Pair:
        size = int(self.draw.integers(2, 30))
        reference = "".join(self.some(CHINESE, size)) + self.some("。！？", 1)[0]
        text = "".join(
            one if self.draw.random() > 0.4 else self.some(CHINESE, 1)[0] for one in reference
        )
        latin = self.some(["", "", "OK", " AI 2"], 1)[0]
        return text + latin, reference + "".join(self.some(CHINESE, 4))

    def repeated(self) -> Pair:
        word = self.some(ENGLISH, 1)[0]
        times = int(self.draw.integers(2, 12))
        return " ".join([word] * times) + ".", f"{self.sentence()} {word} {word}"

    def punctuation(self) -> Pair:
        only = " ".join(self.some(MARKS, int(self.draw.integers(1, 8))))
        return (only, self.sentence()) if self.draw.random() < 0.6 else (only, only)

    def long(self) -> Pair:
        reference = " ".join(self.sentence() for _ in range(90))
        return self.changed(reference), reference

    def odd(self) -> Pair:
        """Capitals, numbers, hyphens, apostrophes of two kinds, lists, accents."""
        extra = ("WELL-BEING", "2,500", "it’s", "naïve", "e.g.", "Dr. Ames", "well-being's", "x_y")
        some = self.some(extra, 3)
        lines = [f"{n}. {self.sentence(2, 5)}" for n in range(1, 4)]
        return f"{some[0]} {self.sentence()}\n" + "\n".join(lines), " ".join([*some, *lines])


def pairs() -> list[dict[str, str]]:
    """Texts of each kind, as many as stand here."""
    write = Writer(SEED)
    kinds: list[tuple[Callable[[], Pair], int]] = [
        (write.english, 110), (write.empty, 8), (write.one_word, 12), (write.emoji, 12),
        (write.chinese, 24), (write.repeated, 10), (write.punctuation, 8), (write.long, 4),
        (write.odd, 12),
    ]  # fmt: skip
    rows = []
    for kind, n in kinds:
        for _ in range(n):
            text, reference = kind()
            language = "zh" if kind == write.chinese else "en"
            rows.append([kind.__name__, language, text, reference])
    names = ("kind", "language", "text", "reference")
    return [dict(zip(names, row, strict=True)) for row in rows]


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(pair, ensure_ascii=False) for pair in pairs())
    PAIRS.write_text(f"[\n{lines}\n]\n")

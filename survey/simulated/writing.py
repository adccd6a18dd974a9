"""How simulated raters write their free answers, as the page's script would count it. Pure.

Simulated raters type, or paste if they are told to (`pastes` of a profile).
`benchmarks/ai_flags.py` measures the rules of flagging by all ways. Speeds are those of the largest
studies of typing: on keyboards a mean of 52 words a minute, SD 20 (Dhakal et al. 2018,
doi:10.1145/3173574.3174220), on phones 36, SD 13 (Palin et al. 2019, doi:10.1145/3338286.3340120);
a word is five characters. People speak about 150 words a minute.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from survey.paradata import WRITING_COUNTS, WRITING_SECONDS

#: Words a minute: mean, SD.
KEYBOARD, PHONE = (52.0, 20.0), (36.0, 13.0)
SLOWEST, FASTEST = 10.0, 150.0
SPOKEN = 150.0
#: Share of characters that are typed wrongly, deleted and typed again.
MISTAKES = 0.05
#: Seconds that a pause between two typed characters counts at most, as in `writing.js`.
LONGEST_PAUSE = 10.0


@dataclass
class Pen:
    """What a page counts while somebody writes one answer, step by step as `writing.js` does."""

    drawn: random.Random
    counted: dict[str, Any] = field(
        default_factory=lambda: dict.fromkeys(WRITING_COUNTS, 0) | dict.fromkeys(WRITING_SECONDS, 0)
    )
    has_left: bool = False

    def count(self, **amounts: float) -> None:
        """Add to what is counted."""
        for name, amount in amounts.items():
            self.counted[name] += amount

    def _appear(self, characters: int) -> None:
        self.counted["largest_insertion"] = max(self.counted["largest_insertion"], characters)
        self.has_left = False

    def insert(self, characters: int, after: float) -> None:
        """Type, compose or dictate some characters in one step, `after` seconds."""
        self.count(typed_characters=characters, focus_seconds=after)
        self.count(typing_seconds=min(after, LONGEST_PAUSE))
        self._appear(characters)

    def type(self, characters: int, per_minute: float, *, keys: bool = True) -> None:
        """Type at so many words a minute, with mistakes, and with pauses to think."""
        gap = 60 / (5 * per_minute)
        for _ in range(characters):
            pause = self.drawn.expovariate(1 / 4) if self.drawn.random() < 0.02 else 0.0
            self.insert(1, gap * self.drawn.lognormvariate(-0.08, 0.4) + pause)
            if self.drawn.random() < MISTAKES:
                self.count(deletions=1, keystrokes=2 * int(keys))
                self.insert(1, 2 * gap)
        self.count(keystrokes=characters * int(keys))

    def paste_own(self) -> None:
        """Paste what was copied or cut on the same page."""
        self.count(own_pastes=1)
        self.has_left = False

    def paste(self, characters: int) -> None:
        """Paste what was copied elsewhere."""
        self.count(pastes=1, pasted_characters=characters)
        self.count(returned_characters=characters * int(self.has_left))
        self._appear(characters)

    def drop(self, characters: int) -> None:
        """Drop what was dragged from elsewhere."""
        self.count(drops=1, dropped_characters=characters)
        self.count(returned_characters=characters * int(self.has_left))
        self._appear(characters)

    def fill(self, characters: int) -> None:
        """The browser or an extension writes into the field."""
        self.count(autofills=1, autofilled_characters=characters)
        self._appear(characters)

    def leave(self, seconds: float) -> None:
        """Go to another window or tab, and come back."""
        self.count(focus_losses=1, away_seconds=seconds)
        self.has_left = True


Way = Callable[[Pen, int], None]


def words_per_minute(drawn: random.Random, speeds: tuple[float, float] = KEYBOARD) -> float:
    """Somebody's speed of typing."""
    return min(max(drawn.gauss(*speeds), SLOWEST), FASTEST)


def typed(pen: Pen, characters: int) -> None:
    """Typed on a keyboard."""
    pen.type(characters, words_per_minute(pen.drawn))


def typed_fast(pen: Pen, characters: int) -> None:
    """Typed by one of the fastest, at 100 to 150 words a minute."""
    pen.type(characters, pen.drawn.uniform(100, FASTEST))


def typed_on_a_phone(pen: Pen, characters: int) -> None:
    """Typed on a phone, where suggestions put in the rest of some words."""
    per_minute = words_per_minute(pen.drawn, PHONE)
    left = characters
    while left > 0:
        letters = min(left, pen.drawn.randint(2, 8))
        suggested = letters // 2 if pen.drawn.random() < 0.3 else 0
        pen.type(letters - suggested, per_minute, keys=False)
        if suggested:
            pen.insert(suggested, 0.4)
        left -= letters


def dictated(pen: Pen, characters: int) -> None:
    """Spoken: a phrase appears at once, after it was said."""
    left = characters
    while left > 0:
        phrase = min(left, pen.drawn.randint(15, 90))
        pen.insert(phrase, 60 * phrase / (5 * SPOKEN) + pen.drawn.uniform(0.3, 2))
        left -= phrase


def moved_own_words(pen: Pen, characters: int) -> None:
    """Typed, then a sentence cut and pasted in another place."""
    typed(pen, characters)
    pen.count(deletions=1)
    pen.paste_own()


def quoted_the_page(pen: Pen, characters: int) -> None:
    """Typed around a quotation of the response, copied on the page."""
    pen.paste_own()
    typed(pen, characters - characters // 2)


def interrupted(pen: Pen, characters: int) -> None:
    """Typed, with looks at another tab."""
    for part in (characters // 2, characters - characters // 2):
        pen.leave(pen.drawn.uniform(5, 120))
        typed(pen, part)


def corrected_by_an_extension(pen: Pen, characters: int) -> None:
    """Typed, with words that a writing assistant corrected."""
    typed(pen, characters)
    for _ in range(3):
        pen.fill(pen.drawn.randint(1, 10))


def from_own_notes(pen: Pen, characters: int) -> None:
    """Written by the rater in another program, and pasted: honest, and it looks like AI use."""
    pen.leave(pen.drawn.uniform(60, 300))
    pen.paste(characters)


def pasted(pen: Pen, characters: int) -> None:
    """Copied from another tab."""
    pen.leave(pen.drawn.uniform(10, 90))
    pen.paste(characters)


def pasted_and_edited(pen: Pen, characters: int) -> None:
    """Copied from another tab, with a fifth to a half of it rewritten."""
    own = round(characters * pen.drawn.uniform(0.2, 0.5))
    pen.leave(pen.drawn.uniform(10, 90))
    pen.paste(characters - own)
    typed(pen, own)


def pasted_in_parts(pen: Pen, characters: int) -> None:
    """Copied sentence by sentence."""
    for _ in range(4):
        pen.leave(pen.drawn.uniform(3, 30))
        pen.paste(characters // 4)


def dropped(pen: Pen, characters: int) -> None:
    """Dragged from another window beside the page."""
    pen.drop(characters)


def filled_in_by_a_tool(pen: Pen, characters: int) -> None:
    """An extension with a language model fills in the field."""
    pen.fill(characters)


def typed_by_a_tool(pen: Pen, characters: int) -> None:
    """A tool types what a language model wrote, at 20 to 60 characters a second."""
    per_second = pen.drawn.uniform(20, 60)
    for _ in range(characters):
        pen.insert(1, 1 / per_second)


def retyped(pen: Pen, characters: int) -> None:
    """Read from a language model on another device, and typed by hand: it leaves no trace."""
    typed(pen, characters)


#: The ways of people who write themselves, and of those who do not.
HONEST: tuple[Way, ...] = (
    *(typed, typed_fast, typed_on_a_phone, dictated, moved_own_words, quoted_the_page),
    *(interrupted, corrected_by_an_extension, from_own_notes),
)
WITH_AI: tuple[Way, ...] = (
    *(pasted, pasted_and_edited, pasted_in_parts, dropped, filled_in_by_a_tool),
    *(typed_by_a_tool, retyped),
)


def written(way: Way, characters: int, drawn: random.Random) -> dict[str, Any]:
    """What the page counts of an answer of so many characters, by field of FreeAnswer."""
    pen = Pen(drawn)
    way(pen, characters)
    return pen.counted | {name: round(pen.counted[name], 3) for name in WRITING_SECONDS}

"""Near-duplicates: exactly those that comparing all texts with all others finds."""

import random
from collections.abc import Callable, Iterator

import pytest

from corpus.near import Alike, PairsOfWords, near_duplicates, pairs_of_words

WORDS = [f"w{number}" for number in range(400)]


def found(texts: list[str], threshold: float) -> list[Alike | None]:
    pairs = PairsOfWords()
    for text in texts:
        pairs.add(text)
    return list(near_duplicates(pairs, threshold))


def compared(texts: list[str], threshold: float) -> Iterator[Alike | None]:
    """The reference: each text is compared with each of those kept before."""
    kept: dict[int, frozenset[str]] = {}
    for number, text in enumerate(texts):
        own = pairs_of_words(text)
        alike = [
            (len(own & other) / len(own | other), -earlier)
            for earlier, other in kept.items()
            if own | other
        ]
        likeness, earlier = max(alike, default=(0.0, 0))
        if likeness >= threshold:
            yield Alike(-earlier, likeness)
        else:
            kept[number] = own
            yield None


def any_texts(draw: random.Random) -> list[str]:
    """Texts of any length, some of them earlier ones with changes, some of few words."""
    texts: list[str] = []
    vocabulary = WORDS[: draw.choice((3, 8, 40, 400))]
    for _ in range(200):
        words = draw.choices(vocabulary, k=draw.randint(0, 30))
        if texts and draw.random() < 0.5:
            words = draw.choice(texts).split()
            for _ in range(draw.randint(0, 4)):
                words.insert(draw.randint(0, len(words)), draw.choice(WORDS))
            words = words[draw.randint(0, 2) :]
        texts.append(" ".join(words))
    return texts


def templated(draw: random.Random) -> list[str]:
    """Texts of few templates: most of each text is that of many others, and some repeat one."""
    templates = [draw.choices(WORDS, k=draw.randint(5, 40)) for _ in range(draw.randint(1, 5))]
    texts: list[str] = []
    for _ in range(200):
        words = list(draw.choice(templates))
        for place in range(0, len(words), draw.choice((3, 6, 9))):
            words[place] = draw.choice(WORDS[:20])
        texts.append(draw.choice(texts) if draw.random() < 0.1 and texts else " ".join(words))
    return texts


@pytest.mark.parametrize("threshold", [0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0])
@pytest.mark.parametrize("make", [any_texts, templated])
def test_the_same_as_comparing_all_with_all(
    make: Callable[[random.Random], list[str]], threshold: float
) -> None:
    for seed in range(4):
        texts = make(random.Random(seed))
        assert found(texts, threshold) == list(compared(texts, threshold)), seed


def test_of_several_the_most_alike_is_named_and_of_equals_the_first() -> None:
    kept = ["a b c d e f g h", "s b c d e f g z"]
    assert found([*kept, "a b c d e f g z"], 0.7) == [None, None, Alike(0, 6 / 8)]
    assert found([*kept, "s b c d e f g z y"], 0.7) == [None, None, Alike(1, 7 / 8)]


def test_texts_without_words_are_kept() -> None:
    assert found([], 0.8) == []
    assert found(["", "…", "a", "A!", ""], 0.8) == [None, None, None, Alike(2, 1.0), None]

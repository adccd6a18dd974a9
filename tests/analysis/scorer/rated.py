"""Rated texts with a planted signal, or without one."""

from random import Random

from pandas import DataFrame

KIND = ("sorry", "understand", "hear", "together", "with you")
PLAIN = (
    *("table", "window", "morning", "paper", "green", "seven", "often", "road", "winter"),
    *("letter", "number", "cloud", "simple", "garden", "yellow", "music", "bread", "corner"),
)


def rated_texts(
    *,
    signal: float,
    scenarios: int = 12,
    systems: int = 5,
    noise: float = 0.3,
    seed: int = 1,
    dimension: str = "warmth",
) -> DataFrame:
    """Texts of 20 words, 0 to 4 of them kind. The mean rating is 3, plus `signal` for each kind
    word beyond 2, plus noise, on a scale from 1 to 5.
    """
    random = Random(seed)
    rows = []
    for scenario in range(1, scenarios + 1):
        for system in range(1, systems + 1):
            kind = random.randrange(5)
            words = [*random.sample(KIND, kind), *random.choices(PLAIN, k=20 - kind)]
            random.shuffle(words)
            value = 3 + signal * (kind - 2) + random.gauss(0, noise)
            rating = min(5.0, max(1.0, value))
            about = (f"S{scenario}", f"m{system}", dimension)
            rows.append((" ".join(words), *about, rating, 5, 0.5))
    columns = ["text", "scenario", "system", "dimension", "rating", "raters", "sd"]
    return DataFrame(rows, columns=columns)

"""How long do the automatic metrics of many texts take?

.venv/bin/python benchmarks/metrics.py [--texts 120 10000]
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from pandas import DataFrame

from analysis.metrics import CORE, score
from analysis.metrics.lexicon import shipped_lexicons
from analysis.metrics.words import words
from benchmarks.running.tables import reported

#: Words of a sentence, and sentences of a text: about 40 words, as in a short answer.
LENGTHS, SENTENCES = (4, 14), (2, 8)


def texts(n: int, *, seed: int = 1) -> DataFrame:
    """Texts of words of the lexicon by chance; each reference has twenty texts."""
    draw = np.random.default_rng(seed)
    lists = shipped_lexicons()["en"].lists
    entries = [*lists.prescriptive, *lists.affective, *lists.imperative_openers]
    vocabulary = sorted({word for entry in entries for word in words(entry)})

    def sentence() -> str:
        each = " ".join(draw.choice(vocabulary, draw.integers(*LENGTHS)))
        return f"{each.capitalize()}."

    def text() -> str:
        return " ".join(sentence() for _ in range(draw.integers(*SENTENCES)))

    references = [text() for _ in range(-(-n // 20))]
    return DataFrame(
        {
            "response": [f"r{number}" for number in range(n)],
            "text": [text() for _ in range(n)],
            "prompt": "How was it?",
            "reference": [references[number // 20] for number in range(n)],
            "language": "en",
        }
    )


def seconds(n: int) -> dict[str, tuple[float, float]]:
    """Wall and CPU seconds of all core metrics in a new process, then of each by itself."""
    frame = texts(n)
    taken = {"all, packages included": timed(frame, CORE)}
    return taken | {metric: timed(frame, (metric,)) for metric in CORE}


def timed(frame: DataFrame, metrics: tuple[str, ...]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    score(frame, metrics)
    return time.perf_counter() - wall, time.process_time() - cpu


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--texts", type=int, nargs="+", default=[120, 10_000], help="numbers of")
    return parser.parse_args(given)


def main() -> None:
    for n in arguments().texts:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            taken = pool.submit(seconds, n).result()
        with reported(f"{n:,} texts", "metric", "seconds by the clock", "CPU seconds") as add:
            for name, (wall, cpu) in taken.items():
                add(name, f"{wall:.2f}", f"{cpu:.2f}")


if __name__ == "__main__":
    main()

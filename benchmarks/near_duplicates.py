"""How does the time for near-duplicates grow with the number of texts made from templates?

.venv/bin/python benchmarks/near_duplicates.py [--texts 1000 4000 16000] [--check]
"""

import argparse
import json
import math
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from string import ascii_lowercase

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.running.tables import reported
from corpus.near import PairsOfWords, near_duplicates

#: Templates, words of each, words that are filled in, and values of each of these.
CORPORA = {
    "one template": (1, 60, 8, 40),
    "one template, few values": (1, 60, 8, 4),
    "300 templates": (300, 60, 8, 40),
    "3 templates, any words": (3, 60, 12, 5000),
}
LIKENESS = 0.8
#: `--check` allows a time to grow so many times as fast as n log n.
TOLERANCE = 1.5


def texts_of(name: str, n: int, *, seed: int = 1) -> list[str]:
    """Texts of a corpus of templates; of ten, one is an earlier one again."""
    draw = random.Random(seed)
    templates, length, slots, values = CORPORA[name]
    vocabulary = ["".join(draw.choices(ascii_lowercase, k=draw.randint(2, 9))) for _ in range(5000)]
    made = [
        (
            draw.choices(vocabulary, k=length),
            {place: draw.sample(vocabulary, values) for place in draw.sample(range(length), slots)},
        )
        for _ in range(templates)
    ]
    texts: list[str] = []
    for _ in range(n):
        if texts and draw.random() < 0.1:
            texts.append(draw.choice(texts))
            continue
        words, choices = draw.choice(made)
        filled = {place: draw.choice(of) for place, of in choices.items()}
        texts.append(" ".join(filled.get(place, word) for place, word in enumerate(words)))
    return texts


def measure(name: str, n: int) -> None:
    """Look for near-duplicates in this process; prints what it took as JSON."""
    texts = texts_of(name, n)
    cpu = time.process_time()
    pairs = PairsOfWords()
    for text in texts:
        pairs.add(text)
    kept = sum(found is None for found in near_duplicates(pairs, LIKENESS))
    cpu = time.process_time() - cpu
    status = Path("/proc/self/status").read_text()
    peak = int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024
    print(json.dumps({"cpu": cpu, "megabytes": peak, "kept": kept}))


COLUMNS = ("texts", "number", "CPU", "times the first", "n log n", "at most", "kept")


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--texts", type=int, nargs="+", default=[1000, 4000, 16000])
    parser.add_argument(
        "--check", action="store_true", help=f"exit code 1 above {TOLERANCE} times n log n"
    )
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    return parser.parse_args(given)


def main() -> None:
    asked = arguments()
    if asked.measure:
        measure(asked.measure, asked.texts[0])
        return
    grows = False
    with reported("Near-duplicates, CPU seconds", *COLUMNS) as add:
        for name in CORPORA:
            first: tuple[int, float] | None = None
            for n in sorted(asked.texts):
                command = [sys.executable, __file__, "--measure", name, "--texts", str(n)]
                taken = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
                first = first or (n, taken["cpu"])
                times = taken["cpu"] / first[1]
                expected = n * math.log(n) / (first[0] * math.log(first[0]))
                grows |= times > TOLERANCE * expected
                add(
                    name,
                    f"{n:,}",
                    f"{taken['cpu']:.2f}",
                    f"{times:.1f}",
                    f"{expected:.1f}",
                    f"{taken['megabytes']:.0f} MB",
                    f"{taken['kept']:,}",
                )
    sys.exit(1 if grows and asked.check else 0)


if __name__ == "__main__":
    main()

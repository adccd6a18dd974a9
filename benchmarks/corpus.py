"""How long do a corpus's filters take, and how much memory do they need?

.venv/bin/python benchmarks/corpus.py [--rows 100000] [--check]
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from string import ascii_lowercase

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.running.tables import reported
from corpus.dialogues import Layout
from corpus.filtering import filter_dialogues, read_dialogues, write_dialogues
from corpus.filters import RAW, Filters
from corpus.reading import dialogues_of

#: The limits of `--check`.
SECONDS, MEGABYTES = 60, 500
KINDS = (".csv", ".jsonl", ".parquet")
LAYOUT = Layout(prompt="prompt", response="response", context=("persona",))
WORDS = 20_000


def write_corpus(path: Path, rows: int, *, seed: int = 1) -> None:
    """Dialogues of about 60 and 80 words; of a hundred, one has a URL, one an emoji, one is short,
    one is an earlier one again, and four are nearly an earlier one.
    """
    draw = random.Random(seed)
    vocabulary = [
        "".join(draw.choices(ascii_lowercase, k=draw.randint(2, 9))) for _ in range(WORDS)
    ]
    texts: list[dict[str, str]] = []
    for number in range(rows):
        prompt = " ".join(draw.choices(vocabulary, k=draw.randint(30, 90)))
        response = " ".join(draw.choices(vocabulary, k=draw.randint(40, 120)))
        kind = number % 100
        if kind == 0:
            prompt += " https://example.org"
        elif kind == 1:
            response += " 🙂"
        elif kind == 2:
            response = "So it is"
        elif kind < 8 and number > 100:
            earlier = texts[number - 50]
            prompt, response = earlier["prompt"], earlier["response"]
            response += "" if kind == 3 else " again"
        texts.append({"persona": f"Persona {number // 20}", "prompt": prompt, "response": response})
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in texts))
        return
    import pandas as pd

    frame = pd.DataFrame(texts)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        import fastparquet

        fastparquet.write(str(path), frame, row_group_offsets=10_000)


def measure(path: Path) -> None:
    """Import and filter in this process; prints what it took as JSON."""
    started, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = write_dialogues(dialogues_of(path, LAYOUT), folder / RAW, lambda n: None)
        imported = time.perf_counter()
        dialogues = read_dialogues(folder / RAW)
        counts = filter_dialogues(dialogues, Filters(), folder, has_responses=True)
        done = time.perf_counter()
    # `ru_maxrss` would be that of the process before it became Python, too.
    status = Path("/proc/self/status").read_text()
    peak = int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024
    cpu = time.process_time() - cpu
    taken = {"cpu": cpu, "import": imported - started, "filter": done - imported, "megabytes": peak}
    print(json.dumps({"rows": rows, **taken, "steps": [count.as_row() for count in counts]}))


COLUMNS = ("file", "import, by the clock", "filters, by the clock", "CPU", "at most")


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--check", action="store_true", help="exit code 1 above the limits")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(given)


def main() -> None:
    asked = arguments()
    if asked.measure:
        measure(asked.measure)
        return
    slow = False
    title = f"{asked.rows:,} dialogues, import and filters"
    with tempfile.TemporaryDirectory() as name, reported(title, *COLUMNS) as add:
        for kind in KINDS:
            path = Path(name) / f"corpus{kind}"
            write_corpus(path, asked.rows)
            command = [sys.executable, __file__, "--measure", str(path)]
            taken = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            seconds = taken["import"] + taken["filter"]
            slow |= seconds > SECONDS or taken["megabytes"] > MEGABYTES
            add(
                kind,
                f"{taken['import']:.1f} s",
                f"{taken['filter']:.1f} s",
                f"{taken['cpu']:.1f} s",
                f"{taken['megabytes']:.0f} MB",
            )
    with reported("What each filter removed", "filter", "removed", "left") as add:
        for step in taken["steps"]:
            add(step["step"], f"{step['removed']:,}", f"{step['left']:,}")
    sys.exit(1 if slow and asked.check else 0)


if __name__ == "__main__":
    main()

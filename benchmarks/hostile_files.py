"""Participants beside an editor who uploads hostile files: do their pages become slower?

Rounds alternate: participants alone, and participants while one account sends hostile files in a
loop. README.md beside this file says what is measured. Linux only: CPU time is read from /proc.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from subprocess import CalledProcessError
from threading import Event, Thread

import requests

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # this file is run by its name

from benchmarks.load.servers import Bench, start_fivefold
from benchmarks.load.site import Site, Wrong
from benchmarks.running.tables import reported
from benchmarks.survey_load import Round, play, positive
from config.processes import ROOT, ProcessError
from tests.hostile.files import HOSTILE

TOKEN = """
from django.contrib.auth.models import User
from dashboard.accounts.tokens import create_token
editor = User.objects.create_superuser("editor")
print(create_token(user=editor, name="benchmark", scope="change", expires_at=None))
"""


#: Reads a file as pages do, and prints the CPU seconds and the MB that it took.
READ = """
import re, sys, time
import openpyxl
from survey.files.problems import DefinitionError, Problems
from survey.files.table_file import TableFile
from survey.files.yaml_file import YamlFile
name, data = sys.argv[1], sys.stdin.buffer.read()
def memory(line):
    return int(re.search(line + ":\\s+([0-9]+) kB", open("/proc/self/status").read())[1])

open("/proc/self/clear_refs", "w").write("5")  # the peak is counted from here on
before, used = memory("VmRSS"), time.process_time()
try:
    if name.endswith(".yaml"):
        YamlFile(data, file=name)
    else:
        list(TableFile(data, file=name).records(Problems()))
    sys.exit(f"{name} was not refused")
except DefinitionError:
    print(time.process_time() - used, (memory("VmHWM") - before) / 1024)
"""


class Editor:
    """An account that sends hostile files in a loop until it is stopped."""

    def __init__(self, site: Site, token: str, files: Iterator[tuple[str, bytes]]) -> None:
        self.site, self.files = site, files
        self.headers = {"Authorization": f"Token {token}"}
        self.stopped = Event()
        self.answers: Counter[int] = Counter()
        self.seconds: list[float] = []
        self.thread = Thread(target=self._send)

    def __enter__(self) -> "Editor":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.thread.join()

    def _send(self) -> None:
        api = f"http://127.0.0.1:{self.site.port}/api/studies/empathy"
        with requests.Session() as client:
            client.headers.update(self.headers)
            while not self.stopped.is_set():
                name, data = next(self.files)
                started = time.perf_counter()
                if name.endswith(".yaml"):
                    sent = {"participants": "1", "profile": "default.yaml"}
                    address = f"{api}/rehearsal/"
                else:
                    sent, address = {}, f"{api}/submissions/"
                answer = client.post(address, data=sent, files={"file": (name, data)}, timeout=300)
                self.answers[answer.status_code] += 1
                self.seconds.append(time.perf_counter() - started)


def report_work(files: Mapping[str, bytes]) -> None:
    """Print the most that reading one of the files took."""
    work: dict[str, tuple[float, float]] = {}
    for name, data in files.items():
        command = [sys.executable, "-c", READ, name]
        read = subprocess.run(command, check=True, cwd=ROOT, input=data, capture_output=True)
        seconds, megabytes = map(float, read.stdout.split())
        work[name] = seconds, megabytes
    slowest = max(work, key=lambda name: work[name][0])
    most = max(megabytes for _, megabytes in work.values())
    title = f"Reading {len(work)} hostile files, each alone"
    with reported(title, "CPU at most", "of the file", "memory at most") as add:
        add(f"{work[slowest][0]:.2f} s", slowest, f"{most:.0f} MB")


def token_of_editor(environment: Mapping[str, str]) -> str:
    """The API token of a new account that may change everything."""
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", TOKEN]
    ended = subprocess.run(command, check=True, cwd=ROOT, env=environment, capture_output=True)
    return ended.stdout.decode().split()[-1]


def report(alone: list[Round], beside: list[Round]) -> float:
    """Print both. Returns the median of the rounds' ratios of median times."""
    ratio = median(
        median(two.seconds) / median(one.seconds) for one, two in zip(alone, beside, strict=True)
    )
    with reported("A participant's page", "", "p50", "p95", "p99", "times as long") as add:
        for name, rounds in (("alone", alone), ("beside hostile files", beside)):
            cuts = quantiles([1000 * second for one in rounds for second in one.seconds], n=100)
            times = f"{ratio:.2f}" if rounds is beside else ""
            add(name, *(f"{cuts[at]:.1f} ms" for at in (49, 94, 98)), times)
    return ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--participants", type=positive, default=4, help="of each round")
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--workers", type=positive, default=1, help="worker processes")
    parser.add_argument("--assert-ratio", type=float, help="fail above this ratio")
    options = parser.parse_args()
    if not Path("/proc/self/stat").exists():
        sys.exit("CPU time is read from /proc, so this benchmark needs Linux.")
    files = {name: make() for name, (make, _) in HOSTILE.items()}
    in_turn = cycle(files.items())
    report_work(files)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fivefold-bench-")))
        bench = Bench(stack, folder, ROOT / "examples" / "empathy", None, options.workers)
        os.environ["API_REQUESTS_PER_MINUTE"] = "100000"
        site = start_fivefold(bench)
        token = token_of_editor(site.environment)
        rounds: dict[bool, list[Round]] = {False: [], True: []}
        answers: Counter[int] = Counter()
        seconds: list[float] = []
        for number in range(options.rounds + 1):
            alone = play(site, participants=options.participants, at_once=2)
            with Editor(site, token, in_turn) as editor:
                beside = play(site, participants=options.participants, at_once=2)
            if number:  # the first round warms up
                rounds[False].append(alone)
                rounds[True].append(beside)
                answers += editor.answers
                seconds += editor.seconds
        ratio = report(rounds[False], rounds[True])
        print(f"{answers.total()} files, answers {dict(answers)}, median {median(seconds):.2f} s")
        site.check_stored()
        if set(answers) - {400, 413}:
            raise Wrong("some hostile file was not refused")
    if options.assert_ratio and ratio > options.assert_ratio:
        sys.exit(f"{ratio:.2f} is above the asserted ratio of {options.assert_ratio}")


if __name__ == "__main__":
    try:
        main()
    except (Wrong, ProcessError, CalledProcessError) as error:
        sys.exit(f"Failed: {error}")

"""`make bench`: run benchmarks of an earlier version and of this one, and write their tables into
README.md.

.venv/bin/python -m benchmarks [NAME …] [--alone | --earlier VERSION] [-- OPTIONS OF THE SCRIPTS]
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.running.readme import Measured, Run, written
from benchmarks.running.tables import STORED_IN, stored_tables
from benchmarks.running.versions import Version, earlier_name, earlier_version, this_version

README = Path(__file__).parent / "README.md"


@dataclass(frozen=True)
class Benchmark:
    """A script. One that measures what something costs is `paired` with an earlier version; one
    that counts how often a statistic is right is not.
    """

    name: str
    paired: bool = True


BENCHMARKS = (
    Benchmark("survey_load"),
    Benchmark("hostile_files"),
    Benchmark("assignment_load"),
    Benchmark("judge_throughput"),
    Benchmark("mixed_models"),
    Benchmark("calibration", paired=False),
    Benchmark("group_calibration", paired=False),
    Benchmark("random_terms", paired=False),
    Benchmark("planned_power", paired=False),
    Benchmark("careless", paired=False),
    Benchmark("ai_flags", paired=False),
    Benchmark("prediction_powered", paired=False),
    Benchmark("shapes"),
    Benchmark("corpus"),
    Benchmark("near_duplicates"),
    Benchmark("metrics"),
    Benchmark("participant_scale"),
    Benchmark("analysis_scale"),
)
BY_NAME = {benchmark.name: benchmark for benchmark in BENCHMARKS}


def measured(name: str, version: Version, given: Sequence[str]) -> Measured:
    """Run a script of a version to its end: ours, or its own if ours can't measure it."""
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "tables"
        done = _script(name, version.folder, version.python, given, {STORED_IN: str(file)})
        if not done.returncode:
            tables = stored_tables(file)
            return Measured(version.name, tables, failed="" if tables else "it measured nothing")
    last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    last = last.replace(f"{version.folder}/", "")
    if version.own is not None and (version.own / "benchmarks" / f"{name}.py").exists():
        print(f"{last}\nMeasured by the script of {version.name}:", flush=True)
        own = _script(name, version.own, version.python, given, {}, stdout=subprocess.PIPE)
        if not own.returncode:
            print(own.stdout)
            return Measured(version.name, failed=last, printed=own.stdout.strip())
    sys.stderr.write(done.stderr)
    return Measured(version.name, failed=last)


def _script(
    name: str,
    folder: Path,
    python: Path,
    given: Sequence[str],
    environment: Mapping[str, str],
    stdout: int | None = None,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, folder / "benchmarks" / f"{name}.py", *given],
        check=False,
        cwd=folder,
        env=os.environ | environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(benchmark: Benchmark, ours: Version, other: Version | None, given: Sequence[str]) -> Run:
    """Run a benchmark: of the earlier version, if there is one, and then of ours."""
    print(f"\n══ {benchmark.name}", flush=True)
    earlier = None
    if other is not None and benchmark.paired:
        print(f"── {other.name}", flush=True)
        earlier = measured(benchmark.name, other, given)
        print(f"── {ours.name}", flush=True)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    return Run(benchmark.name, today, measured(benchmark.name, ours, given), earlier, given)


def arguments(given: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Ours, and those of the scripts."""
    ours, scripts = given, []
    if "--" in given:
        at = given.index("--")
        ours, scripts = given[:at], given[at + 1 :]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="one of " + ", ".join(BY_NAME))
    parser.add_argument("--alone", action="store_true", help="measure this version only")
    parser.add_argument("--earlier", help="the version to pair with (default: the last release)")
    chosen = parser.parse_args(ours)
    if unknown := [name for name in chosen.names if name not in BY_NAME]:
        parser.error(f"no benchmark is called {unknown[0]}: it is one of {', '.join(BY_NAME)}")
    return chosen, scripts


def main() -> None:
    chosen, given = arguments(sys.argv[1:])
    asked = [BY_NAME[name] for name in chosen.names] or list(BENCHMARKS)
    failed = []
    with ExitStack() as stack:
        other = None
        if not chosen.alone and any(benchmark.paired for benchmark in asked):
            name = chosen.earlier or earlier_name()
            try:
                other = stack.enter_context(earlier_version(name))
            except subprocess.CalledProcessError as error:
                sys.exit(
                    f"{name} can't be made ready to be measured: {error.stderr or error}".strip()
                    + "\nGive another version with --earlier, or measure this one --alone."
                )
        ours = this_version()
        for benchmark in asked:
            done = run(benchmark, ours, other, given)
            if done.ours.failed:
                failed.append(f"{benchmark.name}: {done.ours.failed}")
                continue
            # At once, so that tables are kept if a later benchmark fails.
            README.write_text(written(README.read_text(encoding="utf-8"), done), encoding="utf-8")
    if failed:
        sys.exit("\n".join(["", "These failed, and README.md has their earlier tables:", *failed]))


if __name__ == "__main__":
    main()

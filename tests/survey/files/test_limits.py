"""Files of few bytes that ask for much are refused, with little computing and 200 MB.

The limits are those of the process that reads, so that no clock decides. How much each takes is
measured in `benchmarks/hostile_files.py`: less than a second; beside other work it counts as more.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from survey.definition.settings import Settings
from survey.files import apart
from survey.files.apart import read_apart
from survey.files.problems import DefinitionError, Problems
from survey.files.table_file import TableFile
from survey.files.yaml_file import YamlFile
from tests.hostile.files import HOSTILE

#: Reads the file that is named within the limits, and says why it was refused. What is imported
#: before, and the file itself, do not count.
WITHIN = """
import os, resource, sys, time
import openpyxl
from survey.files.problems import DefinitionError, Problems
from survey.files.table_file import TableFile
from survey.files.yaml_file import YamlFile
path = sys.argv[1]
data = open(path, "rb").read()
used = time.process_time()
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_CPU, (int(used) + 5, int(used) + 5))
memory = pages * resource.getpagesize() + 200_000_000
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
name = os.path.basename(path)
try:
    if name.endswith(".yaml"):
        YamlFile(data, file=name)
    else:
        list(TableFile(data, file=name).records(Problems()))
except DefinitionError as error:
    print(error)
"""


@pytest.mark.embedded(reason="reads files; no database is asked")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_refused_with_little_work(name: str, tmp_path: Path) -> None:
    make, said = HOSTILE[name]
    path = tmp_path / name
    path.write_bytes(make())
    read = subprocess.run(
        [sys.executable, "-c", WITHIN, str(path)], capture_output=True, text=True, check=False
    )
    assert read.returncode == 0, read.stderr[-500:]
    assert read.stdout == f"{name}{said}\n"


def test_aliases_count_as_what_they_stand_for_and_may_be_used() -> None:
    text = b"a: &words {x: one, y: two}\nb: *words\nc: {<<: *words, z: three}\n"
    assert YamlFile(text, file="f").plain() == {
        "a": {"x": "one", "y": "two"},
        "b": {"x": "one", "y": "two"},
        "c": {"x": "one", "y": "two", "z": "three"},
    }


def test_problem_in_a_merged_key_has_the_place_of_the_whole() -> None:
    yaml = YamlFile(b"a: &words {x: one}\nc:\n  <<: *words\n", file="f")
    assert str(yaml.problem(("c", "x"), "is wrong")) == "f, line 2, column 1: c.x: is wrong"


def test_thousands_of_unknown_keys_are_counted_and_few_are_looked_at() -> None:
    yaml = YamlFile(b"".join(b"key%d: 1\n" % n for n in range(3900)), file="f")
    with pytest.raises(DefinitionError) as caught:
        yaml.check(Settings, yaml.plain())
    assert caught.value.lines[0] == "f: 3,700 more problems are not listed"


def test_what_is_read_apart_comes_back_with_its_places() -> None:
    yaml = read_apart("f", YamlFile, b"a: 1\nb: [2]\n", file="f")
    assert yaml.plain() == {"a": 1, "b": [2]}
    assert yaml.position(("b", 0)) == (2, 5)


def test_what_is_raised_apart_is_raised_here() -> None:
    with pytest.raises(DefinitionError) as caught:
        read_apart("f", YamlFile, b"a: [", file="f")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("f", 1)


def test_what_takes_too_much_memory_is_ended() -> None:
    """Computing that takes too long ends in the same way, after 15 seconds."""
    with pytest.raises(DefinitionError, match=r"^f: reading it takes more than 15 seconds"):
        read_apart("f", bytes, 10**10)


def test_few_files_are_read_at_a_time() -> None:
    """Each keeps a thread of the web process, which has pages to show."""
    for _ in range(apart.AT_ONCE):
        assert apart._turns.acquire(blocking=False)
    try:
        with pytest.raises(DefinitionError, match="other files are being read now"):
            read_apart("f", TableFile, b"a\n1\n", file="f")
    finally:
        for _ in range(apart.AT_ONCE):
            apart._turns.release()
    assert list(TableFile(b"a\n1\n", file="f").records(Problems())) == [(2, ["1"])]

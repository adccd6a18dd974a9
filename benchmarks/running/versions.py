"""This version, and the earlier one that it is compared with, checked out into a folder."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
#: Compared with until there is a release before this commit.
FIRST = "a28f3bad"


@dataclass(frozen=True)
class Version:
    """A version's name, the folder with its program, and the Python that runs it. `own` is the
    folder of an earlier version with its own benchmarks.
    """

    name: str
    folder: Path
    python: Path
    own: Path | None = None


def git(*arguments: str) -> str:
    """Raises CalledProcessError."""
    done = subprocess.run(["git", *arguments], check=True, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def this_version() -> Version:
    changed = "+" if git("status", "--porcelain", "--untracked-files=no") else ""
    name = git("rev-parse", "--short=8", "HEAD") + changed
    return Version(name, ROOT, Path(sys.executable))


def earlier_name() -> str:
    """The last release before this commit; FIRST until there is one."""
    try:
        return git("describe", "--tags", "--abbrev=0", "HEAD^")
    except subprocess.CalledProcessError:
        return FIRST


@contextmanager
def earlier_version(name: str) -> Iterator[Version]:
    """It has our benchmarks, so that both versions do the same. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="fivefold-earlier-") as made, ExitStack() as stack:
        folder, own = Path(made) / "fivefold", Path(made) / "own"
        for worktree in (folder, own):
            git("worktree", "add", "--detach", str(worktree), name)
            stack.callback(git, "worktree", "remove", "--force", str(worktree))
        for ours in ("benchmarks", "tests"):
            shutil.rmtree(folder / ours, ignore_errors=True)
            shutil.copytree(ROOT / ours, folder / ours)
        yield Version(name, folder, _python(name, folder), own)


def _python(name: str, folder: Path) -> Path:
    """Ours, if the version requires the same packages; else that of an environment of its own."""
    if not git("diff", "--stat", name, "HEAD", "--", "requirements.txt", "requirements-dev.txt"):
        return Path(sys.executable)
    print(f"Installing what {name} requires …", flush=True)
    subprocess.run([sys.executable, "bootstrap.py", "--dev"], check=True, cwd=folder)
    return folder / ".venv" / "bin" / "python"

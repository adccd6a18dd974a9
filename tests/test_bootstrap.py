"""A machine that can't run Fivefold is told so in one line."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from config.processes import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
RUN = "import runpy; runpy.run_path('bootstrap.py', run_name='__main__')"


def bootstrap(
    folder: Path, before: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run bootstrap.py in an otherwise empty folder, after some preparing code. It gets no uv."""
    (folder / "bootstrap.py").write_bytes((ROOT / "bootstrap.py").read_bytes())
    (folder / "requirements-installer.txt").touch()
    return subprocess.run(
        [sys.executable, "-c", f"{before}\n{RUN}"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_old_python_is_named_in_one_line(tmp_path: Path) -> None:
    done = bootstrap(tmp_path, "import sys; sys.version_info = (3, 9, 2, 'final', 0)")
    assert done.returncode == 1
    assert done.stderr == (
        f"Fivefold needs Python 3.11 or newer and this is 3.9 ({sys.executable}). "
        "Name a newer one: make PYTHON=python3.11 …\n"
    )


def test_python_without_venv_is_told_the_package(tmp_path: Path) -> None:
    done = bootstrap(tmp_path, "import sys; sys.modules['ensurepip'] = None")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert done.returncode == 1
    assert done.stderr == (
        f"This Python has no venv module. On Debian or Ubuntu: apt install python{version}-venv\n"
    )
    assert not (tmp_path / ".venv").exists()


def test_without_a_network_the_reason_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(f"nothing-like-it==1 --hash=sha256:{'0' * 64}\n")
    done = bootstrap(
        tmp_path,
        PIP_CONFIG_FILE=os.devnull,
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_FIND_LINKS="",
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("requirements.txt was not installed: is there a network? ERROR:")
    assert not (tmp_path / ".env").exists()


def test_ready_machine_gets_secrets_once_and_is_quick_afterwards(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("")
    first = bootstrap(tmp_path)
    assert (first.returncode, first.stderr) == (0, "")
    env = tmp_path / ".env"
    assert env.stat().st_mode & 0o777 == 0o600
    written = env.read_text()
    assert [line.partition("=")[0] for line in written.splitlines()] == [
        "SECRET_KEY",
        "SIMULATION_KEY",
        "PROLIFIC_TOKEN_KEY",
        "POSTGRES_PASSWORD",
    ]
    second = bootstrap(tmp_path)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert env.read_text() == written


@pytest.mark.parametrize("index", [None, "https://pypi.example.org/simple"])
def test_uv_is_told_the_index_that_pip_is_set_to_use(
    index: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://extra.example.org/simple")
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    if index:
        monkeypatch.setenv("PIP_INDEX_URL", index)
    told = runpy.run_path(str(ROOT / "bootstrap.py"))["index_of_pip"]()
    assert told == ({"UV_DEFAULT_INDEX": index} if index else {})


def test_uv_understands_its_options(tmp_path: Path) -> None:
    """Otherwise pip would do everything, slowly, and nobody would notice."""
    lock, log = tmp_path / "requirements.txt", tmp_path / "install.log"
    lock.touch()
    module = runpy.run_path(str(ROOT / "bootstrap.py"))
    with log.open("wb") as file:
        assert module["install"](module["UV"], lock, file), log.read_text()

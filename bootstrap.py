"""Make .venv and .env ready: `make run` and `make setup` call it with whatever Python there is.

    python3 bootstrap.py           what Fivefold needs to run
    python3 bootstrap.py --dev     and what its tests and linters need

It needs nothing but Python, and is quick when nothing has changed. What can't be done is said in
one line. This file must stay readable to old Pythons, so that they can say they are too old.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Fivefold needs Python 3.11 or newer and this is %d.%d (%s). "
        "Name a newer one: make PYTHON=python3.11 …" % (*sys.version_info[:2], sys.executable)
    )

import hashlib
import os
import secrets
import subprocess
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "install.log"
INSTALLER = ROOT / "requirements-installer.txt"
#: Python compiles what it imports, which is a part of what is installed.
PIP = ["pip", "install", "--no-compile", "--disable-pip-version-check", "--no-input", "--retries=2"]
UV = ["uv", "pip", "install", f"--python={PYTHON}", "--no-config", "--system-certs"]


def main() -> None:
    locks = [ROOT / "requirements.txt"]
    if "--dev" in sys.argv[1:]:
        locks.append(ROOT / "requirements-dev.txt")
    make_venv()
    install_locked(locks)
    write_secrets(ROOT / ".env")


def make_venv() -> None:
    """Create .venv unless it is there and its Python starts."""
    if PYTHON.exists() and subprocess.call([PYTHON, "-c", ""], stderr=subprocess.DEVNULL) == 0:
        return
    try:
        import ensurepip  # noqa: F401  Debian ships Python without it
        import venv
    except ImportError:
        version = "%d.%d" % sys.version_info[:2]
        sys.exit(
            f"This Python has no venv module. On Debian or Ubuntu: apt install python{version}-venv"
        )
    print("Creating .venv", flush=True)
    venv.create(VENV, clear=True, with_pip=True)


def install_locked(locks: list[Path]) -> None:
    """Install the pinned packages of each lock that has changed since it was installed.

    uv takes a fraction of pip's time, but knows none of pip's settings. It is told the index; where
    it fails (for certificates, say), pip does it.
    """
    for lock in locks:
        stamp = VENV / f"installed-{lock.name}"
        digest = hashlib.sha256(lock.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == digest:
            continue
        print(f"Installing {lock.name} into .venv (a minute or two the first time)", flush=True)
        with LOG.open("wb") as log:
            done = install(PIP, INSTALLER, log) and (
                install(UV, lock, log, **index_of_pip()) or install(PIP, lock, log)
            )
        if not done:
            errors = [line for line in LOG.read_text().splitlines() if line.startswith("ERROR:")]
            reason = errors[-1] if errors else "pip failed"
            sys.exit(f"{lock.name} was not installed: is there a network? {reason} (see {LOG})")
        stamp.write_text(digest)


def index_of_pip() -> dict[str, str]:
    """What tells uv the index that pip is set to use, which may have a password; empty for PyPI."""
    settings = subprocess.run(
        [str(PYTHON), "-m", "pip", "config", "list"], check=False, capture_output=True
    )
    set_to = [
        value.strip("'")
        for name, _, value in (line.partition("=") for line in settings.stdout.decode().split("\n"))
        if name.endswith(".index-url")
    ]
    return {"UV_DEFAULT_INDEX": set_to[-1]} if set_to else {}


def install(installer: list[str], lock: Path, log: BinaryIO, **environment: str) -> bool:
    """Whether an installer could install what a lock pins."""
    command = [str(PYTHON), "-m", *installer, "--require-hashes", "-r", str(lock)]
    env = os.environ | environment
    return subprocess.call(command, env=env, stdout=log, stderr=subprocess.STDOUT) == 0


def write_secrets(env: Path) -> None:
    """Write a .env that nobody else can read, with fresh secrets, unless there is one."""
    if env.exists():
        return
    names = ["SECRET_KEY", "SIMULATION_KEY", "PROLIFIC_TOKEN_KEY", "POSTGRES_PASSWORD"]
    lines = [f"{name}={secrets.token_urlsafe(40)}\n" for name in names]
    with os.fdopen(os.open(env, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.writelines(lines)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; start it again to go on.")

"""What the environment says is read once, and refused with one line where it makes no sense."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Each starts Python anew.
pytestmark = [pytest.mark.slow, pytest.mark.embedded, pytest.mark.in_turn]

ROOT = Path(__file__).resolve().parents[2]


def check_with(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    ours = {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "a key"}
    return subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, **ours, "DATA_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "no address"),
        ("DATABASE_SECONDS", "0"),
        ("DATA_DIR", ""),
        ("DEBUG", "maybe"),
        ("CELERY_BROKER_URL", "pigeon://loft"),
        ("JUDGE_BACKOFF_SECONDS", "-2"),
        ("LOG_LEVEL", "loud"),
        ("PROLIFIC_TOKEN_KEY", ""),  # anybody could read tokens with it
        ("PROLIFIC_URL", "http://prolific.example.org/api/v1"),  # tokens would travel unencrypted
        ("SIMULATION_KEY", ""),  # anybody could sign a clock with it
        ("BREACHED_PASSWORDS", "/nowhere/passwords.txt"),
        ("REQUIRE_SECOND_FACTOR", "perhaps"),
        ("SESSION_DAYS", "0"),
        ("SESSION_IDLE_HOURS", "a day"),
        ("SITE_URL", "lab.example.org"),
        ("SWEEP_SECONDS", "0"),
        ("WORKER_PROCESSES", "two"),
    ],
)
def test_value_that_makes_no_sense_is_named_in_one_line(
    name: str, value: str, tmp_path: Path
) -> None:
    answer = check_with(tmp_path, **{name: value})
    assert answer.returncode != 0
    [line] = answer.stderr.splitlines()
    assert line.startswith(f'Environment variable "{name}" invalid: ')
    assert ".." not in line


@pytest.mark.parametrize(
    "address", ["https://lab.example.org", "http://machine:8000/", "http://[::1]:8000"]
)
def test_site_may_be_at_any_web_address(address: str, tmp_path: Path) -> None:
    answer = check_with(tmp_path, SITE_URL=address)
    assert answer.returncode == 0, answer.stderr

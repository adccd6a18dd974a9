"""What the environment says is read once, and refused with one line where it makes no sense."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.processes import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.embedded]

#: Read the settings by each environment, for the price of one start.
EACH = """
import importlib, json, os, sys
from django.core.exceptions import ImproperlyConfigured
usual = dict(os.environ)
said = []
for environment in json.load(sys.stdin):
    os.environ.clear()
    os.environ.update(usual | environment)
    sys.modules.pop("config.settings", None)
    try:
        importlib.import_module("config.settings")
        said.append("")
    except ImproperlyConfigured as error:
        said.append(str(error))
print(json.dumps(said))
"""
OURS = {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "a key"}


def said_of(folder: Path, *environments: dict[str, str]) -> list[str]:
    """What reading the settings ends with: nothing, where they make sense."""
    done = subprocess.run(
        [sys.executable, "-c", EACH],
        cwd=ROOT,
        env=os.environ | OURS | {"DATA_DIR": str(folder)},
        input=json.dumps(environments),
        capture_output=True,
        text=True,
        check=True,
    )
    said: list[str] = json.loads(done.stdout)
    return said


#: No value of these makes sense.
SENSELESS = [
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
]


def test_value_that_makes_no_sense_is_named_in_one_line(tmp_path: Path) -> None:
    lines = said_of(tmp_path, *({name: value} for name, value in SENSELESS))
    for (name, value), line in zip(SENSELESS, lines, strict=True):
        assert line.startswith(f'Environment variable "{name}" invalid: '), (name, value)
        assert "\n" not in line and ".." not in line


def test_command_ends_with_that_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=os.environ | OURS | {"DATA_DIR": str(tmp_path), "LOG_LEVEL": "loud"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert line.startswith('Environment variable "LOG_LEVEL" invalid: ')


def test_site_may_be_at_any_web_address(tmp_path: Path) -> None:
    addresses = ["https://lab.example.org", "http://machine:8000/", "http://[::1]:8000"]
    said = said_of(tmp_path, *({"SITE_URL": address} for address in addresses))
    assert said == ["", "", ""]

"""docker-compose.yml holds what can be checked without an engine."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from config.processes import ROOT

COMPOSE = YAML(typ="safe").load(ROOT / "docker-compose.yml")
SERVICES: dict[str, Any] = COMPOSE["services"]


def test_services_are_those_of_the_full_shape() -> None:
    assert set(SERVICES) == {"setup", "web", "worker", "postgres", "redis", "proxy"}


@pytest.mark.parametrize("name", ["postgres", "redis", "proxy"])
def test_foreign_images_are_pinned_to_a_release(name: str) -> None:
    assert re.search(r":\d+\.\d+(\.\d+)?-\w+$", SERVICES[name]["image"])


@pytest.mark.parametrize("name", ["web", "postgres", "redis", "proxy"])
def test_servers_tell_their_health(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


def test_named_volumes_are_declared_and_hold_all_that_must_last() -> None:
    mounted = {
        volume.partition(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
        if not volume.startswith(".")
    }
    named = {"packages", "corpora", "backups", "postgres", "redis", "caddy"}
    assert mounted == set(COMPOSE["volumes"]) == named
    shared = [
        "packages:/var/lib/fivefold/packages",  # made by workers, sent by web processes
        "corpora:/var/lib/fivefold/corpora",
        "backups:/var/lib/fivefold/backups",  # made by setup, too, before an update
    ]
    assert [SERVICES[name]["volumes"] for name in ("setup", "web", "worker")] == [shared] * 3


def test_image_has_the_database_client_of_the_servers_version() -> None:
    [major] = re.findall(r"^postgres:(\d+)\.", SERVICES["postgres"]["image"])
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"postgresql-client-(\d+)", dockerfile) == [major]
    assert f"postgresql-client-{major}" in (ROOT / "docs" / "operations.md").read_text()


def test_secrets_come_from_outside() -> None:
    secrets = {
        value
        for service in SERVICES.values()
        for name, value in service.get("environment", {}).items()
        if name.endswith(("_KEY", "_PASSWORD"))
    }
    assert len(secrets) == 1
    assert secrets.pop().startswith("${POSTGRES_PASSWORD:?")
    assert {SERVICES[name]["env_file"] for name in ("setup", "web", "worker")} == {".env"}


def test_only_the_proxy_is_reachable() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]


def test_image_runs_without_root() -> None:
    users = re.findall(r"^USER (\w+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert users == ["fivefold"]


def test_no_log_grows_for_ever() -> None:
    assert {service["logging"]["driver"] for service in SERVICES.values()} == {"local"}


def test_server_that_ends_is_started_again() -> None:
    policies = {name: service["restart"] for name, service in SERVICES.items()}
    assert policies == dict.fromkeys(SERVICES, "unless-stopped") | {"setup": "no"}


def test_log_of_the_database_repeats_no_statement_and_no_value() -> None:
    options = SERVICES["postgres"]["command"].split()
    assert {"log_min_error_statement=panic", "log_error_verbosity=terse"} < set(options)


@pytest.mark.e2e
@pytest.mark.embedded
def test_image_holds_all_that_its_build_and_its_commands_need(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.mkdir()
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line.startswith("!"):
            source = ROOT / line[1:]
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, image / source.name)
    environment = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "DATA_DIR": str(tmp_path)}
    for command in (
        "collectstatic --no-input",
        "migrate --no-input",
        "load_study examples/empathy",
    ):
        done = subprocess.run(
            [sys.executable, "manage.py", *command.split()],
            cwd=image,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")

"""Folders of corpora for each test."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

Corpus = Callable[..., str]


@pytest.fixture
def corpora(settings: Settings, tmp_path: Path) -> Path:
    """Where the corpora of this test are."""
    settings.CORPORA_DIR = tmp_path / "corpora"
    return Path(settings.CORPORA_DIR)


@pytest.fixture
def manage(corpora: Path, db: None) -> Corpus:
    """Runs an action of `manage.py corpus`; what it printed."""

    def run(*arguments: object) -> str:
        out = StringIO()
        call_command("corpus", *map(str, arguments), stdout=out, stderr=StringIO())
        return out.getvalue()

    return run


@pytest.fixture
def refused(manage: Corpus) -> Corpus:
    """Runs an action that is refused in one line; the line."""

    def run(*arguments: object) -> str:
        with pytest.raises(CommandError) as problem:
            manage(*arguments)
        said = str(problem.value).removeprefix("Nothing was changed").lstrip(".:\n ")
        assert "\n" not in said
        return said

    return run

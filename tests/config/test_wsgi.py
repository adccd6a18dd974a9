"""What web processes and commands may not load: it costs them time and memory for nothing."""

import os
import subprocess
import sys

import pytest

from config.processes import ROOT, command_of

#: Together they cost 1.3 s and 170 MB, and belong into workers.
HEAVY = {
    "numpy", "pandas", "scipy", "statsmodels", "pingouin", "plotly", "kaleido", "openai",
    "matplotlib",
}  # fmt: skip

LOAD_WHAT_A_WEB_PROCESS_LOADS = """
import sys
import config.wsgi
from django.contrib import admin
from django.db import connection
from django.template import engines

assert connection.connection is None  # processes that share one would answer each other's pages
assert admin.site._registry
[cached] = engines["django"].engine.template_loaders
print(*{name.partition(".")[0] for name in sys.modules}, *sys.modules, *cached.get_template_cache)
"""


LOAD_WHAT_EVERY_COMMAND_LOADS = """
import sys
import django
django.setup()
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


#: In one process, which is quicker: what it has not loaded in the end, no command has loaded.
LOAD_WHAT_THE_HELP_OF_EVERY_COMMAND_LOADS = """
import io
import sys
from contextlib import redirect_stdout, suppress
from django.core.management import execute_from_command_line, get_commands
for command, app in get_commands().items():
    if app == "dashboard":
        with suppress(SystemExit), redirect_stdout(io.StringIO()) as said:
            execute_from_command_line(["manage.py", command, "--help"])
        assert "usage:" in said.getvalue()
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


#: As far as the second dot: "scipy.stats". There is no such study, and need be no database; what
#: `analyze` then imports to compute, it imports here.
LOAD_WHAT_AN_ANALYSIS_LOADS = """
import sys
from contextlib import suppress
from django.core.management import execute_from_command_line
with suppress(Exception, SystemExit):
    execute_from_command_line(["manage.py", "analyze", "none@1", "--out", "nowhere"])
import analysis.execution, analysis.figures.images, dashboard.share.analysis_files
print(" ".join(sorted({".".join(name.split(".")[:2]) for name in sys.modules})))
"""


def loaded_by(code: str) -> set[str]:
    """The packages that a process has loaded which ran this."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.slow
def test_web_process_loads_all_pages_before_the_first_request_and_nothing_for_workers() -> None:
    """The first participant of each process waited a second for the pages of all."""
    loaded = loaded_by(LOAD_WHAT_A_WEB_PROCESS_LOADS)
    assert {"survey.views.block", "dashboard.results.views", "rest_framework"} <= loaded
    assert {"survey/consent.html", "survey/block.html", "dashboard/results/results.html"} <= loaded
    assert HEAVY.intersection(loaded) == set()


LOAD_WHAT_THE_PAGE_OF_THRESHOLDS_LOADS = """
import sys
import django
django.setup()
import dashboard.raters.threshold_preview
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.mark.slow
def test_page_of_thresholds_computes_with_numpy_and_nothing_else() -> None:
    """Its first visitor waits for what it loads."""
    assert HEAVY.intersection(loaded_by(LOAD_WHAT_THE_PAGE_OF_THRESHOLDS_LOADS)) == {"numpy"}


def test_pages_are_loaded_once_for_all_web_processes() -> None:
    assert "--preload" in command_of("web")


@pytest.mark.slow
def test_command_that_wakes_no_worker_loads_no_celery() -> None:
    """It would be a fifth of what a command costs before it begins."""
    loaded = loaded_by(LOAD_WHAT_EVERY_COMMAND_LOADS)
    assert {"django", "survey", "judge", "analysis", "dashboard"} <= loaded
    assert {"celery", "kombu", *HEAVY}.intersection(loaded) == set()


@pytest.mark.slow
def test_no_command_loads_what_computes_before_it_computes() -> None:
    """Its help, and the refusal of a wrong option, took three seconds."""
    loaded = loaded_by(LOAD_WHAT_THE_HELP_OF_EVERY_COMMAND_LOADS)
    assert HEAVY.intersection(loaded) == set()


@pytest.mark.slow
def test_analysis_loads_only_what_it_computes_with() -> None:
    """All pages, and libraries that nothing here asks for, would take it a second."""
    loaded = loaded_by(LOAD_WHAT_AN_ANALYSIS_LOADS)
    assert {"analysis.pipeline", "dashboard.share", "scipy.stats", "pandas.core"} <= loaded
    assert not {"config.urls", "dashboard.urls", "rest_framework.views"} & loaded
    assert not {"openai", "celery"} & loaded

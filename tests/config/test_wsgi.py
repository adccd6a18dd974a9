"""What a web process may not load: it costs 1.3 s and 170 MB, and belongs into workers."""

import os
import subprocess
import sys

import pytest

from config.processes import ROOT

HEAVY = {"numpy", "pandas", "scipy", "statsmodels", "pingouin", "plotly", "openai", "matplotlib"}

LOAD_ALL_THAT_A_WEB_PROCESS_LOADS = """
import sys
import config.wsgi
from django.contrib import admin
from django.urls import get_resolver

def visit(resolver):
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            visit(pattern)

visit(get_resolver())
assert admin.site._registry
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.mark.slow
def test_web_process_loads_nothing_that_only_workers_need() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD_ALL_THAT_A_WEB_PROCESS_LOADS],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert {"django", "rest_framework"} <= set(loaded)
    assert HEAVY.intersection(loaded) == set()

"""What computed a result: the versions of the packages, and a digest of our own code."""

import hashlib
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

PACKAGES = (
    "numpy", "pandas", "scipy", "statsmodels", "pingouin", "threadpoolctl", "django",
)  # fmt: skip


@cache
def software() -> dict[str, str]:
    """Versions by name. Nothing is imported for it, so it is cheap everywhere."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "analysis": _code_digest(),
    }


def _code_digest() -> str:
    """SHA-256 of the sources that turn stored data into results."""
    here = Path(__file__).parent
    tidy = here.parent / "survey" / "tidy"
    sources = [path for path in here.rglob("*.py") if "migrations" not in path.parts]
    digest = hashlib.sha256()
    for path in [*sorted(sources), *sorted(tidy.glob("*.py"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()

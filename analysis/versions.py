"""What computed a result: the versions of the packages, and a digest of our own code."""

import hashlib
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

from config.version import VERSION

PACKAGES = (
    "numpy", "pandas", "scipy", "statsmodels", "pingouin", "threadpoolctl", "django",
)  # fmt: skip


@cache
def software() -> dict[str, str]:
    """Versions by name. Nothing is imported for it, so it is cheap everywhere."""
    return {
        "fivefold": VERSION,
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "analysis": _code_digest(),
    }


def _code_digest() -> str:
    """SHA-256 of the sources."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def sources() -> list[Path]:
    """What turns stored data into results, and results into sentences."""
    here = Path(__file__).parent
    code = [path for path in here.rglob("*.py") if "migrations" not in path.parts]
    tidy = here.parent / "survey" / "tidy"
    return [*sorted(code), *sorted(here.rglob("*.j2")), *sorted(tidy.glob("*.py"))]

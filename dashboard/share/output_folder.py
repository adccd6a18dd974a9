"""Writing a folder of files so that a failure leaves nothing half-written."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.version import VERSION
from survey.refusals import RequestRefused


@dataclass
class Output:
    """The folder to write to, and the entries of the manifest besides the list of files."""

    path: Path
    manifest: dict[str, Any] = field(default_factory=dict)


@contextmanager
def output_folder(out: Path, *, manifest: str) -> Iterator[Output]:
    """A new folder to write into. At the end its files move to `out`, all together.

    They replace what an earlier run listed in its `manifest`, and what that had and this has
    not is removed; any other file stays, and one in the way is refused. Raises RequestRefused.
    """
    try:
        if out.exists() and not out.is_dir():
            raise RequestRefused(f"{out} is a file, not a folder")
        earlier = _earlier_files(out / manifest)
        out.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise RequestRefused(f"{out}: {error.strerror}") from None
    try:
        output = Output(scratch)
        yield output
        written = sorted(path.name for path in scratch.iterdir())
        _refuse_strangers(out, written, earlier, manifest)
        content = output.manifest | {"written_with": f"Fivefold {VERSION}"}
        content |= {"files": {name: _sha256(scratch / name) for name in written}}
        text = json.dumps(content, indent=2, ensure_ascii=False)
        (scratch / manifest).write_text(text + "\n", encoding="utf-8")
        out.mkdir(exist_ok=True)
        for name in [*written, manifest]:
            (scratch / name).replace(out / name)
        for name in earlier - set(written):
            (out / name).unlink(missing_ok=True)
    except OSError as error:
        raise RequestRefused(f"{error.filename or out}: {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def without_authors(manifest: dict[str, Any]) -> dict[str, Any]:
    """A manifest that names no researcher: the versions of rules and recipes say enough."""
    return {
        key: {**value, "author": None} if isinstance(value, dict) and "author" in value else value
        for key, value in manifest.items()
    }


def _earlier_files(manifest: Path) -> set[str]:
    """Files that an earlier run wrote; names that lead out of the folder are not believed."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return set()
    except (ValueError, UnicodeDecodeError):
        raise RequestRefused(f"{manifest} is not ours; choose another folder") from None
    files = content.get("files") if isinstance(content, dict) else None
    if not isinstance(files, dict):
        raise RequestRefused(f"{manifest} is not ours; choose another folder")
    return {name for name in files if Path(name).name == name}


def _refuse_strangers(out: Path, written: list[str], earlier: set[str], manifest: str) -> None:
    for name in written:
        if name not in earlier and (out / name).exists():
            raise RequestRefused(
                f"{out / name} is not from an earlier run ({manifest} does not list it): move it "
                "away or choose another folder"
            )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

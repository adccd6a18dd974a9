"""Installations that are backed up and restored, and backups that somebody has spoiled."""

import json
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

from tests.e2e.installation import Installation, new_installation, own_database, prepared

Manifest = dict[str, Any]
TABLES = ("survey_study", "survey_participant", "survey_rating")


@contextmanager
def stopped_installation(folder: Path, **settings: str) -> Iterator[Installation]:
    """An installation that is set up and not started."""
    shutil.copytree(prepared().folder, folder)
    with own_database(folder, like=prepared()) as database_url:
        yield new_installation(folder, database_url, **settings)


@contextmanager
def empty_installation(folder: Path, **settings: str) -> Iterator[Installation]:
    """An installation with neither data nor a folder for them."""
    with own_database(folder) as database_url:
        yield new_installation(folder, database_url, **settings)


def manifest_of(backup: Path) -> Manifest:
    with ZipFile(backup) as archive:
        return dict(json.loads(archive.read("manifest.json")))


def spoiled(
    backup: Path,
    target: Path,
    *,
    change: Callable[[Manifest], object] = lambda _: None,
    more: dict[str, bytes] | None = None,
    link: str = "",
) -> Path:
    """A copy of a backup with a changed manifest, or with further files, one of them a link."""
    with ZipFile(backup) as archive, ZipFile(target, "w") as copy:
        manifest = manifest_of(backup)
        for info in archive.infolist():
            if info.filename != "manifest.json":
                copy.writestr(info, archive.read(info))
        for name, content in (more or {}).items():
            info = ZipInfo(name)
            info.external_attr = (stat.S_IFLNK if name == link else stat.S_IFREG | 0o600) << 16
            copy.writestr(info, content)
        change(manifest)
        copy.writestr("manifest.json", json.dumps(manifest))
    return target


def with_file(name: str, content: bytes = b"x") -> Callable[[Manifest], None]:
    """Let a manifest name a further file, as it would if our own code had written it."""
    import hashlib

    entry = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return lambda manifest: manifest["files"].update({name: entry})


def state_of(installation: Installation) -> Any:
    """What is in the database, roughly, and what is in the folders that a restore replaces."""
    counts = [installation.query(f"SELECT count(*) FROM {table}")[0][0] for table in TABLES]
    studies = sorted(installation.query("SELECT slug, version, title FROM survey_study"))
    return [counts, studies, files_of(installation.folder)]


def files_of(folder: Path) -> dict[str, bytes]:
    """The files that belong to a backup, the database aside."""
    names = ("corpora", "packages", "researcher-password.txt", "backups", ".restore-*")
    roots = [path for name in names for path in folder.glob(name)]
    files = [path for root in roots for path in (root, *root.rglob("*")) if path.is_file()]
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in files if path.name != ".in-use"
    }

"""The file of a backup: a zip with a manifest that names every file, its size and its SHA-256."""

import hashlib
import json
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pydantic import BaseModel, ConfigDict, ValidationError

from config.backup.problem import BackupProblem

MANIFEST = "manifest.json"
DATABASE = "database"
PASSWORD = "researcher-password.txt"  # noqa: S105  the name of a file
#: Folders whose files are in a backup under their own names.
FOLDERS = ("corpora", "packages")
WHAT: Literal["Fivefold backup"] = "Fivefold backup"
FORMAT = 1
#: A manifest has a line for each file and each table.
LARGEST_MANIFEST = 100 * 1024 * 1024
CHUNK = 1024 * 1024
#: Suffixes of files that are compressed already.
COMPRESSED = {".zip", ".gz", ".parquet", ".xlsx"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")


class ArchivedFile(BaseModel):
    """A file of the backup."""

    model_config = ConfigDict(extra="forbid")
    size: int
    sha256: str


class Manifest(BaseModel):
    """What a backup says of itself."""

    model_config = ConfigDict(extra="forbid")
    what: Literal["Fivefold backup"] = WHAT
    format: int = FORMAT
    made_at: datetime
    database: Literal["sqlite", "postgresql"]
    #: Major version of the PostgreSQL server; 0 for SQLite.
    server: int = 0
    #: Names of the applied migrations, by app.
    migrations: dict[str, list[str]]
    #: Rows, by table.
    rows: dict[str, int]
    #: Fingerprints of keys that the backup does not contain but needs, by setting.
    keys: dict[str, str]
    #: What to know about the backup, in sentences.
    notes: list[str] = []
    files: dict[str, ArchivedFile] = {}


def is_safe(name: str) -> bool:
    """Whether a file of this name may be in a backup: restored, it stays in its folder."""
    if name in (DATABASE, PASSWORD):
        return True
    folder, *parts = name.split("/")
    if folder not in FOLDERS or not parts or _CONTROL.search(name):
        return False
    return not any(part in ("", ".", "..") or part.startswith(".restore-") for part in parts)


class ArchiveWriter:
    """Writes the files of a backup and, when it is closed without an error, its manifest."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path, self.manifest = path, manifest

    def __enter__(self) -> Self:
        self._zip = ZipFile(self.path, "x")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: object, __: TracebackType | None
    ) -> None:
        with self._zip:
            if kind is None:
                text = self.manifest.model_dump_json(indent=1)
                self._zip.writestr(_info(MANIFEST, self.manifest.made_at), text)

    def add(self, name: str, path: Path, *, compress: bool = True) -> None:
        """Add a file as it is now. Raises FileNotFoundError if it has gone, and OSError."""
        assert is_safe(name), name
        info = _info(name, self.manifest.made_at)
        if not compress or path.suffix in COMPRESSED:
            info.compress_type = ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as source, self._zip.open(info, "w", force_zip64=True) as target:
            while chunk := source.read(CHUNK):
                target.write(chunk)
                digest.update(chunk)
                size += len(chunk)
        self.manifest.files[name] = ArchivedFile(size=size, sha256=digest.hexdigest())


def _info(name: str, at: datetime) -> ZipInfo:
    info = ZipInfo(name, at.timetuple()[:6])
    info.compress_type = ZIP_DEFLATED
    info._compresslevel = 1  # type: ignore[attr-defined]  # answers shrink well at any level
    info.external_attr = (stat.S_IFREG | 0o600) << 16
    return info


class Archive:
    """A backup that is read. Every name in it is checked when it is opened."""

    def __init__(self, path: Path) -> None:
        """Raises BackupProblem."""
        self.path = path
        try:
            self._file: IO[bytes] = path.open("rb")
        except FileNotFoundError:
            raise BackupProblem(f"There is no file {path}") from None
        except OSError as error:
            raise BackupProblem(f"{path} can't be read: {error.strerror}") from None
        try:
            with self._reading():
                self._zip = ZipFile(self._file)
                self.manifest = self._read_manifest()
            self._check_names()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    def verify(self) -> None:
        """Read every file and compare it with the manifest. Raises BackupProblem."""
        for name in self.manifest.files:
            for _ in self._content(name):
                pass

    def extract(self, name: str, target: Path) -> None:
        """Write a file of the backup to a new path, safe from a power cut, and compare it with the
        manifest. Raises BackupProblem, OSError.
        """
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            for chunk in self._content(name):
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())

    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry.size for entry in self.manifest.files.values())

    def _content(self, name: str) -> Iterator[bytes]:
        entry, digest, size = self.manifest.files[name], hashlib.sha256(), 0
        with self._reading(), self._zip.open(name) as source:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
                if size > entry.size:  # no file grows beyond what it says
                    break
                yield chunk
        if (size, digest.hexdigest()) != (entry.size, entry.sha256):
            raise BackupProblem(f"{self.path} is damaged: {name} is not as it was written")

    def _read_manifest(self) -> Manifest:
        try:
            info = self._zip.getinfo(MANIFEST)
            if info.file_size > LARGEST_MANIFEST:
                raise KeyError
            given: Any = json.loads(self._zip.read(info))
            if given["what"] == WHAT and given["format"] > FORMAT:
                raise BackupProblem(
                    f"{self.path} was made by a newer Fivefold. Update Fivefold, then restore"
                )
            return Manifest.model_validate(given)
        except (KeyError, TypeError, ValidationError, ValueError):
            raise BackupProblem(f"{self.path} is no backup of Fivefold") from None

    def _check_names(self) -> None:
        infos = self._zip.infolist()
        named = [info.filename for info in infos if info.filename != MANIFEST]
        for info in infos:
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.filename == MANIFEST and kind in (0, stat.S_IFREG):
                continue
            if not is_safe(info.filename) or kind not in (0, stat.S_IFREG):
                raise BackupProblem(
                    f"{self.path} contains {info.filename!r}, which no backup contains"
                )
        if sorted(named) != sorted(self.manifest.files) or DATABASE not in named:
            raise BackupProblem(f"{self.path} is damaged: its files are not those of its manifest")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            is_zip = not isinstance(error, BadZipFile) or "not a zip" not in str(error)
            why = f"is damaged: {error}" if is_zip else "is no backup of Fivefold, or is cut off"
            raise BackupProblem(f"{self.path} {why}") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise BackupProblem(f"{self.path} can't be read: {reason}") from None


def different_table(rows: Mapping[str, int], others: Mapping[str, int]) -> str:
    """The first table whose number of rows differs; empty if all are equal."""
    names = sorted({*rows, *others})
    return next((name for name in names if rows.get(name) != others.get(name)), "")

"""A backup that is made while people answer has every acknowledged answer and nothing half; a
restore that is killed leaves everything old or everything new.
"""

import csv
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest
import requests

from config.processes import ROOT
from tests.e2e.backups import empty_installation, files_of, manifest_of, stopped_installation
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import open_small
from tests.prolific import arrival, prolific_id

pytestmark = pytest.mark.e2e
#: Instructions, four blocks and a check: demographics are left out.
PAGES = range(1, 7)
Sent = tuple[str, int]


@dataclass
class Raters:
    """People who take the small study one after the other, some at a time, until told to stop."""

    site: str
    slug: str
    sent: set[Sent] = field(default_factory=set)
    acknowledged: list[Sent] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    news: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def at_work(self, *, people: int) -> Iterator[None]:
        threads = [threading.Thread(target=self._work) for _ in range(people)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stopped.set()
            for thread in threads:
                thread.join()

    def wait_for(self, answers: int) -> None:
        """Wait until so many answers more were acknowledged."""
        with self.news:
            aim = len(self.acknowledged) + answers
            assert self.news.wait_for(lambda: len(self.acknowledged) >= aim, timeout=120)

    def _work(self) -> None:
        while not self.stopped.is_set():
            self._take(uuid4().hex)

    def _take(self, name: str) -> None:
        person, study = requests.Session(), f"{self.site}/s/{self.slug}"
        page = person.get(f"{study}/{arrival(name, study='st', session=name)}", timeout=60)
        reply = self._post(person, f"{study}/consent/", page.text, agree="yes")
        for number in PAGES:
            if self.stopped.is_set():
                return
            page = person.get(f"{study}/page/{number}/", timeout=60)
            names = re.findall(r'type="radio" name="([^"]+)"', page.text)
            self.sent.add((prolific_id(name), number))
            reply = self._post(person, page.url, page.text, **dict.fromkeys(names, "2"))
            assert reply.status_code == 302, reply.text
            with self.news:
                self.acknowledged.append((prolific_id(name), number))
                self.news.notify_all()

    @staticmethod
    def _post(person: requests.Session, url: str, html: str, **form: str) -> requests.Response:
        [token] = set(re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', html))
        data = {"csrfmiddlewaretoken": token, **form}
        return person.post(url, data=data, allow_redirects=False, timeout=60)


def answered(installation: Installation) -> set[Sent]:
    """Every page that the database has as answered; none is half there."""
    rows = installation.query(
        "SELECT key, pages_done, page, answered_at,"
        " (SELECT count(*) FROM survey_rating WHERE presentation_id = survey_presentation.id)"
        " FROM survey_presentation"
        " JOIN survey_participant ON survey_participant.id = survey_presentation.participant_id"
        " JOIN survey_identity ON survey_identity.participant_id = survey_participant.id"
    )
    for _, done, page, at, ratings in rows:
        assert (ratings, at is not None) == ((3, True) if page <= done else (0, False))
    checks = installation.query(
        "SELECT key, pages_done, page, answered_at FROM survey_attentioncheck"
        " JOIN survey_participant ON survey_participant.id = survey_attentioncheck.participant_id"
        " JOIN survey_identity ON survey_identity.participant_id = survey_participant.id"
    )
    assert all((page <= done) == (at is not None) for _, done, page, at in checks)
    people = installation.query(
        "SELECT key, pages_done FROM survey_participant"
        " JOIN survey_identity ON survey_identity.participant_id = survey_participant.id"
    )
    return {(key, page) for key, done in people for page in range(1, done + 1)}


def exported(installation: Installation, folder: Path) -> dict[str, str]:
    """All files of the export, but the list of them, which has the time."""
    installation.manage("export", "loaded", "--out", folder)
    names = [path.name for path in folder.iterdir() if path.name != "export.json"]
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def rows_of(text: str) -> set[tuple[str, ...]]:
    return set(map(tuple, csv.reader(text.splitlines())))


def test_backup_under_load_has_all_that_was_acknowledged(tmp_path: Path) -> None:
    with running_installation(tmp_path / "site") as site:
        open_small(site, tmp_path, slug="loaded")
        raters = Raters(site.url, "loaded")
        with raters.at_work(people=4):
            raters.wait_for(20)
            before = set(raters.acknowledged)
            site.manage("backup", tmp_path / "under-load")
            possible = set(raters.sent)
            raters.wait_for(20)  # the site has not noticed
        site.manage("backup", tmp_path / "quiet")
        assert answered(site) >= set(raters.acknowledged) > before

        with empty_installation(tmp_path / "first") as first:
            first.manage("restore", tmp_path / "under-load")
            there = answered(first)
            assert before <= there <= possible
            all_of_it = exported(site, tmp_path / "of-site")
            restored = exported(first, tmp_path / "of-first")
            ratings = rows_of(restored["ratings_all.csv"])
            assert ratings <= rows_of(all_of_it["ratings_all.csv"])
            n_ratings = first.query("SELECT count(*) FROM survey_rating")[0][0]
            assert len(ratings) == n_ratings + 1  # with the names of the columns
            first.manage("doctor")

        with empty_installation(tmp_path / "second") as second:
            second.manage("restore", tmp_path / "quiet")
            assert exported(second, tmp_path / "of-second") == all_of_it
            second.manage("collectstatic", "--no-input")
            web = second.start("web")  # and the site goes on where it was
            assert web.exit_code is None
            goes_on = Raters(second.url, "loaded")
            with goes_on.at_work(people=1):
                goes_on.wait_for(len(PAGES))


def test_backup_has_all_files_and_a_restore_removes_those_of_before(tmp_path: Path) -> None:
    with (
        stopped_installation(tmp_path / "one") as one,
        stopped_installation(tmp_path / "two", SECRET_KEY="another") as two,
    ):
        fill(one, tmp_path, "first", password="secret\n")
        fill(two, tmp_path, "second")
        (one.folder / "corpora" / ".new-scratch").mkdir()
        (one.folder / "corpora" / ".new-scratch" / "half").touch()
        made = one.manage("backup", tmp_path / "b")
        assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600
        assert "1 study version, 0 participants" in made.stdout
        with zipfile.ZipFile(tmp_path / "b") as archive:
            names = {"corpora/first/raw.jsonl", "packages/7.zip", "researcher-password.txt"}
            assert set(archive.namelist()) == names | {"database", "manifest.json"}

        said = two.manage("restore", tmp_path / "b")
        assert two.query("SELECT slug FROM survey_study") == [("first",)]
        [saved] = (two.folder / "backups").iterdir()
        assert f"What was here before is saved in {saved}" in said.stdout
        assert "Note: SECRET_KEY is another one than when the backup was made" in said.stderr
        saved.rename(tmp_path / "saved")
        files = files_of(two.folder)
        assert files == {name: files_of(one.folder)[name] for name in names}

        two.manage("restore", tmp_path / "saved")  # which is a backup, too
        assert two.query("SELECT slug FROM survey_study") == [("second",)]
        assert "corpora/second/raw.jsonl" in files_of(two.folder)


def fill(installation: Installation, folder: Path, slug: str, *, password: str = "") -> None:
    own = folder / f"folder-of-{slug}"
    own.mkdir()
    open_small(installation, own, slug=slug)
    for name in (f"corpora/{slug}/raw.jsonl", "packages/7.zip"):
        path = installation.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(slug)
    if password:
        (installation.folder / "researcher-password.txt").write_text(password)


#: Restores two backups in turn, killed at the first step on files, at the second, and so on. Each
#: time the next process first takes up the data as every start does, and prints what there is.
KILLED_AT_EACH_STEP = """
import os, signal, sys
import django
django.setup()
from django.conf import settings
from django.core.management import call_command
from config.backup.data_in_use import use_data
from survey.models import Study

STEPS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "sqlite3.connect",
         "subprocess.Popen"}

def state():
    files = [str(path.relative_to(settings.DATA_DIR)) for name in ("corpora", "packages")
             for path in (settings.DATA_DIR / name).rglob("*") if path.is_file()]
    left = [path.name for path in settings.DATA_DIR.rglob(".restore-*")]
    slugs = sorted(Study.objects.values_list("slug", flat=True))
    return slugs[0], sorted({"corpora/.in-use"} ^ set(files)), left

def restore_until(n):
    steps = 0
    def step(event, arguments):
        nonlocal steps
        if event not in STEPS or not steps and ".restore-" not in str(arguments[0]):
            return
        steps += 1
        if steps == n:
            os.kill(os.getpid(), signal.SIGKILL)
    use_data()
    there = state()
    print(n, *there, sep="; ", flush=True)
    other = {"one": "two", "two": "one"}[there[0]]
    sys.addaudithook(step)
    call_command("restore", f"{sys.argv[1]}/{other}.backup", without_backup=True)
    os._exit(0)

for n in range(1, 1000):
    if (child := os.fork()) == 0:
        restore_until(n)
    _, status = os.waitpid(child, 0)
    if status != signal.SIGKILL:
        sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_restore_killed_at_any_step_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    with stopped_installation(tmp_path / "data") as installation:
        for slug in ("one", "two"):
            with stopped_installation(tmp_path / slug) as other:
                fill(other, tmp_path, slug)
                other.manage("backup", tmp_path / f"{slug}.backup")
        installation.manage("restore", tmp_path / "one.backup")
        done = subprocess.run(
            [sys.executable, "-c", KILLED_AT_EACH_STEP, str(tmp_path)],
            cwd=ROOT,
            env=installation.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        starts = [line for line in done.stdout.splitlines() if re.match(r"\d+; ", line)]
        found = [re.sub(r"^\d+; ", "", line) for line in starts]
        whole = {
            slug: f"{slug}; ['corpora/{slug}/raw.jsonl', 'packages/7.zip']; []"
            for slug in ("one", "two")
        }
        assert set(found) == set(whole.values())  # either everything old or everything new
        assert len(found) > 20
        last = found[-1].partition(";")[0]  # the last one was not killed
        assert state_after(installation) == whole["two" if last == "one" else "one"]


def state_after(installation: Installation) -> str:
    slug = str(installation.query("SELECT slug FROM survey_study")[0][0])
    left = [path.name for path in installation.folder.rglob(".restore-*")]
    return f"{slug}; {sorted(files_of(installation.folder))}; {left}"


def test_killed_backup_is_cleared_away_by_the_next_one(tmp_path: Path) -> None:
    with stopped_installation(tmp_path / "data") as installation:
        left = tmp_path / ".fivefold-backup-abc"
        left.mkdir()
        for name in ("lock", "copy"):
            (left / name).touch()
        installation.manage("backup", tmp_path / "b")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "data"]


def test_update_of_data_with_people_makes_a_backup_first(tmp_path: Path) -> None:
    with stopped_installation(tmp_path / "data") as installation:
        open_small(installation, tmp_path, slug="small")
        backups = installation.folder / "backups"
        installation.manage("migrate", "survey", "zero", "--plan")
        earlier = before_last_migration(installation)
        installation.manage("migrate", "survey", earlier)
        installation.manage("migrate")
        assert not backups.exists()  # nobody is in it

        with running(installation):
            raters = Raters(installation.url, "small")
            with raters.at_work(people=1):
                raters.wait_for(2)
        installation.manage("migrate")
        assert not backups.exists()  # nothing to change
        said = installation.manage("migrate", "survey", earlier)
        [file] = backups.iterdir()
        assert file.name.startswith("before-update-")
        assert said.stdout.startswith(f"The data before this update are saved in {file}\n")
        assert manifest_of(file)["rows"]["survey_participant"] >= 1
        installation.manage("migrate", "--without-backup")
        assert list(backups.iterdir()) == [file]


@contextmanager
def running(installation: Installation) -> Iterator[None]:
    installation.start("web")
    yield
    installation.stop("web")


def before_last_migration(installation: Installation) -> str:
    rows = installation.query("SELECT name FROM django_migrations WHERE app = 'survey'")
    return sorted(str(name) for (name,) in rows)[-2]

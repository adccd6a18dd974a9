"""A corpus has an owner: nobody sees or uses it but them, superusers, and whom the owner lets."""

from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from corpus.dialogues import layout_of
from corpus.filters import Filters
from corpus.folders import folder_of
from corpus.models import Corpus, Sample
from corpus.store import draw_sample, filter_corpus, import_corpus
from dashboard.corpora.asking import Kind, ask
from dashboard.corpora.models import CorpusJob
from dashboard.overview.people import set_corpus_role
from dashboard.shared.models import CorpusMembership
from dashboard.shared.roles import CORPUS_ROLES, Permission, Role
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import Study, StudyEvent
from tests.dashboard.addresses import ADDRESSES, OF_CORPORA, Address
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.dashboard.test_roles import browser, member
from tests.factories import make_study

#: How the API is asked for changes where it is not by POST.
METHODS = {"api:corpus-members": "put", "api:corpus": "delete", "api:sample": "delete"}
PLACES = ("/corpora/talks/", "/samples/six/", "/corpora/jobs/1")
TEXT = b"prompt,response\nhow are you my old friend,very well and you today\n"
CHATS = {"valid": 0, "test": 0, "seed": 1, "together": False, "ask_as": "", "condition": ""}


@pytest.fixture
def corpora(settings: Settings, tmp_path: Path) -> Path:
    settings.CORPORA_DIR = tmp_path / "corpora"
    return Path(settings.CORPORA_DIR)


@pytest.fixture
def talks(db: None, corpora: Path, tmp_path: Path) -> Corpus:
    """A filtered corpus that a command imported."""
    source = tmp_path / "talks.csv"
    source.write_bytes(TEXT)
    corpus = import_corpus(source, "talks", layout_of("", [("response", "response")], {}))
    return filter_corpus(corpus, Filters())


@pytest.fixture
def job(talks: Corpus) -> CorpusJob:
    """That wrote chats of the corpus, which has a sample."""
    draw_sample(talks, "six", first=1, at_random=None, seed=1)
    author = User.objects.create_user("maker", is_staff=True)
    asked = ask(Kind.CHATS, "talks", author=author, options=CHATS)
    assert run_job(CorpusJob, asked.pk)
    return CorpusJob.objects.get(pk=asked.pk)


@pytest.fixture
def elsewhere(db: None) -> Study:
    """A study of another team."""
    return make_study(slug="elsewhere")


def colleague(name: str, role: Role | None, corpus: Corpus | None = None) -> User:
    user = User.objects.create_user(name, password="pw", is_staff=True)
    if corpus is not None and role is not None:
        set_corpus_role(corpus=corpus, user=user, role=role, author=None)
    return user


def asked_for(job: CorpusJob) -> Iterator[tuple[Address, str, str]]:
    """Every address about a corpus, each way of asking, and the path."""
    for each in ADDRESSES:
        if each.name in OF_CORPORA and each.name not in ("corpora", "api:corpora"):
            path = each.path.replace("/jobs/1/", f"/jobs/{job.pk}/")
            for method in ("get", METHODS.get(each.name, "post")):
                yield each, method, path


def statuses(client: Client, job: CorpusJob) -> dict[tuple[str, str], int]:
    """By address and method; what is done is undone by the caller's rows."""
    got = {}
    for each, method, path in asked_for(job):
        sent = {} if method == "get" else {"content_type": "application/json"}
        got[each.name, method] = getattr(client, method)(path, **sent).status_code
    return got


def allowed(status: int) -> str:
    return {403: "refused", 404: "missing", 405: "no method"}.get(status, "allowed")


@pytest.mark.parametrize("role", CORPUS_ROLES)
def test_role_in_a_corpus_may_what_the_matrix_says(
    talks: Corpus, job: CorpusJob, woken: Woken, role: Role
) -> None:
    client = browser(colleague("bob", role, talks))
    for each, method, path in asked_for(job):
        needed = OF_CORPORA[each.name].needed(method.upper())
        said = "no method" if needed is None else "allowed" if role.may(needed) else "refused"
        if said == "allowed" and method != "get":
            continue  # it would change what the others ask about
        assert allowed(getattr(client, method)(path).status_code) == said, (each.name, method)


def test_nobody_else_finds_a_corpus_its_samples_or_its_jobs(
    talks: Corpus, job: CorpusJob, elsewhere: Study, woken: Woken
) -> None:
    """Owners of studies of other teams, neither; what is not there looks the same."""
    others = [browser(member(role, elsewhere, f"of-{role}")) for role in (*Role, None)]
    own = Corpus.objects.create(name="own", source={})
    others.append(browser(colleague("bob", Role.OWNER, own)))
    for client in others:
        got = statuses(client, job)
        found = {
            (name, method): status
            for (name, method), status in got.items()
            if status != 404 and (OF_CORPORA[name].needed(method.upper()) or status != 405)
        }
        assert len(got) > 40 and found == {}
    there, missing = (
        text_of(others[0].get(f"/corpora/{name}/")).replace(name, "NAME")
        for name in ("talks", "nowhere")
    )
    assert "There is no corpus 'NAME'." in there and there == missing
    assert Corpus.objects.filter(name="talks").exists() and Sample.objects.exists()
    assert CorpusJob.objects.count() == 1


def test_superusers_own_every_corpus(talks: Corpus, job: CorpusJob, page: Client) -> None:
    got = {
        (each.name, method): page.get(path).status_code
        for each, method, path in asked_for(job)
        if method == "get"
    }
    assert {allowed(status) for status in got.values()} == {"allowed", "no method"}


def names_listed(client: Client) -> tuple[set[str], set[str]]:
    """On the page and by the API."""
    page = client.get("/corpora/")
    shown = {corpus.name for corpus in page.context["corpora"]}
    rows = client.get("/api/corpora/").json()["results"]
    return shown, {row["name"] for row in rows}


def test_list_has_the_corpora_in_which_an_account_has_a_role(
    talks: Corpus, elsewhere: Study
) -> None:
    Corpus.objects.create(name="secret", source={"dialogues": 1, "file": "x.csv"})
    reader, editor = colleague("bob", Role.VIEWER, talks), member(Role.EDITOR, elsewhere, "eve")
    assert names_listed(browser(reader)) == ({"talks"}, {"talks"})
    assert names_listed(browser(editor)) == (set(), set())
    html = {user: browser(user).get("/corpora/").content.decode() for user in (reader, editor)}
    assert ("Import a corpus" in html[reader], "Import a corpus" in html[editor]) == (False, True)


def test_link_to_corpora_is_for_those_who_may_import_or_have_a_role_in_one(
    talks: Corpus, elsewhere: Study
) -> None:
    users = {
        "reader": colleague("bob", Role.VIEWER, talks),
        "editor": member(Role.EDITOR, elsewhere, "eve"),
        "analyst": member(Role.ANALYST, elsewhere, "ann"),
    }
    shown = {
        who: 'href="/corpora/"' in browser(user).get("/").content.decode()
        for who, user in users.items()
    }
    assert shown == {"reader": True, "editor": True, "analyst": False}
    assert browser(users["analyst"]).get("/corpora/").status_code == 403
    assert browser(users["analyst"]).get("/api/corpora/").status_code == 403
    assert browser(users["reader"]).post("/corpora/").status_code == 403


def test_who_imports_a_corpus_owns_it_and_the_import_is_theirs_until_then(
    elsewhere: Study, corpora: Path, woken: Woken
) -> None:
    eve, rival = (member(Role.EDITOR, elsewhere, name) for name in ("eve", "rival"))
    file = SimpleUploadedFile("talks.csv", TEXT)
    sent = {"name": "talks", "file": file, "prompt": "prompt", "response": "response"}
    assert browser(eve).post("/corpora/", sent).status_code == 302
    [job] = CorpusJob.objects.all()
    paths = [f"/corpora/jobs/{job.pk}/state/", f"/api/corpora/jobs/{job.pk}/"]
    assert "talks" not in text_of(browser(rival).get("/corpora/"))
    assert [browser(rival).get(path).status_code for path in paths] == [404, 404]
    assert [browser(eve).get(path).status_code for path in paths] == [200, 200]
    assert run_job(CorpusJob, job.pk)
    assert [(m.user, m.role) for m in CorpusMembership.objects.all()] == [(eve, "owner")]
    assert [browser(rival).get(path).status_code for path in paths] == [404, 404]
    assert [browser(eve).get(path).status_code for path in [*paths, "/corpora/talks/"]] == [200] * 3
    assert browser(rival).get("/corpora/talks/").status_code == 404


def test_failed_import_is_dismissed_by_its_author_alone(
    elsewhere: Study, corpora: Path, woken: Woken
) -> None:
    eve, rival = (member(Role.EDITOR, elsewhere, name) for name in ("eve", "rival"))
    file = SimpleUploadedFile("talks.csv", b"other\nx\n")
    browser(eve).post("/corpora/", {"name": "talks", "file": file, "prompt": "prompt"})
    [job] = CorpusJob.objects.all()
    assert run_job(CorpusJob, job.pk)
    assert "Importing talks failed" in text_of(browser(eve).get("/corpora/"))
    path = f"/corpora/jobs/{job.pk}/dismiss/"
    assert browser(rival).post(path).status_code == 404 and CorpusJob.objects.exists()
    assert browser(eve).post(path).status_code == 302 and not CorpusJob.objects.exists()


def test_worker_that_finds_no_corpus_names_no_others(talks: Corpus, researcher: User) -> None:
    job = ask(Kind.FILTER, "talks", author=researcher, options={"filters": {}})
    Corpus.objects.create(name="secret", source={})
    # As if the corpus was deleted while the worker had taken the job.
    Corpus.objects.filter(name="talks").update(name="renamed")
    assert run_job(CorpusJob, job.pk)
    job.refresh_from_db()
    assert job.error == "corpus talks was deleted"


@pytest.mark.parametrize("by", ["command", "page"])
def test_next_corpus_of_a_name_shows_nothing_of_the_one_before(
    talks: Corpus, job: CorpusJob, elsewhere: Study, corpora: Path, page: Client, by: str
) -> None:
    if by == "command":
        call_command("corpus", "delete", "six", "--sample", stdout=StringIO())
        call_command("corpus", "delete", "talks", stdout=StringIO())
    else:
        page.post("/samples/six/delete/", {"confirmed": "on"})
        page.post("/corpora/talks/delete/", {"confirmed": "on"})
    assert not CorpusJob.objects.exists() and not CorpusMembership.objects.exists()
    again = Corpus.objects.create(name="talks", source={"dialogues": 1, "file": "new.csv"})
    client = browser(colleague("bob", Role.OWNER, again))
    assert client.get(f"/corpora/jobs/{job.pk}/test.jsonl").status_code == 404
    assert not folder_of(again).exists()


def give(client: Client, person: str, role: str) -> str:
    return text_of(
        client.post("/corpora/talks/people/", {"person": person, "role": role}, follow=True)
    )


def test_owner_gives_a_colleague_a_role_and_takes_it_away(talks: Corpus, elsewhere: Study) -> None:
    owner = browser(colleague("bob", Role.OWNER, talks))
    reader = browser(member(None, elsewhere, "ann"))
    assert reader.get("/corpora/talks/").status_code == 404
    assert "ann is now viewer of talks." in give(owner, "ann", "viewer")
    html = reader.get("/corpora/talks/").content.decode()
    assert 'name="steps"' not in html and "raw.jsonl" not in html and 'id="delete"' not in html
    assert reader.get("/corpora/talks/corpus.jsonl").status_code == 200
    assert reader.get("/corpora/talks/raw.jsonl").status_code == 403
    assert "ann has no access to talks." in give(owner, "ann", "none")
    assert reader.get("/corpora/talks/").status_code == 404
    lines = StudyEvent.objects.filter(action__startswith="corpus ").order_by("id")
    assert [(line.action, line.detail["person"]) for line in lines][-2:] == [
        ("corpus role given", "ann"),
        ("corpus access removed", "ann"),
    ]


@pytest.mark.parametrize(
    ("person", "role", "said"),
    [
        ("nobody", "viewer", "There is no researcher's account 'nobody'."),
        ("guest", "viewer", "There is no researcher's account 'guest'."),
        ("bob", "none", "bob is the last owner of talks."),
        ("bob", "viewer", "bob is the last owner of talks."),
        ("ann", "analyst", "analyst is no role in a corpus."),
    ],
)
def test_role_that_cannot_be_given_is_refused_in_one_line(
    talks: Corpus, person: str, role: str, said: str
) -> None:
    owner = browser(colleague("bob", Role.OWNER, talks))
    colleague("ann", None)
    User.objects.create_user("guest")
    assert said in give(owner, person, role)
    asked = {"person": person, "role": None if role == "none" else role}
    path = "/api/corpora/talks/members/"
    answer = owner.put(path, asked, content_type="application/json")
    assert answer.status_code == 400
    assert [(m.user.username, m.role) for m in CorpusMembership.objects.all()] == [("bob", "owner")]


def test_members_by_api(talks: Corpus) -> None:
    owner = browser(colleague("bob", Role.OWNER, talks))
    colleague("ann", None)

    def put(**sent: Any) -> Any:
        path = "/api/corpora/talks/members/"
        return owner.put(path, sent, content_type="application/json").json()

    both = [{"person": "ann", "role": "editor"}, {"person": "bob", "role": "owner"}]
    assert put(person="ann", role="editor") == both
    assert owner.get("/api/corpora/talks/members/").json() == both
    assert put(person="ann", role=None) == both[1:]
    assert owner.get("/api/corpora/talks/").json()["owners"] == ["bob"]


def test_command_gives_the_first_role(talks: Corpus) -> None:
    colleague("bob", None)
    out = StringIO()
    call_command("role", "talks", "bob", "owner", corpus=True, stdout=out)
    assert out.getvalue() == "bob is owner of corpus talks\n"
    assert browser(User.objects.get(username="bob")).get("/corpora/talks/").status_code == 200
    for args, said in (
        (("nowhere", "bob", "owner"), "there is no corpus 'nowhere'"),
        (("talks", "bob", "analyst"), "role analyst: A role in a corpus is owner, editor or"),
        (("talks", "bo", "viewer"), "there is no account 'bo'; did you mean 'bob'"),
    ):
        with pytest.raises(CommandError, match=f"Nothing was changed: {said}"):
            call_command("role", *args, corpus=True)


def test_owners_and_editors_after_the_update(talks: Corpus, job: CorpusJob) -> None:
    """Nobody loses what they worked with; what a command imported is for superusers."""
    migration = import_module("dashboard.migrations.0017_owners_of_corpora")
    ada, ben = (User.objects.create_user(name, is_staff=True) for name in ("ada", "ben"))
    early = timezone.now() - timedelta(days=9)
    StudyEvent.objects.all().delete()
    for name, author in (("talks", ada), ("by-command", None)):
        corpus = Corpus.objects.get_or_create(name=name, defaults={"source": {}})[0]
        if author:
            done = {"state": "done", "author": author, "subject": "corpus", "name": name}
            row = CorpusJob.objects.create(kind="import", **done)
            CorpusJob.objects.filter(pk=row.pk).update(created_at=corpus.created_at)
    lines = [
        (ben, "corpus sample", "six", timezone.now()),
        (ben, "texts requested", "six", timezone.now()),
        (ada, "corpus filter", "talks", timezone.now()),
        (User.objects.get(username="maker"), "corpus filter", "talks", early),  # one before it
        (ben, "corpus filter", "other", timezone.now()),
    ]
    for author, action, name, at in lines:
        StudyEvent.objects.create(author=author, action=action, detail={"name": name}, at=at)
    gone = CorpusJob.objects.create(kind="chats", subject="corpus", name="gone", state="done")
    migration.give_roles(apps, None)
    migration.remove_jobs_of_deleted(apps, None)
    given = CorpusMembership.objects.values_list("corpus__name", "user__username", "role")
    assert sorted(given) == [("talks", "ada", "owner"), ("talks", "ben", "editor")]
    kept = set(CorpusJob.objects.values_list("pk", flat=True))
    assert gone.pk not in kept and job.pk in kept


def test_only_owners_delete_a_corpus(talks: Corpus) -> None:
    assert Permission.OWN_CORPORA.roles == [Role.OWNER]
    editor, owner = (
        browser(colleague(f"a-{role}", role, talks)) for role in (Role.EDITOR, Role.OWNER)
    )
    for path, method in (("/corpora/talks/delete/", "post"), ("/api/corpora/talks/", "delete")):
        answer = getattr(editor, method)(path)
        assert answer.status_code == 403
        said = "Your role in talks is editor. Only owners may delete corpora and give roles in them"
        assert said in text_of(answer)
    assert owner.delete("/api/corpora/talks/").status_code == 204
    assert to_wake(CorpusJob) == [] and not Corpus.objects.exists()

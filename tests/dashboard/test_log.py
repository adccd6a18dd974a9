"""The audit log: every change and every download leaves a line, which nobody can take away."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analysis.models import AnalysisRun
from analysis.runs import request_run
from dashboard.design.plan_options import PlanOptions, request_plan
from dashboard.overview.events import in_words
from dashboard.overview.invitations import InviteOptions, invite
from dashboard.overview.log import LINES_SHOWN
from dashboard.raters.uploads import leave_to_worker
from dashboard.share.packages import request_package
from dashboard.shared.log import record
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from judge.models import Judge
from survey.models import Participant, Study, StudyEvent
from survey.tidy import counted_sources
from tests.dashboard.addresses import ADDRESSES, RULES
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import tables_of, text_of
from tests.dashboard.second_factors import set_up_app
from tests.factories import make_study

LOG = "/studies/small/log/"
GOLD = "scenario,set,model,condition,gold\nS1,1,Ant,plain,4\n"


def ann(study: Study) -> Participant:
    return study.participants.get(pseudonym="ann")


def invitation(study: Study) -> int:
    author = User.objects.get(username="ada")
    return invite(study, InviteOptions(role=Role.VIEWER), author)[0].pk


def gold_file() -> SimpleUploadedFile:
    return SimpleUploadedFile("scores.csv", GOLD.encode())


def analysis_to_stop(study: Study) -> int:
    return request_run(study=study, sources=counted_sources(["preview"])).pk


def plan_to_stop(study: Study) -> int:
    return request_plan(study=study, options=PlanOptions()).pk


def package_to_stop(study: Study) -> int:
    run = study.analysis_runs.get(state=AnalysisRun.State.DONE)
    return request_package(run=run, recipe="both", images=False).pk


def lists_to_stop(study: Study) -> int:
    return leave_to_worker(study=study, files=[("list.csv", b"")], submissions=9000).pk


Sent = tuple[list[Any], dict[str, Any]]
#: By the name of an address that changes something: the rest of the address, and what is sent.
CHANGES: dict[str, Callable[[Study], Sent]] = {
    "state": lambda study: ([], {"state": "paused"}),
    "rater": lambda study: ([ann(study).pk], {"excluded": "true", "reason": "wrote nonsense"}),
    "exclude": lambda study: ([], {"group": ann(study).pk, "reason": "forged"}),
    "identity": lambda study: ([ann(study).pk], {}),
    "notices": lambda study: ([], {"email": "ada@example.org", "occasions": ["full"]}),
    "planning": lambda study: ([], {"raters": "10"}),
    "rehearsal": lambda study: (
        [],
        {"participants": "2", "seed": "1", "profile": "default.yaml"},
    ),
    "recompute": lambda study: ([], {"page": "raters"}),
    "ask-multiverse": lambda study: ([], {}),
    "ask-metrics": lambda study: ([], {}),
    "ask-scorer": lambda study: ([], {"head": "ridge"}),
    "prepare-package": lambda study: ([], {"recipe": "both"}),
    "stop-job": lambda study: (["analysis", analysis_to_stop(study)], {}),
    "use-thresholds": lambda study: ([], {"duration_minimum": "1", "instead_of": "1"}),
    "score": lambda study: ([], {}),
    "retry": lambda study: (["stand-in@1"], {}),
    "choose-gold": lambda study: ([], {"source": "mine"}),
    "upload-gold": lambda study: ([], {"name": "mine", "file": gold_file()}),
    "people": lambda study: ([], {"role": "viewer"}),
    "revoke-invitation": lambda study: ([invitation(study)], {}),
    "pay-terms": lambda study: ([], {"currency": "USD", "reward": "2.50"}),
    "api:state": lambda study: ([], {"state": "paused"}),
    "api:planning": lambda study: ([], {"raters": 10}),
    "api:rehearsal": lambda study: ([], {"participants": 2}),
    "api:decisions": lambda study: ([], {"raters": ["ann"], "excluded": True, "reason": "no"}),
    "api:thresholds": lambda study: ([], {"settings": {"duration_minimum": 1}, "instead_of": 1}),
    "api:retry": lambda study: (["stand-in@1"], {}),
    "api:gold": lambda study: ([], {"source": "mine"}),
    "api:gold-files": lambda study: ([], {"name": "mine", "file": gold_file()}),
    "api:analysis": lambda study: ([], {}),
    "api:multiverse": lambda study: ([], {}),
    "api:packages": lambda study: ([], {}),
    "api:stop-analysis": lambda study: ([analysis_to_stop(study)], {}),
    "api:stop-plan": lambda study: ([plan_to_stop(study)], {}),
    "api:stop-upload": lambda study: ([lists_to_stop(study)], {}),
    "api:stop-package": lambda study: ([package_to_stop(study)], {}),
    "api:stop-job": lambda study: (["plan", plan_to_stop(study)], {}),
    "api:metrics": lambda study: ([], {}),
    "api:scorer": lambda study: ([], {}),
    "api:judges": lambda study: ([], {}),
    "api:invitations": lambda study: ([], {"role": "viewer"}),
    "api:invitation": lambda study: ([invitation(study)], {}),
    "api:members": lambda study: ([], {"person": "vi", "role": "analyst"}),
    "api:notices": lambda study: ([], {"email": "ada@example.org", "occasions": ["full"]}),
    "api:pay-terms": lambda study: ([], {"currency": "USD", "reward_cents": 250}),
}
#: They need what other tests have: a study without participants, people from Prolific, Prolific.
ELSEWHERE = {
    "locked-plan": "test_lock_plan.py",
    "submissions": "test_submissions.py",
    "demographics": "recruiting/test_demographic_export.py",
    "prolific": "recruiting/test_publishing.py",
    "events-of-study": "recruiting/test_events.py",
    "prolific-submissions": "recruiting/test_reading_submissions.py",
    **dict.fromkeys(("payments", "decide", "settle", "payment-list"), "payments/test_pages.py"),
    "submission-id": "payments/test_pages.py",
    **dict.fromkeys(("score-text", "flag-text", "ask-perturbations"), "test_scorer_page.py"),
    **dict.fromkeys(("api:scored-texts", "api:perturbations"), "test_scorer_page.py"),
    **dict.fromkeys(
        (
            *("api:prolific", "api:draft", "api:publish", "api:pause", "api:resume", "api:places"),
            *("api:invite", "api:prolific-events", "api:read-submissions", "api:submissions"),
        ),
        "recruiting/test_api.py",
    ),
    "api:demographics": "recruiting/test_demographics_api.py",
    **dict.fromkeys(
        (
            *("api:payments", "api:decide", "api:settle", "api:payment-list"),
            *("api:submission-identity", "api:rater-identity"),
        ),
        "payments/test_api_and_command.py",
    ),
    "api:plans": "api/test_design.py",
    **dict.fromkeys(
        (
            *("add-theme", "change-theme", "code-answer", "import-codings"),
            *("api:themes", "api:theme", "api:codings"),
        ),
        "test_themes_page.py",
    ),
}


def test_every_address_that_changes_something_is_tried() -> None:
    assert {*CHANGES, *ELSEWHERE} == {name for name, rule in RULES.items() if rule.change}


@pytest.mark.parametrize("name", CHANGES)
def test_change_leaves_a_line_with_author_and_origin(
    page: Client, study: Study, run: AnalysisRun, judge: Judge, woken: Woken, name: str
) -> None:
    vi = User.objects.create_user("vi", is_staff=True)
    Membership.objects.create(slug="small", user=vi, role=Role.VIEWER)
    if name in ("choose-gold", "api:gold"):
        page.post("/studies/small/gold/upload/", {"name": "mine", "file": gold_file()})
    if name in ("recompute", "api:analysis"):
        ann(study).delete()  # so that there is something to compute
    rest, sent = CHANGES[name](study)
    before = set(StudyEvent.objects.values_list("pk", flat=True))
    address = reverse(name, args=[study, *rest])
    methods = dict.fromkeys(("api:members", "api:notices", "api:pay-terms"), page.put)
    ask: Any = (methods | {"api:invitation": page.delete}).get(name, page.post)
    is_json = name.startswith("api:") and name != "api:gold-files"
    answer = ask(address, sent, **({"content_type": "application/json"} if is_json else {}))
    assert answer.status_code < 400
    lines = StudyEvent.objects.exclude(pk__in=before)
    via = "api" if name.startswith("api:") else "web"
    assert {(line.study, line.author.username, line.via) for line in lines if line.author} == {
        (study, "ada", via)
    }, text_of(answer)


#: By the name of an address that sends a file: the rest of the address, and what the line says.
DOWNLOADS: dict[str, Callable[[AnalysisRun], tuple[list[Any], str]]] = {
    "certificate": lambda run: ([], "order/certificate.csv"),
    "table": lambda run: ([run.pk, "wins"], f"results/{run.pk}/wins.csv"),
    "table-latex": lambda run: ([run.pk, "wins"], f"results/{run.pk}/wins.tex"),
    "download": lambda run: (["ratings.csv"], "downloads/ratings.csv"),
    "log-csv": lambda run: ([], "log.csv"),
    "flagged-texts": lambda run: ([], "results/scorer/flagged.csv"),
    "codings": lambda run: ([], "results/themes/codings.csv"),
    "api:codings": lambda run: ([], "themes/codings/"),
    "drawn-responses": lambda run: ([], "gold/drawn.csv"),
    "api:drawn-responses": lambda run: ([], "gold/drawn.csv"),
    "api:events-csv": lambda run: ([], "events.csv"),
    "api:table": lambda run: (["wins"], "tables/wins/"),
    "api:table-csv": lambda run: (["wins"], "tables/wins.csv"),
    "api:table-latex": lambda run: (["wins"], "tables/wins.tex"),
    "api:certificate": lambda run: ([], "order/certificate.csv"),
    "api:rater": lambda run: (["ann"], "raters/ann/"),
    "api:wins": lambda run: ([], "wins/"),
    "api:raters": lambda run: ([], "raters/"),
    "api:ratings": lambda run: ([], "ratings/"),
    "api:export": lambda run: (["ratings.csv"], "exports/ratings.csv"),
}
FILES_ELSEWHERE = {
    "package": "test_packages.py",
    "package-file": "test_packages.py",
    "plan-text": "test_lock_plan.py",
    **dict.fromkeys(("corpus-file", "job-file", "raw-dialogues"), "test_corpora_pages.py"),
    **dict.fromkeys(
        ("api:corpus-file", "api:job-file", "api:raw-dialogues"), "api/test_corpora.py"
    ),
    "api:plan-text": "api/test_design.py",
    **dict.fromkeys(
        ("api:package-zip", "api:package-file", "api:figure-svg"),
        "api/test_share.py",
    ),
}


def test_every_address_that_sends_a_file_is_tried() -> None:
    files = {each.name for each in ADDRESSES if each.needs and each.needs.is_download}
    of_accounts = {"activity-csv", "api:account-activity-csv"}
    assert {*DOWNLOADS, *FILES_ELSEWHERE, *of_accounts} == files


@pytest.mark.parametrize("name", DOWNLOADS)
def test_download_leaves_one_line_in_ten_minutes(
    page: Client, study: Study, run: AnalysisRun, name: str
) -> None:
    rest, said = DOWNLOADS[name](run)
    address = reverse(name, args=[study, *rest])
    for _ in range(2):
        assert page.get(address).status_code == 200
    line = StudyEvent.objects.get(action="downloaded")
    assert (line.study, line.detail) == (study, {"name": said})
    assert line.author is not None and line.author.username == "ada"
    assert line.via == ("api" if name.startswith("api:") else "web")
    StudyEvent.objects.update(at=timezone.now() - timedelta(minutes=11))
    page.get(address)
    assert StudyEvent.objects.filter(action="downloaded").count() == 2


def test_what_was_not_sent_leaves_no_line(page: Client, study: Study, run: AnalysisRun) -> None:
    assert page.get("/studies/small/downloads/nothing.csv").status_code == 404
    assert page.get("/api/studies/small/exports/nothing.csv").status_code == 404
    assert page.head("/studies/small/downloads/ratings.csv").status_code in (200, 405)
    assert not StudyEvent.objects.filter(action="downloaded").exists()


def test_export_by_a_command_leaves_a_line(study: Study, run: AnalysisRun, tmp_path: Any) -> None:
    call_command("export", "small", "--out", str(tmp_path / "out"))
    line = StudyEvent.objects.get(action="exported")
    assert (line.study, line.author, line.via) == (study, None, "command")


def lines(count: int, study: Study, **fields: Any) -> None:
    StudyEvent.objects.bulk_create(
        StudyEvent(study=study, action="state", detail={"from": "open", "to": "paused"}, **fields)
        for _ in range(count)
    )


@pytest.mark.embedded
def test_page_shows_the_newest_lines_and_leads_to_earlier_ones(page: Client, study: Study) -> None:
    StudyEvent.objects.all().delete()
    record(study, None, "gold", name="the first line")
    lines(LINES_SHOWN, study)
    html = page.get(LOG).content.decode()
    assert "the first line" not in html
    oldest_shown = StudyEvent.objects.order_by("pk")[1].pk
    assert f'href="?before={oldest_shown}"' in html
    [rows] = tables_of(page.get(f"{LOG}?before={oldest_shown}"))
    [row] = rows[1:]
    assert row[1:] == ["Gold scores chosen: the first line", "–", "command line", "1"]


@pytest.mark.parametrize(
    ("action", "detail", "what"),
    [
        (
            "submissions",
            {"returned": 1, "places freed": 1, "back": 0},
            "Prolific submissions read: 1 returned, 1 slot freed",
        ),
        (
            "payments confirmed",
            {"approve": 2, "return": 1, "bonus": 1},
            "Decisions about submissions confirmed: 2 approvals, 1 return asked for, 1 bonus",
        ),
        (
            "pay terms",
            {"from": {"reward": 100, "hourly": None}, "to": {"reward": 100, "hourly": 1200}},
            "Pay terms changed (in cents): promised pay per hour: none → 1200",
        ),
    ],
)
def test_line_says_it_in_words(action: str, detail: dict[str, Any], what: str) -> None:
    assert in_words(StudyEvent(action=action, detail=detail)) == what


@pytest.mark.embedded
def test_log_is_chosen_by_person_and_kind_on_the_page_in_the_csv_and_by_the_api(
    page: Client, researcher: User, study: Study
) -> None:
    StudyEvent.objects.all().delete()
    lines(2, study, author=researcher)
    lines(1, study)
    record(study, researcher, "gold", name="=cmd()")
    record(None, researcher, "token created", name="of the account")
    query = "?person=ada&kind=state"
    [rows] = tables_of(page.get(LOG + query))
    assert len(rows) == 3
    file = b"".join(page.get(f"/studies/small/log.csv{query}").streaming_content)  # type: ignore[attr-defined]
    header, first, *others = file.decode("utf-8-sig").splitlines()
    assert header == "at,study,person,from,kind,what"
    assert first.endswith(",small@1,ada,command,state,Open → paused")
    assert len(others) == 1
    answer = page.get(f"/api/studies/small/events/{query}&limit=1").json()
    assert [line["what"] for line in answer["results"]] == ["Open → paused"]
    following = page.get(answer["next"]).json()
    assert (len(following["results"]), following["next"]) == (1, None)
    assert "of the account" not in text_of(page.get(LOG))


@pytest.mark.embedded
@pytest.mark.parametrize("query", ["person=nobody", "kind=nothing", "before=x", "before=0"])
def test_log_that_there_is_not_is_not_found(page: Client, study: Study, query: str) -> None:
    assert page.get(f"{LOG}?{query}").status_code == 404


@pytest.mark.embedded
def test_log_is_of_one_study_in_all_its_versions(page: Client, study: Study) -> None:
    other = make_study(slug="other")
    record(other, None, "gold", name="of the other study")
    assert "of the other study" not in text_of(page.get(LOG))
    assert "of the other study" in text_of(page.get("/studies/other/log/"))


def test_accounts_see_their_own_lines_and_superusers_all(client: Client, researcher: User) -> None:
    bob = User.objects.create_user("bob", password="a long password", is_staff=True)
    client.post("/login/", {"username": "bob", "password": "a long password"})
    set_up_app(researcher)
    page = "/account/activity/"
    assert "Logged in" in text_of(client.get(page))
    record(None, researcher, "token created", name="ada's notebook")
    assert "ada's notebook" not in text_of(client.get(page))
    client.force_login(researcher)
    assert "ada's notebook" in text_of(client.get(page))
    assert "bob" in text_of(client.get(page))
    assert bob.username in b"".join(client.get("/account/activity.csv").streaming_content).decode()  # type: ignore[attr-defined]
    downloaded = StudyEvent.objects.get(action="downloaded")
    assert (downloaded.study, downloaded.author) == (None, researcher)


def test_changes_of_what_an_account_logs_in_with_leave_lines(client: Client, db: None) -> None:
    old, new = "an old password", "a new password, longer"
    bob = User.objects.create_user("bob", password=old, is_staff=True)
    client.post("/login/", {"username": "bob", "password": old})
    changed = {"old_password": old, "new_password1": new, "new_password2": new}
    client.post("/account/security/password/", changed)
    set_up_app(bob)
    client.post("/account/security/password-again/", {"password": new})
    client.post("/account/security/app/remove/")
    assert not Authenticator.objects.filter(user=bob, type="totp").exists()
    lines = StudyEvent.objects.filter(author=bob, study=None).order_by("pk")
    assert [(line.action, line.via) for line in lines] == [
        ("logged in", "web"),
        ("password changed", "web"),
        ("second factor removed", "web"),
        ("second factor removed", "web"),
    ]


def test_no_page_takes_a_line_away(page: Client, study: Study) -> None:
    record(study, None, "gold", name="stays")
    line = StudyEvent.objects.get(detail__name="stays")
    for method in ("post", "put", "patch", "delete"):
        for address in (LOG, "/studies/small/log.csv", "/api/studies/small/events/"):
            assert getattr(page, method)(address).status_code == 405
    assert (
        page.post(f"/admin/survey/studyevent/{line.pk}/delete/", {"post": "yes"}).status_code == 403
    )
    assert StudyEvent.objects.filter(pk=line.pk).exists()

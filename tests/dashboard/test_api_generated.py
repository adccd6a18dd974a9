"""Whatever the API is asked, by whatever role, it answers as its schema says.

schemathesis draws requests from the schema: such as it allows, and such as it does not. Each is
sent as every role, by a researcher without a role and by a stranger, and what it changes is undone.
A new route is found by itself. `make test-long` sends ten times as many.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote
from zipfile import ZipFile

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.test import override_settings
from django.urls import Resolver404, resolve
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis.strategies import SearchStrategy, one_of
from pytest_django import DjangoDbBlocker

from analysis.locked_plans import LockOptions, lock_plan
from analysis.models import AnalysisRun
from corpus.dialogues import layout_of
from corpus.filters import Filters
from corpus.store import draw_sample, filter_corpus, import_corpus
from dashboard.accounts.models import ApiToken
from dashboard.accounts.prolific import connect
from dashboard.accounts.tokens import create_token
from dashboard.corpora.asking import Kind, ask
from dashboard.corpora.models import CorpusJob
from dashboard.overview.invitations import InviteOptions, invite
from dashboard.overview.people import set_corpus_role
from dashboard.payments.orders import Chosen, confirm
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.submissions import apply_submissions
from dashboard.share.models import Package
from dashboard.shared.roles import CORPUS_ROLES, Role
from examples.local_prolific import TOKEN
from examples.local_prolific.server import local_prolific
from jobs.runner import run_job
from survey.models import Study
from tests.dashboard.addresses import (
    ADDRESSES,
    OF_ACCOUNT,
    OF_CORPORA,
    RULES,
    VALUES,
    Address,
)
from tests.dashboard.conftest import Woken
from tests.dashboard.judging import planned
from tests.dashboard.paying import AT, listed
from tests.dashboard.test_roles import member

# What requests may say; hostile ones go to both: the database changes nothing of it.
pytestmark = pytest.mark.embedded

if TYPE_CHECKING:  # loaded by `site`: it takes a second, and this is one of many files
    from schemathesis import Case
    from schemathesis.core.transport import Response
    from schemathesis.schemas import APIOperation

    Drawn: TypeAlias = Case[Any]
    Method: TypeAlias = APIOperation[Any, Any, Any, Any]

#: The schema itself is YAML, and no route that it describes.
ROUTES = [each for each in ADDRESSES if each.name.startswith("api:") and each.name != "api:schema"]
STRANGER, NO_ROLE = "stranger", "no role"
#: Drawn for each method of a route.
REQUESTS = 3
#: What the places in an address are filled with, where no row is made below.
EXAMPLES = {place.strip("<>").partition(":")[2]: value for place, value in VALUES.items()}


@dataclass(frozen=True)
class Site:
    """What requests are drawn from, what they are about, and who sends them."""

    operations: list["Method"]
    #: By name of the place in an address.
    rows: dict[str, Any]
    #: By who sends it.
    headers: dict[str, dict[str, str]]

    def methods(self, route: Address) -> list["Method"]:
        paths = [(each, each.path.format_map(EXAMPLES)) for each in self.operations]
        found = [each for each, path in paths if name_of(path) == route.name]
        assert found, "the schema describes it"
        return found

    def places(self, operation: "Method") -> dict[str, Any]:
        """What fills the places in the operation's address."""
        return {place: self.rows[place] for place in re.findall(r"{(\w+)}", operation.path)}


def name_of(path: str) -> str:
    """By which the matrix of roles knows an address; nothing where there is none such."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


@pytest.fixture(scope="module")
def site(
    taken: Study,
    analysed: int,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    from schemathesis.core.result import Ok
    from schemathesis.openapi import from_wsgi

    with (
        local_prolific() as prolific,
        override_settings(
            PROLIFIC_URL=prolific.api_url,
            PACKAGES_DIR=tmp_path_factory.mktemp("zips"),
            CORPORA_DIR=tmp_path_factory.mktemp("corpora"),
        ),
        connection_kept(),
    ):
        with django_db_blocker.unblock():
            headers = headers_of(taken)
            rows = EXAMPLES | rows_of(taken, analysed)
            address = "/api/schema/?format=json"
            schema = from_wsgi(address, WSGIHandler(), headers=headers[Role.OWNER])
        described = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
        yield Site(described, rows, headers)


@contextmanager
def connection_kept() -> Iterator[None]:
    """Requests in this process do not close the connection, whose transaction is the test's."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


def headers_of(study: Study) -> dict[str, dict[str, str]]:
    """By who asks: with a token that may change what the account may."""
    headers: dict[str, dict[str, str]] = {STRANGER: {}}
    for who, role in {**{role.value: role for role in Role}, NO_ROLE: None}.items():
        user = member(role, study, name=who.replace(" ", "-"))
        key = create_token(user=user, name="x", scope=ApiToken.Scope.CHANGE, expires_at=None)
        headers[who] = {"Authorization": f"Token {key}"}
        if role is Role.OWNER:
            connect(user=user, token=TOKEN)
    return headers


def rows_of(study: Study, run: int) -> dict[str, Any]:
    """What is there to be asked for, by name of the place in an address."""
    owner = User.objects.get(username=Role.OWNER)
    apply_submissions(study=study, submissions=[listed("gus")], at=AT)
    submission = SubmissionOnProlific.objects.get().pk
    order = confirm(
        study=study,
        decisions=[Chosen(submission, "approve", "reward", "by hand")],
        author=owner,
        by_hand=True,
        at=AT,
    )
    invitation, _ = invite(study, InviteOptions(role=Role.VIEWER), owner)
    call = planned(study).calls.first()
    assert call is not None
    figure = AnalysisRun.objects.get(pk=run).results.filter(kind="figure").earliest("id").name
    files = [f"{figure}.svg", EXAMPLES["file"]]
    return {
        **corpora_rows(owner),
        "judge": "judge@1",
        "call": call.pk,
        "version": lock_plan(study, LockOptions(), owner).version,
        "figure": figure,
        "package": package(run, files).pk,
        "submission": submission,
        "order": order.pk,
        "invitation": invitation.pk,
        "run": run,
        "kind": AnalysisRun.NAME,
        "job_id": run,
        "participant": study.participants.get(pseudonym="ann").pk,
    }


#: What a job writes chats by.
PLAIN_CHATS = {
    "valid": 0,
    "test": 0,
    "seed": 1,
    "together": False,
    "ask_as": "",
    "condition": "",
}


def corpora_rows(owner: User) -> dict[str, Any]:
    """A filtered corpus, a sample of it and its chats, in whose place is one file."""
    source = Path(django_settings.CORPORA_DIR).parent / "talks.csv"
    source.write_text("prompt,response\n" + "how are you my old friend,very well and you today\n")
    corpus = import_corpus(source, "talks", layout_of("", [("response", "response")], {}))
    filter_corpus(corpus, Filters())
    for user in User.objects.filter(memberships__isnull=False):
        role = Role(user.memberships.get().role)  # an analyst's is none of a corpus
        set_corpus_role(
            corpus=corpus,
            user=user,
            role=role if role in CORPUS_ROLES else Role.VIEWER,
            author=None,
        )
    draw_sample(corpus, "six", first=1, at_random=None, seed=1)
    job = ask(Kind.CHATS, "talks", author=owner, options=PLAIN_CHATS)
    run_job(CorpusJob, job.pk)
    return {"job": job.pk, "corpus": "talks", "sample": "six"}


def package(run: int, files: list[str]) -> Package:
    """A zip that was made with these files of the analysis."""
    done = Package.State.DONE
    row = Package.objects.create(
        run_id=run, recipe="both", images=True, state=done, finished_at=AT, size=9
    )
    with ZipFile(row.path, "w") as packed:
        for file in files:
            packed.writestr(f"{Path(row.file_name).stem}/analysis/{file}", "what is in it")
    return row


def drawn_from(operation: "Method", places: dict[str, Any]) -> SearchStrategy["Drawn"]:
    """Requests that the schema allows, about what is there and what is not, and such as it does
    not allow.
    """
    from schemathesis import GenerationMode
    from schemathesis.generation.feedback import NO_FEEDBACK

    def such(mode: GenerationMode, **given: Any) -> SearchStrategy["Drawn"]:
        strategy: SearchStrategy[Drawn] = operation.as_strategy(
            mode, feedback=NO_FEEDBACK, path_parameters=given
        )
        return strategy

    study = {"name": places["name"]} if "name" in places else {}
    drawn = [such(GenerationMode.POSITIVE, **given) for given in (places, study)]
    if operation.query or operation.body:
        drawn += [such(GenerationMode.NEGATIVE, **places)] * 2
    return one_of(drawn)


def refused(who: str, name: str, method: str, kind: str) -> int | None:
    """The status that the matrix of roles says, whatever is sent; None if they may do this. `kind`
    is that of the job which an address is about.
    """
    if not name:
        return 404
    if who == STRANGER:
        return 401
    if name in OF_ACCOUNT:
        return None
    rule = RULES.get(name) or OF_CORPORA[name]
    needed = rule.of_kind(kind).needed(method.upper())
    assert needed, "the schema describes no method that the address does not have"
    if who == NO_ROLE:
        return 403 if name == "api:corpora" else 404
    return None if Role(who).may(needed) else 403


def elsewhere(case: "Drawn", rows: dict[str, Any]) -> bool:
    """Whether it is about a corpus, a sample or a job that is not there."""
    asked = (case.path_parameters or {}).items()
    return any(str(rows[place]) != str(value) for place, value in asked)


def answer_to(case: "Drawn", headers: dict[str, str]) -> "Response":
    """The answer, which the schema describes; what was changed is undone."""
    with transaction.atomic():
        response = case.call(headers=headers)
        transaction.set_rollback(True)
    case.validate_response(response, checks=checks())
    return response


def checks() -> list[Any]:
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks as of_schema

    return [
        not_a_server_error,
        of_schema.status_code_conformance,
        of_schema.content_type_conformance,
        of_schema.response_headers_conformance,
        of_schema.response_schema_conformance,
    ]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_every_role_gets_what_the_schema_says(
    site: Site, run: AnalysisRun, woken: Woken, route: Address, long_run: bool
) -> None:
    for operation in site.methods(route):
        places = site.places(operation)

        @settings(
            max_examples=REQUESTS * (10 if long_run else 1),
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=drawn_from(operation, places))
        def ask(case: "Drawn") -> None:
            name = name_of(unquote(case.formatted_path))
            assume(name in ("", route.name))
            for who, headers in site.headers.items():
                status = answer_to(case, headers).status_code
                kind = str((case.path_parameters or {}).get("kind", ""))
                expected = refused(who, name, case.method, kind)
                if who != STRANGER and name in OF_CORPORA and elsewhere(case, site.rows):
                    expected = 404
                right = status == expected if expected else status not in (401, 403)
                assert right, f"{who}: {case.method} {case.path} {case!r}: {status}"

        ask()
        is_plain = not any(parameter.is_required for parameter in operation.query)
        if operation.method.upper() == "GET" and is_plain:
            plain = operation.Case(path_parameters=places)
            assert answer_to(plain, site.headers[Role.OWNER]).status_code == 200

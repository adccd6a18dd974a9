"""What each role may do: every page and endpoint as its view says, and none beside it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import Resolver404, get_resolver, resolve, reverse
from selectolax.lexbor import LexborHTMLParser

from analysis.models import AnalysisRun
from dashboard import urls
from dashboard.api.studies import StudyCounts
from dashboard.overview import views
from dashboard.shared.access import NOT_OURS
from dashboard.shared.models import Membership
from dashboard.shared.roles import OF_JOBS, OPEN, About, Needs, Permission, Role
from dashboard.shared.stopping import names
from judge.models import Judge
from survey.models import Study
from tests.approved import Approval
from tests.dashboard.addresses import ADDRESSES, RULES, VALUES, Address
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.dashboard.test_access import OPEN_TO_ALL
from tests.factories import make_study

# Who may open what; other tests open the pages on every database.
pytestmark = pytest.mark.embedded

OF_STUDY = [each for each in ADDRESSES if "/studies/small/" in each.path]
#: How the API is asked for changes where it is not by POST.
METHODS = {
    **dict.fromkeys(
        ("api:theme", "api:members", "api:pay-terms", "api:notices", "api:prolific-events"), "put"
    ),
    **dict.fromkeys(("api:invitation", "api:prolific", "api:corpus", "api:sample"), "delete"),
}
Wrong = dict[str, set[str]]
ALLOWED, REFUSED, MISSING, NO_METHOD = "allowed", "refused", "no such study", "no such method"


def member(role: Role | None, study: Study, name: str = "mem") -> User:
    """A researcher with a role in the study, or with none."""
    user = User.objects.create_user(name, password="pw", is_staff=True)
    if role is not None:
        Membership.objects.create(slug=study.slug, user=user, role=role)
    return user


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def outcome(client: Client, method: str, path: str) -> str:
    return outcome_of(getattr(client, method)(path))


def outcome_of(answer: Any) -> str:
    if answer.status_code == 404 and "no study" in text_of(answer):
        return MISSING
    return {403: REFUSED, 405: NO_METHOD}.get(answer.status_code, ALLOWED)


def expected(role: Role | None, name: str, method: str, kind: str = "") -> str:
    """By the matrix; `kind` is that of the job which an address is about."""
    needed = RULES[name].of_kind(kind).needed(method.upper())
    if needed is None:
        return NO_METHOD
    if role is None:
        return MISSING
    return ALLOWED if role.may(needed) else REFUSED


def in_words(each: Address) -> str:
    """Who may open an address."""
    needs = each.needs
    if needs is None:
        return f"`{each.name}`: nobody"
    if needs.about is About.ANYBODY:
        return f"`{each.name}`: anybody"
    said = [_permissions(needs)] if needs.about is not About.ACCOUNT else ["every researcher"]
    kinds = OF_JOBS if needs.is_about_job else {}
    said += [f"of {kind}: {_permissions(needs.of_kind(kind))}" for kind in kinds]
    said += ["corpora"] * (needs.about is About.CORPORA) + ["download"] * needs.is_download
    said += ["with no token for some studies only"] * needs.whole_account
    return f"`{each.name}`: {'; '.join(said)}"


def _permissions(needs: Needs) -> str:
    given = {"GET": needs.get, "change": needs.change}
    return ", ".join(f"{verb} {one.name} ({one.least})" for verb, one in given.items() if one)


def test_addresses_are_for_those_who_are_meant(approved: Approval) -> None:
    """A wrong permission of a view would be tested as it is wrong: here somebody has read them."""
    approved(*sorted({in_words(each) for each in ADDRESSES}))


def test_every_address_says_who_may_open_it() -> None:
    assert [each.name for each in ADDRESSES if each.needs is None] == []
    assert {each.name for each in ADDRESSES if each.needs == OPEN} == OPEN_TO_ALL
    assert {each.name for each in OF_STUDY} == set(RULES)
    rules = {(each.name, in_words(each)) for each in ADDRESSES}
    assert len(rules) == len({name for name, _ in rules})


def test_addresses_that_need_not_say_it_are_those_of_participants_and_of_raw_records() -> None:
    """And of the redirects of Django's admin to our login."""
    others = {
        str(each.pattern)
        for each in get_resolver().url_patterns
        if getattr(each, "urlconf_module", None) is not urls
    }
    assert others == {"s/", "admin/login/", "admin/password_change/", "admin/"}
    assert all(f"/{path}".startswith(NOT_OURS) for path in others)
    assert not any(each.path.startswith(NOT_OURS) for each in ADDRESSES)


@pytest.mark.parametrize("role", [*Role, None])
def test_role_may_what_the_matrix_says_and_nothing_else(
    study: Study, woken: Woken, role: Role | None
) -> None:
    client = browser(member(role, study))
    asked = {
        (path, method): expected(role, each.name, method, kind)
        for each in OF_STUDY
        for path, kind in of_each_kind(each)
        for method in ("get", METHODS.get(each.name, "post"))
        # Without a role it does not matter which of both is said first.
        if role or RULES[each.name].of_kind(kind).needed(method.upper())
    }
    got = {(path, method): outcome(client, method, path) for path, method in asked}
    assert got == asked


def of_each_kind(each: Address) -> Iterator[tuple[str, str]]:
    """The path for each kind of job that an address may be about; or for none."""
    kinds = names() if each.needs and each.needs.is_about_job else [""]
    for kind in kinds:
        yield each.path.replace(f"/jobs/{VALUES['<slug:kind>']}/", f"/jobs/{kind}/"), kind


def test_higher_roles_may_all_that_lower_ones_may() -> None:
    may = {role: {each for each in Permission if role.may(each)} for role in Role}
    assert may[Role.VIEWER] < may[Role.ANALYST] < may[Role.EDITOR] < may[Role.OWNER]
    assert may[Role.OWNER] == set(Permission)
    assert Permission.IDENTIFY not in may[Role.ANALYST]


def test_page_without_a_rule_is_refused_to_everybody(
    page: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(views.study, "needs")
    monkeypatch.setattr(StudyCounts, "needs", None)
    said = "{} does not say who may open it, so nobody may."
    for client in (page, Client()):
        answer = client.get("/studies/small/")
        assert answer.status_code == 403
        assert said.format("study") in text_of(answer)
        answer = client.get("/api/studies/small/counts/")
        assert (answer.status_code, answer.json()) == (403, {"detail": said.format("api:counts")})


def test_refusal_is_one_line_that_says_who_may(study: Study) -> None:
    client = browser(member(Role.ANALYST, study))
    told = "Your role in small is analyst. Only owners and editors may change state, thresholds"
    assert told in text_of(client.post("/studies/small/state/", {"state": "paused"}))
    assert "Only owners may give roles" in text_of(client.get("/api/studies/small/members/"))
    study.refresh_from_db()
    assert study.state == Study.State.OPEN


def test_role_holds_for_all_versions_and_for_no_other_study(study: Study) -> None:
    make_study(slug="other")
    client = browser(member(Role.VIEWER, study))
    assert client.get("/studies/small@1/").status_code == 200
    for path in ("/studies/other/", "/api/studies/other/", "/studies/other@1/results/"):
        answer = client.get(path)
        assert answer.status_code == 404
        # It is not said which other studies there are.
        assert "studies here: small@1" in text_of(answer)
    assert [row["slug"] for row in client.get("/api/studies/").json()["results"]] == ["small"]
    assert "other" not in text_of(client.get("/"))


def test_without_a_role_the_list_says_how_to_get_one(study: Study) -> None:
    answer = browser(member(None, study)).get("/")
    assert "You have no role in a study. Its owner can invite you." in text_of(answer)
    assert "small" not in text_of(answer)


def test_deactivated_and_demoted_accounts_lose_everything(study: Study) -> None:
    user = member(Role.OWNER, study)
    client = browser(user)
    User.objects.filter(pk=user.pk).update(is_staff=False)
    assert client.get("/studies/small/").status_code == 403
    User.objects.filter(pk=user.pk).update(is_staff=True, is_active=False)
    assert client.get("/studies/small/").status_code == 302


def targets(html: str) -> Iterator[tuple[str, str]]:
    """Where a page's links and forms lead, with the method."""
    tree = LexborHTMLParser(html)
    for link in tree.css("a[href^='/']"):
        yield link.attributes["href"] or "", "GET"
    for button in tree.css("[formaction]"):
        yield button.attributes["formaction"] or "", "GET"
    for form in tree.css("form"):
        method = (form.attributes.get("method") or "get").upper()
        yield form.attributes.get("action") or "", method
    for live in tree.css("[data-live], [data-outcome]"):
        yield live.attributes.get("data-live") or live.attributes.get("data-outcome") or "", "GET"


def pages_of(role: Role, judge: Judge, run: AnalysisRun) -> Iterator[tuple[str, str]]:
    """The pages that a role may open, of rows that are there."""
    there = {
        "participant": judge.study.participants.get(pseudonym="ann").pk,
        "judge": "stand-in@1",
        "call": judge.calls.first().pk,  # type: ignore[union-attr]  # some are planned
        "run": run.pk,
    }
    for name, path, _ in OF_STUDY:
        rule = RULES[name]
        if name.startswith("api:") or rule.is_download or not rule.get or not role.may(rule.get):
            continue
        asked = resolve(path).kwargs
        yield name, reverse(name, kwargs=asked | {k: v for k, v in there.items() if k in asked})


def offered_and_refused(client: Client, role: Role, pages: set[tuple[str, str]]) -> Wrong:
    """By page, what it offers that the role may not do."""
    wrong: Wrong = {}
    for name, path in pages:
        answer = client.get(path)
        if answer.status_code != 200 or "html" not in answer["Content-Type"]:
            continue
        for address, method in targets(answer.content.decode()):
            where = address.partition("?")[0].partition("#")[0] or path
            try:
                offered = resolve(where).view_name
            except Resolver404:
                continue
            needed = RULES[offered].needed(method) if offered in RULES else Permission.READ
            if needed is None or not role.may(needed):
                wrong.setdefault(name, set()).add(f"{method} {offered}")
    return wrong


@pytest.mark.parametrize("role", [Role.OWNER, Role.EDITOR, Role.ANALYST, Role.VIEWER])
def test_pages_offer_nothing_that_the_role_may_not_do(
    study: Study, run: AnalysisRun, judge: Judge, role: Role
) -> None:
    client, pages = browser(member(role, study)), set(pages_of(role, judge, run))
    assert {"rater", "judge", "call", "gold", "thresholds", "downloads"} < {
        name for name, _ in pages
    }
    assert offered_and_refused(client, role, pages) == {}


def test_preview_of_the_survey_is_for_editors(study: Study) -> None:
    preview = "/s/small/?preview&version=1"
    for number, (role, status) in enumerate(
        [(Role.OWNER, 302), (Role.EDITOR, 302), (Role.ANALYST, 400), (None, 400)]
    ):
        client = browser(member(role, study, name=f"mem{number}"))
        assert client.get(preview).status_code == status, role
    assert Client().get(preview).status_code == 400

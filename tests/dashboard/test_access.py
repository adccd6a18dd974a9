"""Researchers' pages and API are for active staff; everybody else is kept out of all of them."""

from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from pytest_django import Settings

from dashboard.accounts.tokens import create_token
from survey.models import Study
from tests.dashboard.addresses import ADDRESSES, OF_CORPORA, RULES
from tests.dashboard.reading import text_of
from tests.dashboard.second_factors import set_up_app

# Who may open what; test_pages.py opens the pages on every database.
pytestmark = pytest.mark.embedded

#: Logging in and out, of which the second step leads strangers back to the first (see
#: test_second_factor.py). `reachable` is for a phone: see tests/e2e/test_public_address.py; what
#: `invitation` does for strangers is in test_invitations.py. Prolific's events are signed: see
#: test_events.py of recruiting.
OPEN_TO_ALL = {
    *("login", "account_login", "logout", "mfa_authenticate", "reachable", "invitation"),
    "prolific-events",
}
ALL = [each.path for each in ADDRESSES if each.name not in OPEN_TO_ALL]
#: A page about the API is none of its routes.
PAGES = [address for address in ALL if not address.startswith("/api/") or address == "/api/docs/"]
SECURITY = "/account/security/"
#: Its form is at the same address.
UPLOAD = "/studies/small/submissions/"
#: They have no page of their own.
POSTED = [
    each.path
    for each in ADDRESSES
    if (rule := RULES.get(each.name) or OF_CORPORA.get(each.name))
    and rule.get is None
    and not each.name.startswith("api:")
] + ["/account/tokens/1/revoke/"]
METHODS = ("post", "put", "patch", "delete")
API = [address for address in ALL if address not in PAGES]
#: What may be sent, and what is answered to an empty request: the study has no judge.
SENT = {
    **{
        ("post", f"/api/studies/small/{route}"): 202
        for route in ("metrics/", "analysis/", "planning/", "scorer/")
    },
    **{
        ("post", f"/api/studies/small/{route}"): 400
        for route in (
            *(
                "state/",
                "plans/",
                "rehearsal/",
                "decisions/",
                "thresholds/",
                "judges/",
                "gold/",
                "gold/files/",
            ),
            *("multiverse/", "packages/"),  # there is no analysis
            *("scorer/texts/", "perturbations/"),  # nothing was sent
        )
    },
    ("post", "/api/studies/small/judges/judge@1/retry/"): 404,
    # nothing was chosen, and no account is connected to Prolific
    **{
        (method, f"/api/studies/small/{route}"): 400
        for method, routes in {
            "post": (
                *("submissions/", "demographics/", "payments/"),
                *(f"prolific/{step}/" for step in ("draft", "publish", "pause", "resume")),
                *(f"prolific/{step}/" for step in ("places", "invite", "submissions")),
            ),
            "put": (
                *("members/", "payments/terms/", "notices/"),
                *("prolific/draft/", "prolific/events/"),
            ),
            "delete": ("prolific/", "prolific/events/"),
        }.items()
        for route in routes
    },
    **{
        ("post", f"/api/studies/small/{route}"): 404
        for route in (
            *("submissions/1/decide/", "submissions/1/identity/"),
            *("payments/1/settle/", "payments/1/ratings.csv"),
            *("analyses/1/stop/", "planning/1/stop/", "packages/1/stop/", "jobs/plan/1/stop/"),
            "submissions/upload/1/stop/",
        )
    },
    ("post", "/api/corpora/"): 400,
    # there is no corpus and no sample: see test_corpus_roles.py
    **{
        (method, path): 404
        for method, path in product(METHODS, API)
        if path.startswith(("/api/corpora/", "/api/samples/")) and path != "/api/corpora/"
    },
    ("post", "/api/studies/small/raters/ann/identity/"): 200,
    ("post", "/api/studies/small/themes/"): 400,
    ("post", "/api/studies/small/themes/codings/"): 400,
    ("put", "/api/studies/small/themes/codes/1/"): 400,
    ("put", "/api/account/prolific/"): 400,
    ("delete", "/api/account/prolific/"): 204,
    ("delete", "/api/account/tokens/1/"): 404,
    ("post", "/api/account/invitations/"): 400,
    ("post", "/api/studies/small/invitations/"): 400,
    ("delete", "/api/studies/small/invitations/1/"): 404,
}
#: They have nothing to read.
NOT_READ = {
    each.path
    for each in ADDRESSES
    if each.name.startswith("api:")
    and (rule := RULES.get(each.name) or OF_CORPORA.get(each.name))
    and rule.get is None
} | {"/api/account/tokens/1/", "/api/account/invitations/"}


def ask(client: Client, address: str) -> int:
    status: int = answer_of(client, address).status_code
    return status


def answer_of(client: Client, address: str) -> Any:
    """What a page answers to the kind of request that it takes."""
    return (client.post if address in POSTED else client.get)(address)


def asked_alone(client: Client, method: str, address: str) -> Any:
    """The answer to a request that leaves nothing behind for the next one."""
    with transaction.atomic():
        answer = getattr(client, method)(address)
        transaction.set_rollback(True)
    return answer


def test_addresses_hold_what_we_think_they_hold() -> None:
    assert {"/", "/account/tokens/", "/studies/small/", "/studies/small/raters/"} < set(ALL)
    assert {"/studies/small/state/", "/studies/small/packages/prepare/"} < set(POSTED) < set(ALL)
    assert len(PAGES) > 90 and len(API) > 20


def test_pages_ask_strangers_to_log_in(client: Client, study: Study) -> None:
    answers = {address: answer_of(client, address) for address in PAGES}
    assert {at: (answer.status_code, answer["Location"]) for at, answer in answers.items()} == {
        address: (302, f"/login/?next={quote(address)}") for address in PAGES
    }


def test_pages_refuse_people_who_are_no_staff(client: Client, study: Study) -> None:
    client.force_login(User.objects.create_user("guest"))
    assert {at: ask(client, at) for at in PAGES} == dict.fromkeys(PAGES, 403)


def test_refusal_says_whose_pages_these_are(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("guest"))
    answer = client.get("/")
    assert "The account guest has no access." in text_of(answer)
    assert "API tokens" not in text_of(answer)


def test_pages_forget_staff_who_were_deactivated(
    page: Client, researcher: User, study: Study
) -> None:
    User.objects.filter(pk=researcher.pk).update(is_active=False)
    assert {at: ask(page, at) for at in PAGES} == dict.fromkeys(PAGES, 302)


def test_api_refuses_strangers_and_people_who_are_no_staff(client: Client, study: Study) -> None:
    assert {at: ask(client, at) for at in API} == dict.fromkeys(API, 401)
    client.force_login(User.objects.create_user("guest"))
    assert {at: ask(client, at) for at in API} == dict.fromkeys(API, 403)


def test_api_changes_only_what_it_says(page: Client, study: Study) -> None:
    asked = list(product(METHODS, API))
    got = {each: asked_alone(page, *each).status_code for each in asked}
    assert got == {each: SENT.get(each, 405) for each in asked}


def test_required_second_factor_is_set_up_before_any_other_page(
    page: Client, study: Study, settings: Settings
) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    answers = {address: answer_of(page, address) for address in PAGES}
    led = {
        at
        for at, answer in answers.items()
        if (answer.status_code, answer.headers.get("Location")) == (302, SECURITY)
    }
    assert led == {address for address in PAGES if not address.startswith(SECURITY)}


@pytest.mark.parametrize("address", ["/admin/", "/admin/auth/user/", "/nowhere/"])
def test_required_second_factor_is_set_up_before_the_records(
    client: Client, db: None, settings: Settings, address: str
) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    client.force_login(User.objects.create_superuser("root"))
    assert client.get(address).headers.get("Location") == SECURITY


def test_required_second_factor_is_asked_of_sessions_and_not_of_tokens(
    page: Client, researcher: User, study: Study, settings: Settings
) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    assert {at: ask(page, at) for at in API} == dict.fromkeys(API, 403)
    by_token = reading_token(researcher)
    for address in API:
        # The study has no analysis, so no wins; a wave needs an earlier study.
        may_be = (404, 405) if address in NOT_READ else (200, 404)
        answer = by_token.get(address)
        assert answer.status_code in ((400,) if address.endswith("/wave/") else may_be), address


def test_token_that_may_only_read_changes_nothing(researcher: User, study: Study) -> None:
    by_token = reading_token(researcher)
    answers = {each: getattr(by_token, each[0])(each[1]) for each in SENT}
    refused = (403, "The token notebook may only read.")
    assert {
        each: (answer.status_code, answer.json()["detail"]) for each, answer in answers.items()
    } == dict.fromkeys(SENT, refused)


def reading_token(researcher: User) -> Client:
    """A program with a token that may read."""
    token = create_token(user=researcher, name="notebook", expires_at=None)
    return Client(headers={"authorization": f"Token {token}"})


def test_researcher_with_the_required_second_factor_sees_all_pages(
    page: Client, researcher: User, settings: Settings
) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    assert "requires a second factor" in text_of(page.get(SECURITY))
    set_up_app(researcher)
    assert page.get("/").status_code == page.get("/api/studies/").status_code == 200


def test_participant_cookie_opens_no_page(client: Client, study: Study) -> None:
    person = study.participants.get(pseudonym="ann")
    client.cookies["fivefold-small"] = person.secret
    assert {ask(client, address) for address in ALL} == {302, 401}


def test_changes_need_a_form_of_ours(researcher: User, study: Study) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(researcher)
    got = {at: strict.post(at, {"state": "paused"}).status_code for at in POSTED}
    assert got == dict.fromkeys(POSTED, 403)
    study.refresh_from_db()
    assert study.state == Study.State.OPEN


def test_changes_are_not_made_by_following_a_link(page: Client, study: Study) -> None:
    links = [one for one in POSTED if one != UPLOAD]
    assert {at: page.get(at).status_code for at in links} == dict.fromkeys(links, 405)


@pytest.mark.parametrize(
    "name",
    [
        *("missing", "small@9", "small@x", "small@1@1", "small@0", "small@01", "%00", "Small"),
        *("small@9999999999", "small@" + "9" * 25, "small@" + "9" * 5000),
    ],
    ids=lambda name: name[:20],
)
def test_study_that_is_not_there_is_not_found(page: Client, study: Study, name: str) -> None:
    assert page.get(f"/studies/{name}/").status_code == 404
    assert page.get(f"/api/studies/{name}/").status_code == 404


@pytest.mark.parametrize("digits", [19, 25, 5000])
def test_number_that_no_database_can_hold_is_not_found(
    page: Client, study: Study, digits: int
) -> None:
    number = "9" * digits
    assert page.get(f"/studies/small/figures/{number}/ratings_kde.json").status_code == 404
    for query in (f"page={number}", f"page=-{number}"):
        assert page.get(f"/studies/small/raters/?{query}").status_code == 200
    for address in ("studies/", "studies/small/ratings/"):
        for query in (f"limit={number}", f"after={number}", f"before={number}.{number}.1"):
            assert page.get(f"/api/{address}?{query}").status_code == 400


def test_study_is_found_by_slug_and_by_version(page: Client, study: Study) -> None:
    assert page.get("/studies/small/").status_code == 200
    assert page.get("/studies/small@1/").status_code == 200


def test_unknown_page_has_the_navigation_of_researchers_and_of_nobody_else(page: Client) -> None:
    for address in ("/nowhere/", "/studies/nowhere/"):
        answer = page.get(address)
        assert answer.status_code == 404
        assert 'aria-label="Account"' in answer.content.decode()
    for answer in (page.get("/s/nowhere/else/x/"), Client().get("/nowhere/")):
        assert answer.status_code == 404
        assert 'aria-label="Account"' not in answer.content.decode()

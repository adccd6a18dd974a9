"""Submissions and payments of many people: pages say what is counted from all rows, and read no
more from the database for three thousand people than for one thousand.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from statistics import mean, stdev
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from analysis.manual_decisions import decide_on
from benchmarks.crowded.recruiting import recruit
from dashboard.payments import shown_groups
from dashboard.payments.case import MISMATCHES, Case, is_chosen
from dashboard.payments.case_index import index_of
from dashboard.payments.cases import cases_of
from dashboard.payments.facts import endings_by_code, people_with_facts, submissions_with_facts
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.payments.orders import Chosen, confirm
from dashboard.payments.proposing import lines_of, proposed_of, reasons_of
from dashboard.payments.times import times_of
from dashboard.prolific.pay_terms import change_terms
from dashboard.prolific.terms import Terms
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.stored_submissions import store_submissions
from dashboard.raters.submission_lists import ListedSubmission
from dashboard.shared import chunk_counts
from dashboard.shared.chunk_counts import WHOLE
from dashboard.shared.models import ChunkCounts
from survey.models import (
    AttentionCheck,
    Browser,
    Identity,
    Participant,
    Study,
    Submission,
    Withdrawal,
)
from survey.withdrawal import erase_old_keys, withdraw
from tests.dashboard.payments import whole_cases
from tests.dashboard.reading import text_of
from tests.rows_read import Reads, counted_reads
from tests.survey import small_study

CODES = ["DONE1", "NOPE1"]
EVERYTHING = Terms(reward=150, completed_bonus=20, checks_bonus=25, screened_out=14)


@pytest.fixture
def study(db: None) -> Study:
    """Three hundred people of whom each is anything that may be; some are decided or excluded."""
    study = small_study.load()
    recruit(study, 300, codes=CODES, odd_in=1)
    change_terms(study=study, terms=EVERYTHING, author=None)
    draw = random.Random(7)
    submissions = list(SubmissionOnProlific.objects.order_by("id").values_list("pk", flat=True))
    purposes = ("reward", "return", "completed_bonus", "hourly", "never_came", "for the interview")
    for purpose in purposes:
        kind = "bonus" if purpose in purposes[2:4] else "message"
        chosen = [
            Chosen(pk, kind, purpose, "a test", cents=5 if kind == "bonus" else None)
            for pk in draw.sample(submissions, 40)
        ]
        confirm(study=study, decisions=chosen, author=None, by_hand=False, at=timezone.now())
    some = SubmissionDecision.objects.filter(pk__in=range(1, 5000, 7))
    some.update(state=SubmissionDecision.State.REFUSED)
    people = list(study.participants.order_by("pk")[:9])
    decide_on(study=study, participants=people, excluded=True, reason="asked us", at=timezone.now())
    return study


def whole(study: Study) -> list[Case]:
    """All cases, made from all rows. Two submissions of a person stand for any further ones."""
    return [
        replace(one, submissions=min(one.submissions, 2)) for one in whole_cases.cases_of(study)
    ]


# ── What is said ─────────────────────────────────────────────────────────────────────────────────


def test_every_case_is_as_made_whole(study: Study) -> None:
    cases = whole(study)
    assert {name for case in cases for name in case.mismatches} == set(MISMATCHES)
    assert cases_of(study) == cases


def test_filter_shows_the_cases_that_it_is_about(study: Study) -> None:
    index, cases = index_of(study), whole(study)
    for mismatch in ("", "any", "none", *MISMATCHES):
        for status in ("", "APPROVED", "PARTIALLY APPROVED", "nothing"):
            chosen = [place_of(case) for case in cases if is_chosen(case, mismatch, status)]
            found = index.places(partial(is_chosen, mismatch=mismatch, status=status))
            assert list(found) == chosen, (mismatch, status)


def place_of(case: Case) -> tuple[int, int | None]:
    return (1, case.submission) if case.submission else (2, case.person)


def test_page_counts_what_there_is_and_shows_each_page_once(page: Client, study: Study) -> None:
    cases = whole(study)
    shown = text_of(page.get("/studies/small/submissions/"))
    counts = Counter(name for case in cases for name in case.mismatches)
    said = [f"{MISMATCHES[name][0]} ({n})" for name, n in counts.items()]
    said += [f"All ({len(cases)})", f"Any mismatch ({sum(bool(c.mismatches) for c in cases)})"]
    statuses = Counter(case.status for case in cases if case.submission)
    said += [f"{status.lower().capitalize()} ({n})" for status, n in statuses.items()]
    assert [each for each in said if each not in shown] == []
    assert f"1–100 of {len(cases)}" in shown
    last = text_of(page.get("/studies/small/submissions/?page=99"))
    assert f"–{len(cases)} of {len(cases)}" in last


def test_api_lists_every_case_page_by_page(page: Client, study: Study) -> None:
    address, found = "/api/studies/small/submissions/?limit=90", []
    while address:
        answer = page.get(address).json()
        found += [(one["submission"], one["participant"]) for one in answer["results"]]
        address = answer["next"]
    cases = whole(study)
    people = sorted((case for case in cases if case.submission is None), key=_by_person)
    in_order = [case for case in cases if case.submission is not None] + people
    assert found == [(case.submission, case.pseudonym) for case in in_order]


def _by_person(case: Case) -> int:
    return case.person or 0


@pytest.mark.parametrize("terms", [Terms(), Terms(reward=600, completed_bonus=20), EVERYTHING])
def test_proposals_are_those_about_cases_made_whole(study: Study, terms: Terms) -> None:
    change_terms(study=study, terms=terms, author=None)
    expected = whole_cases.proposals(whole(study), terms)
    proposed = proposed_of(study)
    screen = proposed.screen()
    lines = lines_of(study, screen, {one.rule: one.submissions for one in proposed.by_rule})
    assert [line.proposal for line in lines] == expected
    assert len({one.rule for one in expected}) > 10
    reasons = {(group.rule, pk): why for group, pk, why in reasons_of(study, screen)}
    chosen = [one for one in expected if one.rule != "failed_checks"]
    assert reasons == {(one.rule, one.submission): one.why for one in chosen}


def test_times_are_those_of_cases_made_whole(study: Study) -> None:
    cases = whole(study)
    minutes = [one.minutes for one in cases if one.completed_here and one.minutes is not None]
    usual = times_of(study, index_of(study)).usual
    assert usual is not None
    assert (usual.mean, usual.sd) == pytest.approx((mean(minutes), stdev(minutes)))
    assert proposed_of(study).hourly == whole_cases.hourly_of(cases, EVERYTHING)


# ── What is kept of many people ──────────────────────────────────────────────────────────────────


def _finishes(study: Study) -> None:
    going_on = study.participants.filter(status="in_progress")
    person = going_on.earliest("id")
    Participant.objects.filter(pk=person.pk).update(
        status="completed", ending="completed", finished_at=timezone.now()
    )


def _is_turned_away(study: Study) -> None:
    study.participants.filter(status="arrived").update(ending="full")


def _comes_again(study: Study) -> None:
    Submission.objects.create(participant=study.participants.earliest("id"), session_id="again")


def _goes_on_elsewhere(study: Study) -> None:
    person = study.participants.exclude(browsers__goes_on=True).earliest("id")
    Browser.objects.create(participant=person, goes_on=True)


def _fails_a_check(study: Study) -> None:
    person = study.participants.filter(status="in_progress").earliest("id")
    AttentionCheck.objects.create(
        participant=person, name="another", page=99, after_block=1, answer=1, passed=False
    )


def _withdraws(study: Study) -> None:
    withdraw(participant=study.participants.earliest("id"), at=timezone.now())


def _is_read_again(study: Study) -> None:
    row = SubmissionOnProlific.objects.filter(status="APPROVED").earliest("id")
    _read(study, row, status="RETURNED")


def _has_another_code(study: Study) -> None:
    for row in SubmissionOnProlific.objects.exclude(code="DONE1"):
        _read(study, row, code="DONE1")


def _took_longer(study: Study) -> None:
    rows = SubmissionOnProlific.objects.filter(status="APPROVED")
    for row in rows.exclude(completed_at=None)[:20]:
        _read(study, row, completed_at=timezone.now())


def _is_known_of_another_version(study: Study) -> None:
    """Lists are read for all versions: this one tells of its people, too."""
    newer = small_study.load(yaml=small_study.YAML.replace("How warm", "How kind"))
    assert newer.version == study.version + 1
    row = SubmissionOnProlific.objects.filter(status="APPROVED").earliest("id")
    _read(newer, row, status="RETURNED")


def _read(study: Study, row: SubmissionOnProlific, **changes: Any) -> None:
    listed = ListedSubmission(row.submission_id, row.prolific_id, row.status, row.code)
    store_submissions(study, [replace(listed, **changes)], at=timezone.now())


def _keys_are_erased(study: Study) -> None:
    now = timezone.now()
    withdrew = Withdrawal.objects.filter(key__in=SubmissionOnProlific.objects.values("prolific_id"))
    assert withdrew.update(key_kept_until=now - timedelta(days=1))
    erase_old_keys(at=now)


def _has_another_completion_code(study: Study) -> None:
    prolific = {**study.settings["prolific"], "full_code": "NEVER"}
    study.settings = {**study.settings, "prolific": prolific}
    study.save()


CHANGES = [
    *(_finishes, _is_turned_away, _comes_again, _goes_on_elsewhere, _withdraws, _is_read_again),
    *(_has_another_code, _took_longer, _has_another_completion_code, _fails_a_check),
    *(_is_known_of_another_version, _keys_are_erased),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_kept_is_made_again_after_a_change(
    study: Study,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    change: Callable[[Study], None],
) -> None:
    monkeypatch.setattr(chunk_counts, "PEOPLE_IN_CHUNK", 2)
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            proposed_of(study)
    assert ChunkCounts.objects.filter(subject__startswith=WHOLE).count() == 2
    change(study)
    cases = whole(study)
    assert cases_of(study) == cases
    shown = Counter(name for case, n in index_of(study).counted() for name in case.mismatches * n)
    assert shown == Counter(name for case in cases for name in case.mismatches)
    counted = index_of(study).counted()
    checks = Counter(failed for case, n in counted for failed in [case.checks_failed] * n)
    assert checks == Counter(min(case.checks_failed, 2) for case in cases)
    assert proposed_of(study).hourly == whole_cases.hourly_of(cases, EVERYTHING)


def test_who_completes_is_not_taken_for_who_withdrew(
    study: Study, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(chunk_counts, "PEOPLE_IN_CHUNK", 2)
    with django_capture_on_commit_callbacks(execute=True):
        proposed_of(study)
    kept = list(ChunkCounts.objects.all())
    completed = study.participants.filter(status="completed")
    nothing_else = completed.filter(submissions=None).exclude(attention_checks__passed=False)
    person = nothing_else.exclude(browsers__goes_on=True).earliest("id")
    withdraw(participant=person, at=timezone.now())
    ChunkCounts.objects.bulk_create(kept)  # by a page that was asked for before
    recruit_one_more(study)
    assert cases_of(study) == whole(study)


def recruit_one_more(study: Study) -> None:
    """A person who completed before a page was asked for again."""
    now = timezone.now()
    person = Participant.objects.create(
        study=study, source="prolific", status="completed", ending="completed", finished_at=now
    )
    Identity.objects.create(participant=person, slug=study.slug, kind="prolific", key="one more")


def test_withdrawal_erases_what_is_kept(
    study: Study, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(chunk_counts, "PEOPLE_IN_CHUNK", 2)
    with django_capture_on_commit_callbacks(execute=True):
        proposed_of(study)
    _withdraws(study)
    assert not ChunkCounts.objects.filter(subject__startswith=WHOLE).exists()


@pytest.mark.embedded  # PostgreSQL chooses by statistics, which SQLite here never has
def test_people_of_submissions_are_looked_up_by_their_ids(study: Study) -> None:
    codes = endings_by_code(study)
    for rows in (submissions_with_facts(study, codes), people_with_facts(study)):
        _, *looked_up = rows.explain().splitlines()
        of_study_alone = [step for step in looked_up if "(study_id=?)" in step]
        of_slug_alone = [step for step in looked_up if "(slug=?)" in step]
        assert of_study_alone + of_slug_alone == []


@pytest.mark.parametrize("table", [Identity, SubmissionOnProlific])
def test_no_index_has_the_slug_alone(db: None, table: type[Model]) -> None:
    """Without statistics, PostgreSQL takes it for as good as one with the key, and looks at
    everybody for each person.
    """
    with connection.cursor() as cursor:
        indexes = connection.introspection.get_constraints(cursor, table._meta.db_table)
    columns = [each["columns"] for each in indexes.values() if each["index"] or each["unique"]]
    by_slug = [of for of in columns if of[:1] == ["slug"]]
    assert by_slug and ["slug"] not in by_slug


# ── What it costs ────────────────────────────────────────────────────────────────────────────────

ADDRESSES = (
    *("submissions/", "submissions/?page=5", "submissions/?mismatch=any&status=APPROVED"),
    *("payments/", "payments/{order}/", "payments/{order}/state/"),
    "submissions/{submission}/",
)
OF_API = (
    *("submissions/?limit=50", "submissions/?mismatch=gone&limit=50", "payments/"),
    *("payments/proposals/?limit=50", "payments/orders/?limit=50", "payments/{order}/"),
    *("payments/{order}/decisions/?limit=50", "submissions/{submission}/"),
)


def read_by_each(page: Client, author: User, people: int, captured: Any) -> dict[str, Reads]:
    """What each address reads of a study of so many people, once it was opened before."""
    yaml = small_study.YAML.replace("slug: small", f"slug: of-{people}")
    study = small_study.load(yaml=yaml)
    recruit(study, people, codes=CODES, odd_in=1)  # so many that each page is full
    change_terms(study=study, terms=EVERYTHING, author=None)
    rows = SubmissionOnProlific.objects.filter(study=study)
    pks = list(rows.order_by("id").values_list("pk", flat=True)[: people // 2])
    chosen = [Chosen(pk, "bonus", "thanks", "a test", cents=5) for pk in pks]
    order = confirm(study=study, decisions=chosen, author=author, by_hand=True, at=timezone.now())
    PaymentOrder.objects.bulk_create(PaymentOrder(study=study) for _ in range(people // 2))
    names = {"order": order.pk, "submission": pks[0]}
    addresses = [f"/studies/{study.slug}/{each}".format(**names) for each in ADDRESSES]
    addresses += [f"/api/studies/{study.slug}/{each}".format(**names) for each in OF_API]
    found = {}
    for address in addresses:
        with captured(execute=True):
            assert page.get(address).status_code == 200, address
        with counted_reads() as reading:
            page.get(address)
        found[address.replace(study.slug, "study").replace(str(pks[0]), "…")] = reading
    return {name.replace(f"/{order.pk}/", "/…/"): reading for name, reading in found.items()}


@pytest.mark.slow
def test_no_page_reads_more_of_three_thousand_people_than_of_one_thousand(
    page: Client,
    researcher: User,
    django_capture_on_commit_callbacks: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shown_groups, "LINES_SHOWN", 5)  # so that a thousand people fill them
    few, many = (
        read_by_each(page, researcher, people, django_capture_on_commit_callbacks)
        for people in (1000, 3000)
    )
    assert list(few) == list(many)
    more = {
        address: (few[address], many[address])
        for address in few
        if many[address].queries > few[address].queries
        or many[address].rows > few[address].rows + 60
    }
    assert more == {}

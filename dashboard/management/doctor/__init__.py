"""Checks of live data against the rules that every part of Fivefold relies on.

Each check is a function whose docstring is its sentence; it yields what breaks the rule.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from dashboard.management.doctor import answers, files, money, orders, people, runs, versions
from dashboard.management.doctor.violation import Violation

Check = Callable[[], Iterator[Violation]]


class Invariant(NamedTuple):
    """A rule, the checks of it, and what of it no database can tell."""

    title: str
    checks: tuple[Check, ...]
    not_checked: str = ""


INVARIANTS = (
    Invariant(
        "Order is data",
        (
            orders.orders_are_stored,
            orders.orders_are_those_of_the_seed,
            orders.only_responses_of_the_block_are_shown,
        ),
    ),
    Invariant(
        "An acknowledged answer is durable and single",
        (
            answers.no_second_value,
            answers.constraints_are_there,
            answers.answered_pages_are_whole,
            answers.values_are_of_the_page,
            answers.progress_has_answers,
        ),
    ),
    Invariant(
        "A participant's browser gets no name of a model or condition",
        (orders.public_ids_are_random,),
        "what pages send: the tests read it",
    ),
    Invariant(
        "Exclusion never deletes, and withdrawal deletes everything",
        (
            runs.exclusions_belong_to_their_run,
            people.withdrawn_people_are_gone,
            runs.no_result_counts_a_withdrawn_person,
            files.no_zip_outlives_its_row,
        ),
        "rows that were deleted by hand",
    ),
    Invariant(
        "What raters see is frozen by the first real consent",
        (
            versions.studies_are_frozen,
            versions.content_is_what_was_loaded,
            versions.versions_are_not_mixed,
        ),
    ),
    Invariant(
        "A study is a draft, open, paused or closed",
        (versions.drafts_have_test_people_only,),
        "in which state a study was earlier",
    ),
    Invariant(
        "Test people never count",
        (runs.runs_count_their_sources_only, people.slots_are_of_their_pool),
    ),
    Invariant(
        "Every number can be traced",
        (
            runs.finished_runs_say_what_they_are_from,
            runs.hashes_fit,
            runs.gold_is_the_mean_of_its_calls,
            runs.no_lease_ran_out_long_ago,
            files.corpora_are_those_imported,
        ),
    ),
    Invariant(
        "Money is not spent twice knowingly",
        (
            money.no_call_is_answered_twice,
            money.answered_calls_have_scores,
            money.requests_in_flight_have_a_call,
            money.no_purpose_is_paid_twice,
            money.bonuses_fit_their_request,
            money.decisions_are_settled,
        ),
        "what Prolific and endpoints have charged",
    ),
    Invariant(
        "No third party sees a participant",
        (),
        "nothing of it is in the database: the tests open the pages in a browser",
    ),
)

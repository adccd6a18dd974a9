"""Every page, every list of the API and every sweep: what there is to ask of a crowded study.

All come from the URL configuration and from the clock's schedule, so that new ones are asked too.
"""

from collections.abc import Callable, Iterator
from functools import partial
from http.client import METHOD_NOT_ALLOWED

from celery import current_app
from django.conf import settings
from django.contrib.admin import site
from django.db.models import Model
from django.urls import resolve, reverse

from analysis.catalogue.subjects import SUBJECTS
from analysis.models import AnalysisRun, ThemeCode
from dashboard import tasks
from dashboard.payments.models import PaymentOrder
from dashboard.raters.models import SubmissionOnProlific
from survey.models import Study
from tests.dashboard.addresses import Address, addresses_with

#: Rows of a page of the API: fewer than any list has of a thousand people.
ROWS = 10
#: What may cost more the more people there are, by the name of its address, and why.
THRESHOLDS = "what other thresholds would do: the filter decides about every rater again"
EXEMPT = {
    "thresholds": THRESHOLDS,
    "thresholds-outcome": THRESHOLDS,
    "use-thresholds": THRESHOLDS,
    "api:thresholds": THRESHOLDS,
}
#: Names of addresses that have no page in a crowded study, by the reason.
ABSENT = {
    "corpora are of no study": (
        *("corpus", "corpus-job-state", "sample", "generation-state"),
        *("api:corpus", "api:corpus-job", "api:corpus-members", "api:filters", "api:chats"),
        *("api:samples", "api:sample", "api:sample-study", "api:scenarios", "api:responses"),
        *("api:generation", "api:stop-generating", "api:stop-corpus-job"),
    ),
    "the account has no second factor": (
        *("mfa_authenticate", "mfa_deactivate_totp", "mfa_view_recovery_codes"),
        *("mfa_edit_webauthn", "mfa_remove_webauthn"),
    ),
    "of a link that is drawn and sent": ("reachable", "invitation"),
    "leads to another page": ("opening", "rater-called"),
    "no judge was asked": ("call", "api:call"),
    "no package was made": ("api:package",),
    "needs an earlier study": ("api:wave",),
}
#: It ends the session.
NEVER_ASKED = ("logout",)


def why_exempt(address: Address) -> str:
    """Why an address may cost more the more people there are; empty for all others."""
    if address.needs is not None and address.needs.is_download:
        return "a file with everything, streamed"
    return EXEMPT.get(address.name, "")


def why_absent(address: Address, status: int) -> str:
    """Why an answer with this status has nothing to measure; empty if it should have."""
    if status == METHOD_NOT_ALLOWED:
        return "only takes what is sent"
    return next((why for why, names in ABSENT.items() if address.name in names), "")


def pages_of(study: Study) -> list[Address]:
    """What is asked with GET. Lists of the API are asked for their first rows."""
    run = AnalysisRun.objects.filter(study=study).latest("id")
    person = study.participants.order_by("id")[20]
    values = {
        "<study:name>": study.slug,
        "<number:run>": str(run.pk),
        "<slug:kind>": AnalysisRun.NAME,
        "<number:job_id>": str(run.pk),
        "<number:participant>": str(person.pk),
        "<number:submission>": str(_first(SubmissionOnProlific, study)),
        "<number:order>": str(_first(PaymentOrder, study)),
        "<number:code>": str(_first(ThemeCode, study)),
        "<path:pseudonym>": person.pseudonym,
        "<path:rater>": person.pseudonym,
    }
    if page := person.presentations.order_by("page").first():
        values["<number:page>"] = str(page.page)
    if judge := study.judges.order_by("id").first():
        values["<judge:judge>"] = f"{judge.name}@{judge.version}"
    return [
        each._replace(path=_first_rows(each.path))
        for each in _each_subject(addresses_with(values))
        if each.name not in NEVER_ASKED
    ] + records()


def _first(kind: type[Model], study: Study) -> int:
    """The number of the first of this kind that the study has."""
    ids = kind._default_manager.filter(study=study).order_by("id").values_list("id", flat=True)
    return int(ids[0])


def records() -> list[Address]:
    """The lists of raw records in Django's admin."""
    lists = (f"{model._meta.app_label}_{model._meta.model_name}" for model in site._registry)
    return [Address(name, reverse(f"admin:{name}_changelist")) for name in lists]


def _each_subject(addresses: list[Address]) -> Iterator[Address]:
    for each in addresses:
        if each.path.endswith("/results/groups/"):
            for subject in SUBJECTS:
                yield each._replace(path=each.path.replace("/groups/", f"/{subject}/"))
        else:
            yield each


def _first_rows(path: str) -> str:
    view = getattr(resolve(path).func, "view_class", None)
    return f"{path}?limit={ROWS}" if getattr(view, "pagination_class", None) else path


def sweeps(study: Study) -> dict[str, Callable[[], object]]:
    """What the clock starts, and what the sweeps start for a study again and again."""
    schedule = settings.CELERY_BEAT_SCHEDULE
    scheduled = sorted(str(each["task"]) for each in schedule.values())
    current_app.loader.import_default_modules()
    found: dict[str, Callable[[], object]] = {name: current_app.tasks[name] for name in scheduled}
    return found | {
        "dashboard.notices": partial(tasks.notices, study.slug),
        "dashboard.count": partial(tasks.count, study.pk),
    }

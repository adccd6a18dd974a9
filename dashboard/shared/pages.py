"""Shared by all pages of a study: navigation, the choice of participants, waking workers."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from kombu.exceptions import OperationalError

from analysis.catalogue.subjects import (
    DIFFERENCES,
    FIRST_PAGE,
    FLAGS,
    GROUPS,
    METRICS,
    MIXED_MODELS,
    ORDER,
    PERTURBATIONS,
    PRINTED,
    RANKINGS,
    SCORER,
    SYSTEMS,
    THEMES,
)
from analysis.catalogue.subjects import SUBJECTS as RESULTS
from analysis.labels import labels_of
from analysis.recipe_sets import recipes_in_force
from config.celery import wake
from dashboard.shared.addresses import declared
from dashboard.shared.fieldwork import state_in_words, uses_prolific
from dashboard.shared.forms import IncludeForm
from dashboard.shared.newest_analysis import NewestAnalysis, include_query, only_not_counted
from dashboard.shared.roles import Role
from judge.queries import gold_scores
from survey.models import Participant, Response, Study
from survey.refusals import RequestRefused
from survey.tidy import definition_of

#: Pages of results, the main one first.
OF_RESULTS = {
    "results" if subject == FIRST_PAGE else f"results/{subject}": title
    for subject, title in RESULTS.items()
}
#: The pages that only studies on Prolific show.
PROLIFIC, SUBMISSIONS, PAYMENTS = "prolific", "submissions", "payments"
#: … and only with questions that Prolific's demographic export answers.
DEMOGRAPHICS = "demographics"
#: The subjects, and the pages of each: name of the address with what it takes, label.
SUBJECTS = [
    (
        "Overview",
        [
            *(("study", "State"), (PROLIFIC, "Prolific"), ("notices", "E-mail")),
            *(("people", "People"), ("log", "Log")),
        ],
    ),
    (
        "Design",
        [
            *(("texts", "Texts"), ("preview", "Pages"), ("order", "Order")),
            *(("planning", "Planning"), ("policy", "Policy"), ("pilot", "Pilot")),
            *(("versions", "Versions"), ("locked-plan", "Locked plan")),
            ("rehearsal", "Rehearsal"),
        ],
    ),
    (
        "Raters",
        [
            ("raters", "Funnel and list"),
            ("thresholds", "Thresholds"),
            (SUBMISSIONS, "Submissions"),
            (DEMOGRAPHICS, "Prolific demographics"),
            (PAYMENTS, "Payments"),
        ],
    ),
    ("Judges", [("gold", "Scores"), ("agreement", "Agreement"), ("guard", "Guard")]),
    ("Results", [*OF_RESULTS.items(), ("figures", "Figures")]),
    ("Share", [("downloads", "Files")]),
]
#: Where a subject has many pages: those that stand under one entry of its navigation, and in a row
#: of their own once it is chosen. All others are entries themselves.
TOGETHER = {
    "Comparisons": [SYSTEMS, DIFFERENCES, GROUPS, MIXED_MODELS, RANKINGS, FLAGS],
    "Reliability": ["raters", ORDER, PRINTED],
    "Automatic scores": [METRICS, SCORER, PERTURBATIONS],
}
_ENTRIES = {f"results/{page}": entry for entry, pages in TOGETHER.items() for page in pages}
Pages = list[tuple[str, str]]
#: Label, address and `aria-current`.
Link = tuple[str, str, str]


def address(page: str, study: Study) -> str:
    """The address of one of SUBJECTS' pages of a study."""
    name, _, rest = page.partition("/")
    return reverse(name, args=[study, rest] if rest else [study])


def study_page(
    request: HttpRequest, study: Study, page: str, template: str, /, **context: Any
) -> HttpResponse:
    """A page of a study, with its head and navigation. Links keep the choice of people.

    `page` is one of SUBJECTS, `template` a file in templates/dashboard without its ending.
    """
    form = IncludeForm(request.GET)
    choice = include_query(form.chosen) if form.is_valid() else ""
    own = next(pages for _, pages in SUBJECTS if page in dict(pages))
    without = pages_without(study, dict(own))
    own = [
        each
        for each in own
        if each[0] == page or (each[0] not in without and may_open(request, each[0]))
    ]
    context |= {
        "study": study,
        "page_name": page,
        "choice": choice,
        "subjects": [_link(study, label, pages, page) for label, pages in SUBJECTS],
        "navigation": navigation(study, own, page),
        "state_in_words": state_in_words(study),
    }
    context.setdefault("labels", SimpleLazyObject(partial(labels_of, study)))
    return render(request, f"dashboard/{template}.html", context)


def navigation(study: Study, own: Pages, page: str) -> list[tuple[str, list[Link]]]:
    """The rows of links to a subject's own pages, each with what it is about: the entries, and the
    pages together under the entry that `page` is under. A row of one link is left out.
    """
    entries: dict[str, Pages] = {}
    for key, label in own:
        entries.setdefault(_ENTRIES.get(key, label), []).append((key, label))
    rows = [("Pages", [(_name(entry, pages), pages) for entry, pages in entries.items()])]
    for entry, pages in entries.items():
        if page in dict(pages):
            rows.append((entry, [(label, [(key, label)]) for key, label in pages]))
    return [
        (about, [_link(study, label, pages, page) for label, pages in links])
        for about, links in rows
        if len(links) > 1
    ]


def _name(entry: str, pages: Pages) -> str:
    """What an entry is called: one page stands for itself."""
    return entry if len(pages) > 1 else pages[0][1]


def _link(study: Study, label: str, pages: Pages, page: str) -> Link:
    """A link to the first of some pages, while `page` is shown."""
    first, _ = pages[0]
    current = "page" if first == page else "true" if page in dict(pages) else ""
    return label, address(first, study), current


def may_open(request: HttpRequest, page: str) -> bool:
    """Whether the role that a request has may open one of SUBJECTS' pages."""
    role: Role | None = getattr(request, "role", None)
    rule = declared().get(page.partition("/")[0])
    return bool(role and rule and rule.get and role.may(rule.get))


def pages_without(study: Study, pages: Container[str]) -> set[str]:
    """Of some pages those that are about something that the study does not have."""
    if PROLIFIC in pages or SUBMISSIONS in pages:
        if not uses_prolific(study):
            return {PROLIFIC, SUBMISSIONS, DEMOGRAPHICS, PAYMENTS}
        return set() if definition_of(study).prolific_demographics else {DEMOGRAPHICS}
    if f"results/{RANKINGS}" not in pages:
        return set()
    definition = definition_of(study)
    has_responses = Response.objects.filter(scenario__study=study).exists()
    there = {
        SYSTEMS: definition.rating is not None,
        DIFFERENCES: definition.rating is not None,
        MIXED_MODELS: definition.rating is not None,
        RANKINGS: bool(definition.comparing),
        GROUPS: bool(definition.demographics or definition.screening)
        and definition.rating is not None,
        THEMES: bool(definition.free_texts),
        FLAGS: definition.accepts_or_flags,
        METRICS: has_responses,
        SCORER: has_responses and definition.rating is not None,
        PERTURBATIONS: has_responses,
        PRINTED: any(recipe.replication for recipe in recipes_in_force(study)),
    }
    return {f"results/{subject}" for subject, is_there in there.items() if not is_there}


def live_part(
    request: HttpRequest, template: str, context: dict[str, Any], *, is_finished: bool
) -> HttpResponse:
    """The part of a page that is loaded again and again; a header says when it has finished, and
    the page as a whole is to be loaded.
    """
    part = render(request, template, context)
    if is_finished:
        part["X-Finished"] = "1"
    return part


def asked_for(request: HttpRequest) -> list[str] | None:
    """The experts or test people that an address asks for by name; None where it says nothing."""
    form = IncludeForm(request.GET)
    if not form.is_valid():
        raise Http404(form.errors["include"][0])
    return form.chosen


@dataclass(frozen=True)
class _RefusalsTold:
    request: HttpRequest

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, why: BaseException | None, traceback: object) -> bool:
        if isinstance(why, RequestRefused):
            tell_refusal(self.request, why)
        return isinstance(why, RequestRefused)


def refusals_told(request: HttpRequest) -> _RefusalsTold:
    """Tell the person why what is done within was refused, in place of raising it."""
    return _RefusalsTold(request)


def tell_refusal(request: HttpRequest, why: RequestRefused) -> None:
    """Say on the next page why something was not done, and that nothing was changed."""
    for line in why.told:
        messages.error(request, line)


def wake_worker(request: HttpRequest, task_name: str, row: int) -> None:
    """Wake a worker, and tell if the broker does not answer."""
    if problem := try_to_wake(task_name, row):
        messages.error(request, problem)


def tell_of_stop(request: HttpRequest, what: str, *, is_stopped: bool) -> None:
    """Tell what came of a request to stop a job."""
    if is_stopped:
        messages.success(request, f"The {what} was stopped.")
    else:
        messages.info(request, f"Nothing was stopped: the {what} had ended already.")


def try_to_wake(task_name: str, row: int) -> str:
    """Wake a worker; why the broker does not answer, or nothing. The rows are the queue, so a
    silent broker delays work and loses none.
    """
    try:
        wake(task_name, row)
    except OperationalError as error:
        return (
            f"The broker does not answer ({error}). The work is still queued: a worker looks for "
            f"it every {settings.SWEEP_SECONDS:.0f} s."
        )
    return ""


def analysis_page(
    request: HttpRequest,
    study: Study,
    page: str,
    template: str,
    analysis: NewestAnalysis,
    /,
    **context: Any,
) -> HttpResponse:
    """A page about an analysis, with the bar that describes the analysis."""
    gold = gold_scores(study)
    test_people = only_not_counted(study)
    return study_page(
        request,
        study,
        page,
        template,
        analysis=analysis,
        not_counted=Participant.NOT_COUNTED,
        only_not_counted=test_people,
        no_ratings=analysis.of_nobody or (bool(test_people) and not analysis.include),
        stand_in=analysis.stand_in or (gold.source if gold.is_stand_in else ""),
        **context,
    )


def note(request: HttpRequest, notices: Iterable[str]) -> None:
    """Tell what is worth knowing of a file."""
    for notice in notices:
        messages.success(request, f"Note: {notice}")

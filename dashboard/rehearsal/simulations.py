"""Simulated raters that pages and the API ask for: a queue for workers."""

from functools import partial

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from dashboard.rehearsal.models import Simulation
from dashboard.rehearsal.sending import Sending
from dashboard.shared.log import record
from jobs.runner import Store, Taken, Work
from survey.models import Study
from survey.refusals import RefusalKind, RequestRefused
from survey.simulated.profile import SimulationProfile
from survey.simulated.record import Crowd, crowds_of

#: More raters are for `manage.py simulate`: a worker would be busy with them for hours.
MOST_RATERS = 2_000


class NotAsked(RequestRefused):
    """No raters were asked for; the message says why."""

    kind = RefusalKind.LATER


@transaction.atomic
def ask_simulation(*, study: Study, author: User | None, crowd: Crowd) -> Simulation:
    """A simulation that waits for a worker, whom the caller wakes. Raises NotAsked while there is
    one: places and orders depend on who is there.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    newest = simulations_of(study).first()
    if newest is not None and newest.is_under_way:
        raise NotAsked("Simulated raters are on their way: wait until they have ended.")
    record(study, author, "simulation requested", raters=crowd.participants)
    return Simulation.objects.create(
        study=study,
        author=author,
        participants=crowd.participants,
        seed=crowd.seed,
        profile=crowd.profile.model_dump(mode="json"),
        profile_name=crowd.name,
        from_prolific=crowd.from_prolific,
    )


def simulations_of(study: Study) -> QuerySet[Simulation]:
    """The newest first."""
    return Simulation.objects.filter(study=study).order_by("-id")


def next_seed(study: Study) -> int:
    """The first number above all seeds that were used: it gives other raters."""
    asked = simulations_of(study).values_list("seed", flat=True)
    return max([0, *asked, *(crowd.seed for crowd in crowds_of(study))]) + 1


def _send(taken: Taken[Simulation]) -> Store:
    """Send the raters. If the worker is ending, the next one goes on where each rater is."""
    row = taken.job
    profile = SimulationProfile.model_validate(row.profile)
    crowd = Crowd(profile, row.profile_name, row.seed, row.participants, row.from_prolific)
    sending = Sending.of(row.study, crowd, server=settings.SITE_URL)
    ended = len(sending.rota.already)
    for _ in sending.send():
        ended += 1
        taken.keep(ended=ended)
        taken.leave_if_ending()
    return partial(taken.finish, ended=ended, summary=list(sending.summary()))


SENDING = Work(_send)

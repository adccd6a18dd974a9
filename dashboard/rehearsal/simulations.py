"""Simulated raters that pages and the API ask for: a queue for workers."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.db.models import QuerySet

from dashboard.rehearsal.models import Simulation
from dashboard.rehearsal.sending import NotSent, Sending
from dashboard.shared.log import record
from jobs import leases
from jobs.heartbeat import kept
from jobs.leases import Lost
from survey.models import Study
from survey.simulated.profile import SimulationProfile
from survey.simulated.record import Crowd, crowds_of

logger = logging.getLogger(__name__)
#: More raters are for `manage.py simulate`: a worker would be busy with them for hours.
MOST_RATERS = 2_000


class NotAsked(Exception):
    """No raters were asked for; the message says why."""


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


def simulations_to_wake() -> list[int]:
    """Those that wait, or whose worker is lost."""
    return leases.jobs_to_wake(Simulation.objects.all())


def next_seed(study: Study) -> int:
    """The first number above all seeds that were used: it gives other raters."""
    asked = simulations_of(study).values_list("seed", flat=True)
    return max([0, *asked, *(crowd.seed for crowd in crowds_of(study))]) + 1


def simulate(simulation_id: int, *, is_ending: Callable[[], bool] = lambda: False) -> bool:
    """Send the raters of a simulation, or say why they can't be sent. False if there was none to
    take. If the worker `is_ending`, the next one goes on where each rater is.
    """
    row = leases.claim(Simulation.objects.select_related("study"), simulation_id)
    if row is None:
        return False
    profile = SimulationProfile.model_validate(row.profile)
    crowd = Crowd(profile, row.profile_name, row.seed, row.participants, row.from_prolific)
    try:
        with kept(row):
            sending = Sending.of(row.study, crowd, server=settings.SITE_URL)
            ended = len(sending.rota.already)
            for _ in sending.send():
                ended += 1
                if not leases.is_kept(row, ended=ended):
                    raise Lost
                if is_ending():
                    leases.give_back(row)
                    return True
            summary = list(sending.summary())
        leases.finish(row, ended=ended, summary=summary)
    except OperationalError:
        raise  # the database went away or stayed locked: once the lease is over it is tried again
    except Lost:
        logger.info("%s is no longer this worker's", row)
    except NotSent as why:
        leases.refuse(row, str(why))
    except Exception as error:  # whatever it was: the row has to say that it failed
        logger.exception("%s failed", row)
        leases.fail(row, error)
    return True

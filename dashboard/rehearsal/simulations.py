"""Simulated raters that pages and the API ask for: a queue for workers."""

from functools import partial
from itertools import count
from typing import Annotated

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from pydantic import Field

from dashboard.rehearsal.models import Simulation
from dashboard.rehearsal.profiles import DEFAULT, PROFILES, read_profile, shipped
from dashboard.rehearsal.sending import Sending, id_at_local_prolific
from dashboard.shared.log import record
from jobs.runner import Store, Taken
from survey.definition.options import FileEndings, SentFile
from survey.definition.parts import Part
from survey.files.apart import read_apart
from survey.files.yaml_file import YamlFile
from survey.models import Study
from survey.refusals import RefusalKind, RequestRefused
from survey.simulated.profile import SimulationProfile
from survey.simulated.record import Crowd, crowds_of

LARGEST_SEED = 2**31 - 1
#: More raters are for `manage.py simulate`: a worker would be busy with them for hours.
MOST_RATERS = 2_000


class NotAsked(RequestRefused):
    """No raters were asked for; the message says why."""

    kind = RefusalKind.LATER


class NoSuchProfile(RequestRefused):
    """No profile of that name comes with Fivefold."""

    about = "profile"


class TooManyRaters(RequestRefused):
    """A worker would be busy with them for hours."""

    about = "participants"


class CrowdOptions(Part):
    """Simulated raters to be sent."""

    participants: int = Field(title="Simulated raters", ge=1, le=100_000, description="how many")
    seed: int | None = Field(
        default=None,
        ge=0,
        le=LARGEST_SEED,
        description="the same seed gives the same raters; default: one not used yet",
    )
    profile: str = Field(
        default=DEFAULT, description="one of those in examples/profiles, by its file name"
    )
    file: Annotated[SentFile | None, FileEndings(".yaml,.yml")] = Field(
        default=None, title="or your own (YAML)", description="a profile of one's own (YAML)"
    )
    from_prolific: bool = Field(
        default=False,
        title="They come from the local Prolific, and enter their codes there",
        description="they come from the local Prolific at PROLIFIC_URL, where the study is "
        "published, and enter their code there",
    )


def crowd_of(study: Study, options: CrowdOptions) -> tuple[Crowd, list[str]]:
    """The raters that are asked for, and what has no effect in an own profile. Raises
    RequestRefused.
    """
    if options.from_prolific:
        id_at_local_prolific(study)
    if options.file:
        yaml = read_apart(options.file.name, YamlFile, options.file.content, file=options.file.name)
    elif options.profile in shipped():
        yaml = YamlFile.read(PROFILES / options.profile)
    else:
        raise NoSuchProfile(f"There is no profile {options.profile}: {', '.join(shipped())}.")
    profile, notices = read_profile(yaml, study)
    seed = next_seed(study) if options.seed is None else options.seed
    name = options.file.short_name if options.file else options.profile
    crowd = Crowd(profile, name, seed, options.participants, options.from_prolific)
    return crowd, [] if not options.file and options.profile == DEFAULT else notices


def ask_for_raters(
    study: Study, options: CrowdOptions, author: User | None
) -> tuple[Simulation, list[str]]:
    """A simulation that waits for a worker, whom the caller wakes; and what has no effect in an own
    profile. Raises RequestRefused, also while there is one: places and orders depend on who is
    there.
    """
    if options.participants > MOST_RATERS:
        raise TooManyRaters(
            f"At most {MOST_RATERS:,} raters are sent from here; manage.py simulate sends more."
        )
    crowd, notices = crowd_of(study, options)
    return _stored(study, crowd, author), notices


@transaction.atomic
def _stored(study: Study, crowd: Crowd, author: User | None) -> Simulation:
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
    """The first number above all seeds that were used: it gives other raters. Where that is too
    large for one, the first that was not used.
    """
    asked = simulations_of(study).values_list("seed", flat=True)
    used = {0, *asked, *(crowd.seed for crowd in crowds_of(study))}
    after = max(used) + 1
    return after if after <= LARGEST_SEED else next(n for n in count(1) if n not in used)


def send(taken: Taken[Simulation]) -> Store:
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

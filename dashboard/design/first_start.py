"""What a fresh installation starts with: a researcher's account and the example study."""

import os
import secrets
from io import StringIO
from pathlib import Path

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction

from analysis.runs import request_run
from judge.models import Judge
from survey.models import Participant, Study
from survey.queries import study_for_arrivals
from survey.tidy import counted_sources

USERNAME = "researcher"
EXAMPLE = "empathy"
RATERS = 40


def researcher_password(*, kept_in: Path) -> str | None:
    """Create the first account and write its password to a file that only its owner can read.

    Returns the password while it is valid, None after a change of it.
    """
    user = User.objects.filter(username=USERNAME).first()
    if user is None and not User.objects.filter(is_superuser=True).exists():
        password = secrets.token_urlsafe(12)
        descriptor = os.open(kept_in, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{password}\n")
        user = User.objects.create_superuser(USERNAME, password=password)
    if user is None or not kept_in.exists():
        return None
    password = kept_in.read_text().strip()
    return password if user.check_password(password) else None


def load_example(folder: Path) -> None:
    """Load the example and open it as a rehearsal, unless there is any study.

    Its results are asked for with simulated raters in them; from then on they are kept current.
    """
    if Study.objects.exists():
        return
    silence = StringIO()
    with transaction.atomic():
        call_command("load_study", str(folder), stdout=silence)
        call_command("set_study", EXAMPLE, Study.State.OPEN, rehearsal=True, stdout=silence)
        request_run(
            study=Study.objects.get(slug=EXAMPLE),
            sources=counted_sources([Participant.Source.SIMULATED]),
        )


def participants_get() -> Study | None:
    """The version of the example that its link leads to, if there is one."""
    return study_for_arrivals(EXAMPLE)


def needs_raters() -> bool:
    """Whether the rehearsal of the example lacks simulated raters, all or some: a first start was
    interrupted.
    """
    simulated = Participant.objects.filter(study__slug=EXAMPLE, source=Participant.Source.SIMULATED)
    study = participants_get()
    return study is not None and study.is_rehearsing and simulated.count() < RATERS


def was_really_judged() -> bool:
    """Whether a judge that is no stand-in was ever asked about the example: it then stays so."""
    real = Judge.objects.filter(study__slug=EXAMPLE, is_stand_in=False, calls__isnull=False)
    return real.exists()

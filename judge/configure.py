"""Which judge a study has, and where it is asked.

A judge is what its study says about it plus the endpoint and model of this installation. When
any of them changes, a new version of the judge takes over and the scores of the old one stay.
"""

import ipaddress
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from judge import prompts
from judge.definition import JudgeConfiguration, JudgeDefinition
from judge.models import Judge
from judge.queries import gold_judge
from survey.models import Study
from survey.tidy import definition_of


class JudgeNotReady(Exception):
    """A judge can't be asked as things are set up here; the message says what to change."""


def configure_judge(study: Study, definition: JudgeDefinition) -> Judge:
    """Give a study the judge that its file describes, as its gold judge.

    An unchanged description changes nothing, also where it was asked at another endpoint: only
    `current_judge` moves a judge, since that costs a new set of calls.
    """
    gold = gold_judge(study)
    if gold is not None and gold.read_configuration().definition() == definition:
        return gold
    return _use_here(study, definition)


def current_judge(study: Study) -> Judge:
    """The study's gold judge, as this installation asks it; a new version if it must be.

    Raises JudgeNotReady.
    """
    if definition_of(study).rating is None:
        raise JudgeNotReady(f"{study} asks for no ratings, so a judge has none to give")
    gold = gold_judge(study)
    if gold is None:
        raise JudgeNotReady(f"{study} has no judge: load its study folder again")
    return _use_here(study, gold.read_configuration().definition())


def check_endpoint(configuration: JudgeConfiguration) -> None:
    """See that this installation can ask a judge so configured. Raises JudgeNotReady.

    Its key belongs to JUDGE_BASE_URL and is sent nowhere else.
    """
    here = _configuration_here(configuration.definition())
    if configuration.base_url != here.base_url:
        raise JudgeNotReady(
            f"this judge is asked at {configuration.base_url}, but this worker is set up for "
            f"{here.base_url}; `manage.py judge` moves it there as a new version"
        )
    parts = urlsplit(settings.JUDGE_BASE_URL)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise JudgeNotReady(f"JUDGE_BASE_URL {settings.JUDGE_BASE_URL!r} is no http(s) address")
    key = settings.JUDGE_API_KEY
    if not key and not _is_local(parts.hostname):
        raise JudgeNotReady(
            f"JUDGE_API_KEY is missing: {parts.hostname} needs a key. Set it in the environment "
            "or in .env, for this command and for the worker"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise JudgeNotReady("JUDGE_API_KEY has characters that no key has; was it copied whole?")


def _configuration_here(definition: JudgeDefinition) -> JudgeConfiguration:
    """A judge as this installation would ask it. The stand-in is one, wherever it listens."""
    return JudgeConfiguration(
        **definition.model_dump(),
        base_url="stand-in" if settings.JUDGE_STAND_IN else settings.JUDGE_BASE_URL,
        model=settings.JUDGE_MODEL,
        stand_in=settings.JUDGE_STAND_IN,
        prompt_format=prompts.FORMAT,
    )


@transaction.atomic
def _use_here(study: Study, definition: JudgeDefinition) -> Judge:
    """Find or make the version that this installation would ask, and make it the gold judge.

    Other versions are stopped, so that nothing more is spent on them; unused ones go.
    """
    Study.objects.select_for_update().get(pk=study.pk)
    configuration = _configuration_here(definition)
    versions = Judge.objects.filter(study=study, name=definition.name)
    wanted = versions.filter(configuration_hash=configuration.fingerprint())
    versions.exclude(pk__in=wanted).filter(calls=None).delete()
    judge = wanted.first()
    if judge is None:
        newest = versions.order_by("-version").first()
        judge = Judge.objects.create(
            study=study,
            name=definition.name,
            version=newest.version + 1 if newest else 1,
            configuration=configuration.model_dump(),
            configuration_hash=configuration.fingerprint(),
            is_stand_in=configuration.stand_in,
        )
    others = Judge.objects.filter(study=study).exclude(pk=judge.pk)
    others.filter(is_gold=True).update(is_gold=False)
    others.filter(stopped="").update(stopped=f"replaced by {judge}")
    Judge.objects.filter(pk=judge.pk).update(is_gold=True)
    judge.refresh_from_db()
    return judge


def _is_local(host: str) -> bool:
    """Whether a host is this machine or its network, where servers often need no key."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal"))

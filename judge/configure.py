"""Which judge a study has, and where it is asked.

A judge is a study's definition plus the endpoint and model of this installation. When any of
them changes, a new version of the judge takes over and the scores of the old one stay.
"""

import ipaddress
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from judge import prompts
from judge.definition import JudgeConfiguration, JudgeDefinition
from judge.models import Judge
from survey.models import Study


class JudgeNotReady(Exception):
    """A judge can't be asked as things are set up here; the message says what to change."""


def configure_judge(*, study: Study, definition: JudgeDefinition) -> Judge:
    """Find or make the version of a study's judge that this installation would ask; make it gold.

    Earlier versions of it are stopped, so that nothing more is spent on them.
    """
    configuration = JudgeConfiguration(
        **definition.model_dump(include=set(JudgeDefinition.model_fields)),
        base_url=settings.JUDGE_BASE_URL,
        model=settings.JUDGE_MODEL,
        stand_in=settings.JUDGE_STAND_IN,
        prompt_format=prompts.FORMAT,
    )
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        versions = Judge.objects.filter(study=study, name=definition.name)
        judge = versions.filter(configuration_hash=configuration.fingerprint()).first()
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
        Judge.objects.filter(study=study, is_gold=True).exclude(pk=judge.pk).update(is_gold=False)
        Judge.objects.filter(pk=judge.pk).update(is_gold=True)
        versions.exclude(pk=judge.pk).filter(stopped="").update(stopped=f"replaced by {judge}")
        judge.refresh_from_db()
    return judge


def current_judge(study: Study) -> Judge:
    """The study's gold judge, as this installation would ask it now. Raises JudgeNotReady."""
    gold = Judge.objects.filter(study=study, is_gold=True).first()
    if gold is None:
        raise JudgeNotReady(f"{study} has no judge: add a judge section to its study.yaml")
    check_endpoint(settings.JUDGE_BASE_URL)
    return configure_judge(study=study, definition=gold.read_configuration())


def check_endpoint(base_url: str) -> None:
    """See that this installation can ask the endpoint `base_url`. Raises JudgeNotReady.

    The key belongs to JUDGE_BASE_URL and is sent nowhere else.
    """
    if base_url != settings.JUDGE_BASE_URL:
        raise JudgeNotReady(
            f"this judge is asked at {base_url}, but JUDGE_BASE_URL is "
            f"{settings.JUDGE_BASE_URL} here"
        )
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise JudgeNotReady(f"JUDGE_BASE_URL {base_url!r} is not an http(s) address")
    key = settings.JUDGE_API_KEY
    if not key and not _is_local(parts.hostname):
        raise JudgeNotReady(
            f"JUDGE_API_KEY is missing: {parts.hostname} needs a key. Set it in the environment "
            "or in .env, for this command and for the worker"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise JudgeNotReady("JUDGE_API_KEY has characters that no key has; was it copied whole?")


def _is_local(host: str) -> bool:
    """Whether a host is this machine or its network, where servers often need no key."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal"))

"""Which judges a study has, where they are asked, and whose scores are gold.

A judge is what its study says about it plus the endpoint and model of this installation. When
anything changes that its scores depend on, a new version takes over and the scores of the old one
stay.
"""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judge import prompts
from judge.definition import (
    JudgeConfiguration,
    JudgeDefinition,
    JudgingDefinition,
    on_scale_of_study,
)
from judge.definition import configuration_of as configured
from judge.endpoints import EndpointHere, JudgeNotReady, endpoint_here
from judge.gold import choose_gold
from judge.models import Call, Endpoint, Judge, Judging
from judge.queries import current_judges, gold_decision
from survey.models import Study
from survey.tidy import definition_of

NOT_SET_UP = "not set up here: "


@transaction.atomic
def configure_judging(study: Study, definition: JudgingDefinition) -> bool:
    """Give a study the judges that its file describes; whether that changed anything.

    A judge that is no longer in the file is asked no more; its scores stay. The file's gold judge
    becomes the gold one when the file names another than before. An unchanged description changes
    nothing, also where its judges were asked elsewhere: only `move_judges_here` moves them, since
    that costs a new set of calls.
    """
    Study.objects.select_for_update().get(pk=study.pk)
    judging, created = Judging.objects.get_or_create(
        study=study, defaults={"definition": definition.model_dump(mode="json")}
    )
    before = judging.read_definition()
    Judging.objects.select_for_update().get(pk=judging.pk)  # no worker is at its judges now
    changed = created or before != definition
    if changed:
        judging.definition = definition.model_dump(mode="json")
        judging.updated_at = timezone.now()
        judging.save(update_fields=["definition", "updated_at"])
    for judge in definition.judges:
        described = _configuration(study, judge)
        current = _current(study, judge.name)
        if current is None or not _is_updated(current, described, names_model=bool(judge.model)):
            _use(study, described)
    names = [judge.name for judge in definition.judges]
    _retire(Judge.objects.filter(study=study, is_current=True).exclude(name__in=names))
    if gold_decision(study) is None or (changed and before.gold_name != definition.gold_name):
        gold = _current(study, definition.gold_name)
        assert gold is not None
        choose_gold(study, judge=gold, why="named in the study's file")
    return changed


@transaction.atomic
def move_judges_here(study: Study, names: Collection[str] = ()) -> list[Judge]:
    """The study's judges, or those called `names`, as this installation asks them; new versions
    where they must be.

    Raises JudgeNotReady.
    """
    if definition_of(study).rating is None:
        raise JudgeNotReady(f"{study} asks for no ratings, so a judge has none to give")
    judging = Judging.objects.filter(study=study).first()
    if judging is None:
        raise JudgeNotReady(f"{study} has no judge: load its study folder again")
    Study.objects.select_for_update().get(pk=study.pk)
    Judging.objects.select_for_update().get(pk=judging.pk)  # no worker is at its judges now
    for judge in judging.read_definition().judges:
        if not names or judge.name in names:
            endpoint_here(judge.endpoint)
            _use(study, _configuration(study, judge))
    return [judge for judge in current_judges(study) if not names or judge.name in names]


def retire_judges(study: Study) -> None:
    """Have nobody asked any more: there is nothing to judge. What was scored stays."""
    _retire(Judge.objects.filter(study=study, is_current=True))


def _configuration(study: Study, judge: JudgeDefinition) -> JudgeConfiguration:
    """A judge as this installation would ask it."""
    try:
        here = endpoint_here(judge.endpoint)
    except JudgeNotReady:  # said when somebody wants to ask it; a study can be read all the same
        unknown = f"{NOT_SET_UP}{judge.endpoint}"
        here = EndpointHere(judge.endpoint, unknown, "", judge.model or unknown, 1, False)
    return configured(
        judge,
        definition_of(study),
        base_url=here.identity,
        model=here.model if here.stand_in else judge.model or here.model,
        stand_in=here.stand_in,
        prompt_format=prompts.FORMAT,
    )


def _is_updated(judge: Judge, described: JudgeConfiguration, *, names_model: bool) -> bool:
    """Whether a judge is as described but for where it is asked; what stands aside is updated."""
    known = judge.read_configuration()
    where = {"base_url", "stand_in", "prompt_format"}
    if known.stand_in or not names_model:
        where.add("model")  # the installation's choice
    moved = described.model_copy(update=known.model_dump(include=where))
    if moved.fingerprint() != known.fingerprint():
        return False
    judge.configuration = moved.model_dump(mode="json")
    judge.save(update_fields=["configuration"])
    return True


def _current(study: Study, name: str) -> Judge | None:
    return Judge.objects.filter(study=study, name=name, is_current=True).first()


def _use(study: Study, configuration: JudgeConfiguration) -> Judge:
    """Find or make the version of a judge that is so configured, and make it the current one.

    The others are stopped, so that nothing more is spent on them. A version that was never asked
    is no version yet: it changes. Gold scores that a version has stay the gold ones until
    somebody decides otherwise.
    """
    versions = Judge.objects.filter(study=study, name=configuration.name)
    replaced = versions.filter(is_current=True).first()
    configuration, judge = _known_version(versions, configuration)
    if judge is None:
        judge = replaced if replaced is not None and not replaced.calls.exists() else None
        judge = judge or Judge(study=study, name=configuration.name, version=_next(versions))
        judge.endpoint, _ = Endpoint.objects.get_or_create(base_url=configuration.base_url)
        judge.configuration_hash = configuration.fingerprint()
        judge.model = configuration.model[:200]
        judge.is_stand_in = configuration.stand_in
    _retire(versions.exclude(pk=judge.pk), f"replaced by {judge}")
    if not judge.is_current:
        judge.stopped = ""
    judge.configuration = configuration.model_dump(mode="json")
    judge.is_current = True
    judge.save()
    decision = gold_decision(study)
    if replaced is not None and decision is not None and decision.judge == replaced != judge:
        on_scale = on_scale_of_study(configuration.scale, definition_of(study))
        if on_scale and not replaced.calls.filter(state=Call.State.ANSWERED).exists():
            why = f"takes the place of {replaced}, which has no scores"
            choose_gold(study, judge=judge, why=why)
    return judge


def _known_version(
    versions: QuerySet[Judge], configuration: JudgeConfiguration
) -> tuple[JudgeConfiguration, Judge | None]:
    """The version that is so configured, if there is one, and its configuration.

    One that was asked in an earlier format, which can still be asked in, goes on in that: another
    format is no reason to ask and pay for everything again.
    """
    for known in prompts.FORMATS:
        described = configuration.model_copy(update={"prompt_format": known})
        judge = versions.filter(configuration_hash=described.fingerprint()).first()
        if judge is not None and (known == configuration.prompt_format or judge.calls.exists()):
            return described, judge
    return configuration, None


def _next(versions: QuerySet[Judge]) -> int:
    newest = versions.order_by("-version").first()
    return newest.version + 1 if newest else 1


def _retire(judges: QuerySet[Judge], why: str = "no longer in the study's file") -> None:
    """Nobody asks these any more; their scores stay."""
    judges.filter(stopped="").update(stopped=why)
    judges.update(is_current=False)

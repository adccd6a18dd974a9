"""A study's judges, their endpoints, and its gold source.

A judge is its description in the study plus the endpoint and model of this installation. When
anything that its scores depend on changes, a new version replaces it; the old scores stay.
"""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judge import prompts
from judge.configuration import JudgeConfiguration
from judge.configuration import configuration_of as configured
from judge.definition import JudgeDefinition, JudgingDefinition, on_scale_of_study
from judge.drawing import with_examples
from judge.endpoints import EndpointHere, JudgeNotReady, endpoint_here, stand_in_here
from judge.gold import choose_gold
from judge.juries import seat_juries
from judge.models import Call, Endpoint, Judge, Judging
from judge.queries import current_judges, gold_decision, gold_source
from survey.files.names import in_one_form
from survey.models import Study
from survey.tidy import definition_of

NOT_SET_UP = "not set up here: "


@transaction.atomic
def configure_judging(study: Study, definition: JudgingDefinition) -> bool:
    """Create or update the judges of a study's file; returns whether anything changed.

    A judge that is no longer in the file makes no more calls; its scores stay. If the file has a
    new gold judge, that judge becomes gold; if it has no judge, no judge is gold. An unchanged
    description changes nothing, even if its judges used another endpoint: only `move_judges_here`
    moves them, because that costs a new set of calls.
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
        current = _current(study, judge.name)
        if current is None or not _is_updated(current, judge):
            _use(study, judge)
    names = [judge.name for judge in definition.judges]
    _retire(Judge.objects.filter(study=study, is_current=True).exclude(name__in=names))
    seat_juries(study, definition)
    if not definition.judges:
        _without_judge(study)
    elif gold_decision(study) is None or (changed and before.gold_name != definition.gold_name):
        gold = _current(study, definition.gold_name)
        jury = study.juries.filter(name=definition.gold_name, is_current=True).first()
        choose_gold(study, judge=gold, jury=jury, why="named in the study's file")
    return changed


def _without_judge(study: Study) -> None:
    """Have no judge's scores as gold; those of a file or a panel stay so."""
    source = gold_source(study)
    if source is not None and (source.judge or source.jury):
        choose_gold(study, why="the study's file says that it has no judge")


@transaction.atomic
def move_judges_here(
    study: Study, names: Collection[str] = (), *, to_stand_in: bool = False
) -> list[Judge]:
    """The study's judges, or those called `names`, with this installation's endpoints, or all with
    its stand-in; new versions if necessary.

    Raises JudgeNotReady.
    """
    if definition_of(study).rating is None:
        raise JudgeNotReady(f"{study} has no ratings, so a judge cannot score it")
    judging = Judging.objects.filter(study=study).first()
    if judging is None:
        raise JudgeNotReady(f"{study} has no judge: load its study folder again")
    if not judging.read_definition().judges:
        raise JudgeNotReady(f"{study} has no judge, as its study.yaml says (judging: none)")
    Study.objects.select_for_update().get(pk=study.pk)
    Judging.objects.select_for_update().get(pk=judging.pk)  # no worker is at its judges now
    for judge in judging.read_definition().judges:
        if not names or judge.name in names:
            here = stand_in_here() if to_stand_in else endpoint_here(judge.endpoint)
            _use(study, judge, here=here)
    seat_juries(study, judging.read_definition())
    return [judge for judge in current_judges(study) if not names or judge.name in names]


def retire_judges(study: Study) -> None:
    """Stop all judges, because there is nothing to judge. Scores stay."""
    _retire(Judge.objects.filter(study=study, is_current=True))
    study.juries.update(is_current=False)


def _configuration(
    study: Study,
    judge: JudgeDefinition,
    *,
    here: EndpointHere | None = None,
    prompt_format: int = prompts.FORMAT,
) -> JudgeConfiguration:
    """A judge's configuration in this installation, in a format of prompts. Raises JudgeNotReady if
    it is to be asked `here` and has no examples yet.
    """
    must_be_ready = here is not None
    try:
        here = here or endpoint_here(judge.endpoint)
    except JudgeNotReady:  # reported when the judge is used; the study can be loaded without it
        unknown = f"{NOT_SET_UP}{judge.endpoint}"
        here = EndpointHere(judge.endpoint, unknown, "", judge.model or unknown, 1, False)
    configuration = configured(
        judge,
        definition_of(study),
        base_url=here.identity,
        model=here.model if here.stand_in else judge.model or here.model,
        stand_in=here.stand_in,
        prompt_format=prompt_format,
    )
    try:
        return with_examples(study, configuration)
    except JudgeNotReady:  # a study is loaded before its panel can rate
        if must_be_ready:
            raise
        return configuration


def _is_updated(judge: Judge, definition: JudgeDefinition) -> bool:
    """Whether a judge is as described, apart from its endpoint; updates fields without effect on
    scores.
    """
    known = judge.read_configuration()
    if known.prompt_format not in prompts.FORMATS:
        return False
    described = _configuration(judge.study, definition, prompt_format=known.prompt_format)
    where = {"base_url", "stand_in"}
    if known.stand_in or not definition.model:
        where.add("model")  # the installation's choice
    moved = described.model_copy(update=known.model_dump(include=where))
    if _in_one_form(moved) != _in_one_form(known):
        return False
    others = Judge.objects.filter(study=judge.study, name=judge.name).exclude(pk=judge.pk)
    if others.filter(configuration_hash=moved.fingerprint()).exists():
        return False  # it was described so before
    judge.configuration = moved.model_dump(mode="json")
    judge.configuration_hash = moved.fingerprint()
    judge.save(update_fields=["configuration", "configuration_hash"])
    return True


def _in_one_form(configuration: JudgeConfiguration) -> str:
    """What can influence a score, however its texts write their accents: that alone is no reason to
    pay for all calls again.
    """
    plain = in_one_form(configuration.model_dump(mode="json"))
    return JudgeConfiguration.model_validate(plain).fingerprint()


def _current(study: Study, name: str) -> Judge | None:
    return Judge.objects.filter(study=study, name=name, is_current=True).first()


def _use(study: Study, definition: JudgeDefinition, *, here: EndpointHere | None = None) -> Judge:
    """Find or create the version of a judge as described, and make it current.

    Other versions are stopped, so they cost nothing more. A version without calls is changed
    instead of replaced. A version's gold scores stay gold until a person chooses others.
    """
    versions = Judge.objects.filter(study=study, name=definition.name)
    replaced = versions.filter(is_current=True).first()
    configuration, judge = _known_version(study, versions, definition, here)
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
        on_scale = on_scale_of_study(configuration, definition_of(study))
        if on_scale and not replaced.calls.filter(state=Call.State.ANSWERED).exists():
            why = f"replaces {replaced}, which has no scores"
            choose_gold(study, judge=judge, why=why)
    return judge


def _known_version(
    study: Study,
    versions: QuerySet[Judge],
    definition: JudgeDefinition,
    here: EndpointHere | None,
) -> tuple[JudgeConfiguration, Judge | None]:
    """The configuration of a judge as described, and its version, if there is one.

    A version in an earlier format that is still supported keeps it: a new format alone is no reason
    to make and pay for all calls again.
    """
    newest = _configuration(study, definition, here=here)
    for known in prompts.FORMATS:
        described = newest
        if known != prompts.FORMAT:
            described = _configuration(study, definition, here=here, prompt_format=known)
        judge = versions.filter(configuration_hash=described.fingerprint()).first()
        if judge is not None and (known == prompts.FORMAT or judge.calls.exists()):
            return described, judge
    return newest, None


def _next(versions: QuerySet[Judge]) -> int:
    newest = versions.order_by("-version").first()
    return newest.version + 1 if newest else 1


def _retire(judges: QuerySet[Judge], why: str = "no longer in the study's file") -> None:
    """Stop these judges; their scores stay."""
    judges.filter(stopped="").update(stopped=why)
    judges.update(is_current=False)

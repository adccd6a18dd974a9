"""Planning the texts of a sample, queueing them, and how far they are."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import chain

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from corpus.definition import (
    GeneratingModel,
    GenerationDefinition,
    GeneratorConfiguration,
    approximate_tokens,
    read_definition,
    served_as,
)
from corpus.generations import spent_on, wanted
from corpus.models import Generation, GenerationAttempt, Generator, Sample, SampledScenario
from corpus.options import GenerationOptions
from corpus.problems import CorpusProblem
from judge import endpoint_traits
from judge.asking import ended_incomplete, request_again, without_incomplete
from judge.completions import Ended
from judge.endpoints import JudgeNotReady, endpoint_here, endpoint_if_set_up, ready_endpoint
from judge.exchange import Tokens
from judge.models import Endpoint
from judge.prompts import prompt_hash
from judge.spending import Spent, priced

State = Generation.State
#: Rows that are written at once.
AT_ONCE = 1000


@dataclass(frozen=True)
class PlannedSystem:
    """A system of the generation file, what generates its texts, and how many these are."""

    model: str
    condition: str
    generator: Generator
    #: The model and its address, which `plan_only` does not keep.
    asked_as: str
    texts: int
    #: Those that are to be asked for.
    missing: int
    #: US dollars for the missing ones; None if unknown.
    cost: Decimal | None
    #: Numbers of those that are not asked for again, because they were refused, filtered or cut
    #: off.
    incomplete: dict[str, int]


@dataclass(frozen=True)
class Progress:
    """How far the wanted texts are."""

    total: int
    answered: int
    failed: int
    running: int
    attempts: int
    spent: Spent
    #: Why generators are stopped, each reason once.
    stopped: tuple[str, ...]
    last_error: str
    #: Numbers of cut-off, filtered and refused texts; of notices about the answered ones.
    endings: dict[str, int]
    notices: dict[str, int]
    #: Numbers of failed texts that are not asked for again by themselves: see `queue`.
    incomplete: dict[str, int]

    @property
    def is_over(self) -> bool:
        """Whether nothing is left that a worker would do."""
        waiting = self.total - self.answered - self.failed
        return waiting == 0 or (bool(self.stopped) and self.running == 0)


@transaction.atomic
def plan(
    sample: Sample, definition: GenerationDefinition, *, retry: bool = False
) -> list[PlannedSystem]:
    """Make `definition` that of a sample: texts that it asks for are planned, others are no longer
    wanted. Answered ones stay. Those that were refused, filtered or cut off are missing only with
    `retry`. Raises CorpusProblem before anything is changed.
    """
    configurations = {}
    for system, model in definition.systems.items():
        try:
            configurations[system] = configuration_of(definition, model, system[1])
        except JudgeNotReady as problem:
            raise CorpusProblem(f"endpoint of model {model.name!r}: {problem}") from None
    _check_differ(configurations)
    held = Sample.objects.select_for_update().get(pk=sample.pk)
    held.generation = definition.model_dump_json(exclude_unset=True)
    held.save(update_fields=["generation"])
    sample.generation = held.generation
    scenarios = list(sample.scenarios.all())
    Generation.objects.filter(generator__sample=sample, is_wanted=True).update(is_wanted=False)
    return [
        _plan_system(sample, definition, scenarios, system, configuration, retry=retry)
        for system, configuration in configurations.items()
    ]


def _check_differ(configurations: dict[tuple[str, str], GeneratorConfiguration]) -> None:
    """Raise CorpusProblem if two models would have the same texts."""
    seen: dict[tuple[str, str], str] = {}
    for (model, condition), configuration in configurations.items():
        other = seen.setdefault((configuration.fingerprint(), condition), model)
        if other != model:
            raise CorpusProblem(
                f"models {other!r} and {model!r} are both {configuration.model!r} at "
                f"{configuration.base_url} under condition {condition!r}; correct served_as or "
                "endpoint of one of them"
            )


def configuration_of(
    definition: GenerationDefinition, model: GeneratingModel, condition: str
) -> GeneratorConfiguration:
    """What generates a system's texts in this installation. Raises JudgeNotReady."""
    here = ready_endpoint(model.endpoint)
    sampling = definition.sampling_of(model, condition)
    return GeneratorConfiguration(
        base_url=here.identity,
        model=served_as(model, condition, here.model),
        temperature=sampling.temperature,
        max_tokens=sampling.max_tokens,
        seed=sampling.seed,
        options=sampling.options,
        endpoint=model.endpoint,
        price=model.price,
    )


def _plan_system(
    sample: Sample,
    definition: GenerationDefinition,
    scenarios: list[SampledScenario],
    system: tuple[str, str],
    configuration: GeneratorConfiguration,
    *,
    retry: bool,
) -> PlannedSystem:
    model, condition = system
    endpoint, _ = Endpoint.objects.get_or_create(base_url=configuration.base_url)
    generator, created = Generator.objects.get_or_create(
        sample=sample,
        configuration_hash=configuration.fingerprint(),
        defaults={
            "endpoint": endpoint,
            "model": configuration.model[:200],
            "configuration": configuration.model_dump(mode="json"),
        },
    )
    if not created:  # its price or the endpoint's name may be another one
        generator.configuration = configuration.model_dump(mode="json")
        generator.save(update_fields=["configuration"])
    hashes, asked, answered = {}, 0, 0
    for scenario in scenarios:
        messages = definition.messages(condition, prompt=scenario.prompt, context=scenario.context)
        hashes[scenario.pk] = prompt_hash(messages)
        tokens = approximate_tokens(messages, configuration.max_tokens)
        asked, answered = asked + tokens[0], answered + tokens[1]
    replicates = range(1, definition.replicates + 1)
    Generation.objects.bulk_create(
        (
            Generation(
                generator=generator,
                scenario_id=scenario,
                condition=condition,
                prompt_hash=hashed,
                replicate=replicate,
            )
            for scenario, hashed in hashes.items()
            for replicate in replicates
        ),
        batch_size=AT_ONCE,
        ignore_conflicts=True,
    )
    texts = Generation.objects.filter(
        generator=generator,
        condition=condition,
        replicate__lte=definition.replicates,
        prompt_hash__in=set(hashes.values()),
    )
    texts.update(is_wanted=True)
    total = len(hashes) * definition.replicates
    incomplete = {} if retry else ended_incomplete(texts)
    missing = texts.exclude(state=State.ANSWERED).count() - sum(incomplete.values())
    cost = None
    if configuration.price is not None and scenarios:
        each = Tokens(asked // len(scenarios), answered // len(scenarios))
        cost = priced(configuration.price, each) * missing
    asked_as = f"{configuration.model} at {configuration.base_url}"
    return PlannedSystem(model, condition, generator, asked_as, total, missing, cost, incomplete)


def asked_definition(sample: Sample, options: GenerationOptions) -> GenerationDefinition:
    """The generation file that is given, else the last one of a sample. Raises DefinitionError and
    CorpusProblem.
    """
    definition = read_definition(options.file) if options.file else sample.read_generation()
    if definition is None:
        raise CorpusProblem(f"sample {sample} has no generation file yet; give one")
    return definition


def plan_asked(
    sample: Sample, definition: GenerationDefinition, options: GenerationOptions
) -> list[PlannedSystem]:
    """`plan`, or `plan_only` for a dry run. Raises CorpusProblem, which names the file."""
    planning = plan_only if options.dry_run else plan
    try:
        return planning(sample, definition, retry=options.retry)
    except CorpusProblem as problem:
        about = options.file.name if options.file else sample
        raise CorpusProblem(f"{about}: {problem}") from None


def plan_only(
    sample: Sample, definition: GenerationDefinition, *, retry: bool = False
) -> list[PlannedSystem]:
    """What `plan` would do; nothing is changed. Raises CorpusProblem."""
    with transaction.atomic():
        planned = plan(sample, definition, retry=retry)
        transaction.set_rollback(True)
    sample.refresh_from_db(fields=["generation"])
    return planned


def total_cost(planned: list[PlannedSystem]) -> Decimal | None:
    """US dollars for all missing texts whose cost is known; None if that of none is."""
    known = [each.cost for each in planned if each.cost is not None]
    return sum(known, Decimal(0)) if known else None


def not_asked_again(planned: list[PlannedSystem]) -> dict[str, int]:
    """Numbers of planned texts that were refused, filtered or cut off and are not asked again."""
    counts: Counter[str] = Counter()
    for each in planned:
        counts.update(each.incomplete)
    return dict(counts)


def queue(planned: list[PlannedSystem], *, retry: bool = False) -> list[Generator]:
    """Queue missing texts, failed ones again from the start; those that were refused, filtered or
    cut off only with `retry`. Restart stopped generators.
    """
    generators = list({each.generator.pk: each.generator for each in planned}.values())
    for generator in generators:
        with transaction.atomic():
            Sample.objects.select_for_update().get(pk=generator.sample_id)
            Endpoint.objects.select_for_update().get(pk=generator.endpoint_id)
            failed = wanted(generator).filter(state=State.FAILED)
            request_again(generator, failed if retry else without_incomplete(failed))
    return generators


def progress(sample: Sample) -> Progress:
    """How far the wanted texts of a sample are."""
    texts = Generation.objects.filter(generator__sample=sample, is_wanted=True)
    counts = texts.order_by().aggregate(
        total=Count("id"),
        **{state.value: Count("id", filter=Q(state=state)) for state in State},
    )
    attempts = GenerationAttempt.objects.filter(call__generator__sample=sample)
    last = attempts.exclude(error="").order_by("-id").values_list("error", flat=True).first()
    working = Generator.objects.filter(sample=sample, calls__is_wanted=True).distinct()
    reasons = working.exclude(stopped="").values_list("stopped", flat=True)
    return Progress(
        total=counts["total"],
        answered=counts["answered"],
        failed=counts["failed"],
        running=counts["running"],
        attempts=attempts.count(),
        spent=spent_on(sample),
        stopped=tuple(dict.fromkeys(reasons)),
        last_error=last or "",
        endings=_endings(texts),
        notices=_notices(texts),
        incomplete=ended_incomplete(texts),
    )


def _endings(texts: QuerySet[Generation]) -> dict[str, int]:
    """How texts ended that are not whole, most frequent first."""
    counted = texts.exclude(ended__in=("", Ended.COMPLETE)).order_by().values_list("ended")
    return dict(counted.annotate(n=Count("id")).order_by("-n", "ended"))


def _notices(texts: QuerySet[Generation]) -> dict[str, int]:
    """How often something was odd about the texts that are there, most frequent first."""
    noted = texts.filter(state=State.ANSWERED).exclude(notices=[]).order_by()
    counted = Counter(chain.from_iterable(noted.values_list("notices", flat=True)))
    return dict(counted.most_common())


def not_accepted(sample: Sample) -> list[str]:
    """What endpoints of a sample's models do not accept of requests, a line for each."""
    lines = []
    working = Generator.objects.filter(sample=sample, calls__is_wanted=True).distinct()
    for generator in working.select_related("endpoint"):
        name = generator.read_configuration().endpoint
        here = endpoint_if_set_up(partial(endpoint_here, name))
        traits = endpoint_traits.not_accepted(generator.endpoint, generator.model, here)
        lines += [f"{generator}: {each}" for each in traits]
    return list(dict.fromkeys(lines))


def failure_reasons(sample: Sample) -> list[tuple[str, int]]:
    """Why texts have failed, the most frequent first."""
    failed = Generation.objects.filter(generator__sample=sample, is_wanted=True, state=State.FAILED)
    counted = failed.order_by().values_list("error").annotate(n=Count("id")).order_by("-n", "error")
    return [(reason, n) for reason, n in counted]


@dataclass(frozen=True)
class Written:
    """A text with what its study and its record need."""

    model: str
    condition: str
    generation: Generation

    @property
    def attempt(self) -> GenerationAttempt | None:
        """The request that it came back for, else the last one."""
        attempts = list(reversed(self.generation.attempts.all()))
        came = (each for each in attempts if each.outcome in GenerationAttempt.CAME_BACK)
        return next(came, next(iter(attempts), None))


def wanted_texts(sample: Sample, definition: GenerationDefinition) -> Iterator[Written]:
    """The texts that a sample's file asks for, those without an answer too, system by system."""
    for (name, condition), model in definition.systems.items():
        configuration = configuration_of(definition, model, condition)
        texts = Generation.objects.filter(
            generator__sample=sample,
            generator__configuration_hash=configuration.fingerprint(),
            condition=condition,
            is_wanted=True,
        )
        about = texts.select_related("scenario__sample__corpus", "generator__endpoint")
        for text in about.prefetch_related("attempts").order_by("scenario__position", "replicate"):
            yield Written(name, condition, text)

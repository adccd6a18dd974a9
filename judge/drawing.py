"""The examples of a judge, drawn once from what people or a file said."""

from collections import defaultdict
from collections.abc import Sequence

from judge.configuration import JudgeConfiguration
from judge.endpoints import JudgeNotReady
from judge.examples import ExamplesDefinition, RatedExample, TooFewExamples, choose_examples
from judge.models import GoldSet, Judge
from judge.queries import GoldSource, scores_of
from survey.models import Response, Study
from survey.tidy import panels_of


def with_examples(study: Study, configuration: JudgeConfiguration) -> JudgeConfiguration:
    """A configuration with the examples that it describes: those of an earlier version with the
    same description, or newly drawn ones.

    So later ratings change no judge by themselves. Raises JudgeNotReady if there are too few
    ratings.
    """
    described = configuration.examples
    if described is None:
        return configuration
    drawn = _known(study, configuration)
    if drawn is None:
        drawn = _draw(study, configuration.name, described, configuration)
    return configuration.model_copy(update={"drawn": drawn})


def _known(study: Study, configuration: JudgeConfiguration) -> list[RatedExample] | None:
    """The examples of the newest version that was asked with them."""
    versions = Judge.objects.filter(study=study, name=configuration.name)
    for judge in versions.order_by("-is_current", "-version"):
        known = judge.read_configuration()
        same = known.examples == configuration.examples and known.drawn
        if same and set(known.questions) == set(configuration.questions) and judge.calls.exists():
            return known.drawn
    return None


def _draw(
    study: Study, name: str, described: ExamplesDefinition, configuration: JudgeConfiguration
) -> list[RatedExample]:
    candidates = _candidates(study, described, configuration.dimensions, configuration.values)
    try:
        return choose_examples(candidates, number=described.number, seed=described.seed)
    except TooFewExamples as problem:
        raise JudgeNotReady(
            f"judge {name} has no examples yet: of {described.source}, {problem}; collect more "
            "ratings, or change examples.number in study.yaml and load it"
        ) from None


def _candidates(
    study: Study, described: ExamplesDefinition, dimensions: Sequence[str], values: Sequence[int]
) -> list[RatedExample]:
    """Every response that the source rated on all of these dimensions, with the points of the scale
    next to its means.
    """
    scores: dict[int, dict[str, int]] = defaultdict(dict)
    source = _source(study, described.source)
    for gold in scores_of(study, source).scores if source else []:
        nearest = min(values, key=lambda value: (abs(value - gold.value), value))
        scores[gold.response_id][gold.dimension] = nearest
    responses = Response.objects.filter(pk__in=scores).select_related("scenario")
    return [
        RatedExample(
            scenario=response.scenario.name,
            prompt=response.scenario.prompt,
            context=response.scenario.context,
            response=response.text,
            scores={name: scores[response.pk][name] for name in dimensions},
        )
        for response in responses
        if set(dimensions) <= scores[response.pk].keys()
    ]


def _source(study: Study, key: str) -> GoldSource | None:
    """The panel or file of that name; None if the study has none yet."""
    kind, _, name = key.partition(" ")
    if kind == "panel":
        return GoldSource(panel=name) if name in panels_of(study) else None
    gold_set = GoldSet.objects.filter(study=study, name=name).first()
    return GoldSource(gold_set=gold_set) if gold_set else None

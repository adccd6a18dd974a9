"""A study's plan: its design, what is known of its ratings, and what its raters cost."""

from functools import partial
from pathlib import Path

from django.utils import timezone

from analysis.frames import read_snapshot
from analysis.planning.components import Components, of_fit, typical
from analysis.planning.design import PlannedDesign
from analysis.planning.grid import Cost, StudyPlan, advice, around, grid
from analysis.planning.simulation import SimulatedScale
from analysis.recipe import FittedLink, Scale
from analysis.stats.inestimable import Inestimable
from analysis.study_data import check
from analysis.tables.fits import Fits, SystemLevel
from dashboard.design.models import PlannedGrid
from dashboard.design.plan_options import PlanOptions
from jobs.runner import Store, Taken
from survey.definition.settings import Settings
from survey.definition.study import StudyDefinition
from survey.files.yaml_file import YamlFile
from survey.models import Study
from survey.refusals import RefusalKind, RequestRefused
from survey.tidy import counted_sources, definition_of
from survey.tidy.study import cells_of, reading

USUAL_RATERS = 40
#: The difference that matters where none is given, in percent of the scale's length: a quarter of a
#: point on a scale from 1 to 5, as for the margins of recipe `sound`.
USUAL_DIFFERENCE = 6.25
#: What part of the announced minutes is for pages with responses.
SHARE_OF_PAGES = 0.9


class NoPlan(RequestRefused):
    """The study cannot be planned; the message says why."""

    kind = RefusalKind.CONFLICT


def plan(taken: Taken[PlannedGrid]) -> Store:
    """Compute the cells of a plan."""
    plan = plan_of(taken.job.study, PlanOptions.model_validate(taken.job.options))
    table = grid(plan, *numbers_around(plan))
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return partial(taken.finish, rows=rows, sentences=list(advice(plan)))


def numbers_around(plan: StudyPlan) -> tuple[list[int], list[int]]:
    """The numbers of raters and of scenarios that are planned where none are given."""
    return around(plan.design.raters, 2, 10_000), around(plan.design.scenarios, 2, 2_000)


def plan_of(study: Study, options: PlanOptions, *, file: Path | None = None) -> StudyPlan:
    """What could be found. A `file` of standard deviations takes the place of the components.

    Raises NoPlan where the study has nothing to plan for, and DefinitionError for a file of
    components that is not one.
    """
    definition = definition_of(study)
    if definition.rating is None:
        raise NoPlan(f"{study.slug}: the study asks for no ratings, so there is nothing to plan")
    length = float(Scale.of(definition.rated).length)
    if options.difference and options.difference > length:
        said = f"a difference of {options.difference:g} points"
        raise NoPlan(f"{study.slug}: {said} is more than the length of the scale, {length:g}")
    own = _design(study, definition)
    design = own.of(options.raters or own.raters, options.scenarios or own.scenarios)
    return StudyPlan(
        design=design,
        components=_from_file(file) if file else _components(study, definition, options, length),
        weights=_weights(study, definition, design),
        cost=_cost(definition, own, options),
        difference=options.difference or USUAL_DIFFERENCE / 100 * length,
        power=options.power,
    )


def scale_of(study: Study) -> tuple[SimulatedScale, FittedLink]:
    """The scale of simulated ratings, and the link of the model that analyses them."""
    scale = Scale.of(definition_of(study).rated)
    low, high = scale.ends
    return SimulatedScale(low, high), "probit" if scale.is_ordinal else "linear"


def _design(study: Study, definition: StudyDefinition) -> PlannedDesign:
    """As the study is."""
    by_set: dict[str, dict[SystemLevel, None]] = {}
    scenarios = set()
    for cell in cells_of(study).values():
        scenario, name, model, condition = cell.names
        scenarios.add(scenario)
        by_set.setdefault(name, {})[SystemLevel(model, condition)] = None
    places = Settings.model_validate(study.settings).places.maximum
    return PlannedDesign(
        sets=tuple(tuple(systems) for systems in by_set.values()),
        raters=places or USUAL_RATERS,
        scenarios=len(scenarios),
        pages=definition.blocks_per_participant,
        shown=None if definition.spread_over_pages else definition.systems_per_page,
        between=definition.between_subjects,
    )


def _weights(study: Study, definition: StudyDefinition, design: PlannedDesign) -> dict[str, float]:
    """Those of the study's contrast; of a study without one, the first system less the reference,
    or less the second.
    """
    if definition.condition_a and definition.condition_b:
        weights = design.contrast(definition.condition_a, definition.condition_b)
        if weights:
            return weights
    systems = list(dict.fromkeys(system for of_set in design.sets for system in of_set))
    if len(systems) < 2:
        raise NoPlan(f"{study.slug}: the study has one system, so there is nothing to compare")
    if reference := definition.reference:
        against = SystemLevel(reference.model, reference.condition)
        systems = [next(system for system in systems if system != against), against]
    return {str(systems[0]): 1.0, str(systems[1]): -1.0}


def _cost(definition: StudyDefinition, own: PlannedDesign, options: PlanOptions) -> Cost:
    minutes = definition.estimated_minutes
    training = len(definition.training_items)  # a training item takes as long as a page
    per_page = SHARE_OF_PAGES * minutes / (own.pages_per_rater + training)
    return Cost(
        minutes_per_page=per_page,
        other_minutes=(1 - SHARE_OF_PAGES) * minutes + training * per_page,
        pay_per_hour=options.pay_per_hour,
        fee_percent=options.fee_percent,
    )


def _from_file(file: Path) -> Components:
    yaml = YamlFile.read(file)
    return yaml.check(Components, yaml.plain())


def _components(
    study: Study, definition: StudyDefinition, options: PlanOptions, length: float
) -> Components:
    if options.components == "typical":
        return typical(length)
    with reading():
        sources = counted_sources(options.include)
        snapshot = read_snapshot(study, sources, seen_since=timezone.now())
    ratings = check(snapshot.data).ratings
    first = ratings[ratings["dimension"] == definition.rated.dimensions[0].name]
    if first.empty:
        raise NoPlan(
            f"{study.slug}: there are no ratings yet that a plan could learn from; use "
            "--components typical, or --include simulated"
        )
    fit = Fits().of(first, "linear")
    if isinstance(fit, Inestimable):
        raise NoPlan(f"{study.slug}: the variances of the ratings so far are {fit}")
    return of_fit(fit)

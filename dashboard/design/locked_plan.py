"""The locked plan on researchers' pages: what is locked, its texts, and what differs since."""

from analysis.labels import labels_of
from analysis.locked_plans import PlanComparison, compared_with_plan
from analysis.models import LockedPlan
from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set
from analysis.text.preregistration import TEXTS, preregistration
from survey.models import Study

#: What pages call the texts.
FORMS = {"osf": "OSF (Markdown)", "aspredicted": "AsPredicted", "json": "The plan itself (JSON)"}


def compared(study: Study) -> PlanComparison | None:
    """The locked plan, if there is one, with what an analysis would do otherwise now."""
    rules, recipes = current_rule_set(study), current_recipe_set(study)
    return compared_with_plan(study, rules, recipes, labels_of(study))


def text_of(plan: LockedPlan, form: str) -> str:
    """The plan for one of TEXTS."""
    return preregistration(plan.content, plan.sha256, form)


def file_of(plan: LockedPlan, form: str) -> str:
    """What the file with that text is called."""
    study = plan.study
    return f"{study.slug}-{study.version}-plan-{plan.version}-{form}.{TEXTS[form]}"

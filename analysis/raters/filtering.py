"""Who counts: a study's data checked, and its raters filtered by the rules.

Every table of the analysis begins here, and an export needs no more than this.
"""

from dataclasses import dataclass

from pandas import DataFrame

from analysis.quality_rules import QualityRules
from analysis.raters.funnel import Funnel, apply_rules
from analysis.raters.quality import quality_under
from analysis.raters.writing import with_flags
from analysis.study_data import CheckedData, StudyData, check


@dataclass(frozen=True)
class Filtered:
    """What the rules made of the data.

    `rules` are those that can be applied to the study; `raters` is the table of
    `raters.quality` of all who agreed to take part, with `included` and `exclusion`, and with their
    flags of `raters.writing`, which exclude nobody.
    """

    checked: CheckedData
    rules: QualityRules
    raters: DataFrame
    funnel: Funnel


def filtered(data: StudyData, rules: QualityRules, *, has_gold: bool | None = None) -> Filtered:
    """Filter the raters. Raises ValueError when `data` contradict themselves, as `check` does.

    Where `data` have some of a study's raters, `has_gold` says whether any rating of all of them
    has a gold score.
    """
    rules = rules.applied(rated=bool(data.scale))
    checked = check(data)
    raters = quality_under(rules, checked.consented, checked.ratings, has_gold=has_gold)
    raters = with_flags(raters, data.writing, rules.writing)
    funnel = apply_rules(raters, rules)
    raters["included"], raters["exclusion"] = funnel.included, funnel.exclusion
    return Filtered(checked, rules, raters, funnel)

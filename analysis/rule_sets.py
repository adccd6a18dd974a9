"""The quality rules of a study, as versions that are followed, never edited."""

import hashlib
import json

from django.contrib.auth.models import User
from django.db import transaction

from analysis.models import RuleSet
from analysis.quality_rules import QualityRules
from survey.models import Study


def rules_of(rule_set: RuleSet) -> QualityRules:
    """What a stored rule set says."""
    return QualityRules.model_validate(rule_set.rules)


def current_rules(study: Study) -> QualityRules:
    """The rules in force: those of the newest rule set, or the defaults where there is none."""
    newest = study.rule_sets.last()
    return rules_of(newest) if newest else QualityRules()


def current_rule_set(study: Study) -> RuleSet:
    """The newest rule set; a study that has none gets one with the defaults."""
    return study.rule_sets.last() or set_rules(study=study, rules=QualityRules())


@transaction.atomic
def set_rules(*, study: Study, rules: QualityRules, author: User | None = None) -> RuleSet:
    """Make `rules` the rules in force. The same rules again change nothing."""
    # One writer at a time, so that versions count up.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    newest = study.rule_sets.last()
    # compared as rules: one stored before a key existed says the same as with its default
    if newest is not None and rules_of(newest) == rules:
        return newest
    content = rules.model_dump(mode="json")
    canonical = json.dumps(content, sort_keys=True)
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    return RuleSet.objects.create(
        study=study,
        version=newest.version + 1 if newest else 1,
        rules=content,
        rules_hash=digest,
        author=author,
    )

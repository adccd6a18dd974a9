"""What Prolific's rules say about a study, from its texts, settings and prompts."""

from survey.content import content_of
from survey.definition.findings import StudyFinding
from survey.definition.policy import findings
from survey.definition.settings import Settings
from survey.models import Study


def policy_findings(study: Study) -> list[StudyFinding]:
    """The results of all rules; without Prolific only those of the general ones."""
    content = content_of(study)
    prompts = study.scenarios.values_list("prompt", "context")
    return findings(
        content.definition,
        Settings.model_validate(study.settings),
        translations=list(content.translations.values()),
        prompts=[text for pair in prompts for text in pair],
    )

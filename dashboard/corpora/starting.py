"""Files to begin with: what models are asked about a sample, and a study of their responses."""

from io import StringIO
from typing import Any

from django.conf import settings
from ruamel.yaml import YAML

from corpus.definition import GenerationDefinition
from corpus.models import Sample
from judge.definition import DEFAULT_ENDPOINT
from survey.definition.dialogue import turns_of
from survey.definition.study import MOST_ON_A_PAGE

#: What the files are like but for what the sample, the installation and each other decide.
EXAMPLES = settings.BASE_DIR / "examples" / "corpora"


def generation_file(sample: Sample) -> str:
    """The example's questions to a model of each endpoint of this installation."""
    asked = _example("generation.yaml")
    contexts = sample.scenarios.exclude(context="").values_list("context", flat=True)
    if all(map(turns_of, contexts)):  # none, or earlier turns, which are messages
        asked["template"] = "{prompt}"
    asked["conditions"] = {"zero_shot": {}}
    endpoints = settings.JUDGE_ENDPOINTS or [DEFAULT_ENDPOINT]
    asked["models"] = [_model(name) for name in endpoints]
    if not sample.corpus.source["has_responses"]:
        asked.pop("reference")
    return _text(asked)


def _model(endpoint: str) -> dict[str, str]:
    if endpoint == DEFAULT_ENDPOINT:
        return {"name": settings.JUDGE_MODEL}
    return {"name": f"Model at {endpoint}", "endpoint": endpoint}


def study_file(sample: Sample, definition: GenerationDefinition) -> str:
    """The example's study of generated responses, with the conditions, sets and the reference of
    the generation file.
    """
    study = _example("study.yaml")
    conditions = list(definition.conditions)
    study["slug"] = sample.name.replace("_", "-")
    study.pop("reference", None)
    for name in ("condition_a", "condition_b"):
        study.pop(name, None)
    if reference := definition.reference:
        conditions.append(reference.condition)
        study["reference"] = reference.model_dump()
    study["conditions"] = list(dict.fromkeys(conditions))
    if len(study["conditions"]) > 1:
        study["condition_a"], study["condition_b"] = study["conditions"][:2]
    if definition.sets:
        study["sets"] = definition.sets
    if _most_in_a_block(definition) > MOST_ON_A_PAGE:
        study["systems_per_page"] = MOST_ON_A_PAGE // 2
    return _text(study)


def _most_in_a_block(definition: GenerationDefinition) -> int:
    """How many responses a scenario has, in the largest set."""
    models = [model for model, _ in definition.systems]
    sets = (definition.sets or {"": models}).values()
    most = max(sum(model in members for model in models) for members in sets)
    return most + (definition.reference is not None)


def _example(file: str) -> dict[str, Any]:
    read: dict[str, Any] = YAML().load((EXAMPLES / file).read_text(encoding="utf-8"))
    return read


def _text(content: dict[str, Any]) -> str:
    yaml = YAML()
    yaml.width = 100
    text = StringIO()
    yaml.dump(content, text)
    return text.getvalue()

"""A study.yaml to begin with, for the responses of a sample."""

from io import StringIO
from typing import Any

from django.conf import settings
from ruamel.yaml import YAML

from corpus.definition import GenerationDefinition
from corpus.models import Sample

#: What the study is like but for what the generation file decides.
EXAMPLE = settings.BASE_DIR / "examples" / "corpora" / "study.yaml"


def study_file(sample: Sample, definition: GenerationDefinition) -> str:
    """The example's study of generated responses, with the conditions, sets and the reference of
    the generation file.
    """
    yaml = YAML()
    yaml.width = 100
    study: dict[str, Any] = yaml.load(EXAMPLE.read_text(encoding="utf-8"))
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
    text = StringIO()
    yaml.dump(study, text)
    return text.getvalue()

"""Generation files that pages and the API send: checked, planned, started and stopped."""

import json
from io import StringIO

from django.contrib.auth.models import User
from django.db import transaction
from ruamel.yaml import YAML

from corpus import generations
from corpus.definition import GenerationDefinition
from corpus.models import Generator, Sample
from corpus.planning import PlannedSystem, plan, queue
from corpus.problems import CorpusProblem
from dashboard.shared.log import record
from survey.files.apart import read_apart
from survey.files.yaml_file import YamlFile

FILE = "generation.yaml"


def read_definition(content: bytes, file: str = FILE) -> GenerationDefinition:
    """A generation file. Raises DefinitionError."""
    yaml = read_apart(file, YamlFile, content, file=file)
    return yaml.check(GenerationDefinition, yaml.plain())


def file_of(sample: Sample) -> str:
    """The generation file of a sample as YAML; empty before the first."""
    if not sample.generation:
        return ""
    text = StringIO()
    yaml = YAML()
    yaml.width = 100
    yaml.dump(json.loads(sample.generation), text)
    return text.getvalue()


def start(
    sample: Sample, definition: GenerationDefinition | None, author: User, *, retry: bool = False
) -> list[Generator]:
    """Plan and queue the missing texts of a sample; without a definition as its last one asked.
    With `retry` also those that were refused, filtered or cut off. The caller wakes a worker for
    each generator. Raises CorpusProblem.
    """
    chosen = definition or sample.read_generation()
    if chosen is None:
        raise CorpusProblem(f"sample {sample} has no generation file yet; give one")
    with transaction.atomic():
        planned: list[PlannedSystem] = plan(sample, chosen, retry=retry)
        record(None, author, "texts requested", name=sample.name)
    return queue(planned, retry=retry)


def stop(sample: Sample, author: User) -> int:
    """Have no further texts of a sample asked for until it is continued; returns how many of its
    models that stopped. Answers that are under way are kept.
    """
    working = Generator.objects.filter(sample=sample, stopped="")
    with transaction.atomic():
        for generator in working:
            generations.stop(generator.pk, f"{author.get_username()} stopped it")
        record(None, author, "texts stopped", name=sample.name)
    return len(working)

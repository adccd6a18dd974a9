"""Texts of samples that pages and the API ask for: planned, started and stopped."""

import json
from dataclasses import dataclass
from io import StringIO

from django.contrib.auth.models import User
from django.db import transaction
from ruamel.yaml import YAML

from corpus import generations
from corpus.definition import GenerationDefinition
from corpus.models import Generator, Sample
from corpus.options import GenerationOptions
from corpus.planning import PlannedSystem, asked_definition, plan_asked, queue
from dashboard.shared.log import record


@dataclass(frozen=True)
class AskedTexts:
    """What was asked for: the file, its systems, and what is to be woken for them."""

    definition: GenerationDefinition
    planned: list[PlannedSystem]
    generators: list[Generator]


def file_of(sample: Sample) -> str:
    """The generation file of a sample as YAML; empty before the first."""
    if not sample.generation:
        return ""
    text = StringIO()
    yaml = YAML()
    yaml.width = 100
    yaml.dump(json.loads(sample.generation), text)
    return text.getvalue()


def ask_for_texts(sample: Sample, options: GenerationOptions, *, author: User) -> AskedTexts:
    """Plan and queue the missing texts of a sample; with `dry_run` it is only said which. The
    caller wakes a worker for each generator. Raises DefinitionError and CorpusProblem.
    """
    definition = asked_definition(sample, options)
    with transaction.atomic():
        planned = plan_asked(sample, definition, options)
        if not options.dry_run:
            record(None, author, "texts requested", name=sample.name)
    generators = [] if options.dry_run else queue(planned, retry=options.retry)
    return AskedTexts(definition, planned, generators)


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

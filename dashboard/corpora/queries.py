"""Corpora and samples with what lists say of them."""

from django.db.models import Count, QuerySet

from corpus.models import Corpus, Sample


def corpora_with_counts() -> QuerySet[Corpus]:
    """By name, with `n_samples`."""
    return Corpus.objects.annotate(n_samples=Count("samples")).order_by("name")


def samples_with_counts() -> QuerySet[Sample]:
    """By name, with `n_scenarios`, and their corpora."""
    counted = Sample.objects.annotate(n_scenarios=Count("scenarios"))
    return counted.select_related("corpus").order_by("name")

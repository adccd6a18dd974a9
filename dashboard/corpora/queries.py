"""Corpora and samples with what lists say of them."""

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, QuerySet

from corpus.models import Corpus, Sample
from dashboard.shared.access import visible_corpora
from dashboard.shared.models import CorpusMembership
from dashboard.shared.roles import Role


def corpora_with_counts() -> QuerySet[Corpus]:
    """By name, with `n_samples`, and `owners`: their memberships."""
    owners = CorpusMembership.objects.filter(role=Role.OWNER).select_related("user")
    known = Prefetch("memberships", owners.order_by("user__username"), to_attr="owners")
    counted = Corpus.objects.annotate(n_samples=Count("samples"))
    return counted.prefetch_related(known).order_by("name")


def corpora_of(user: User) -> QuerySet[Corpus]:
    """Those in which an account has a role, as `corpora_with_counts`."""
    return visible_corpora(user, corpora_with_counts())


def samples_with_counts() -> QuerySet[Sample]:
    """By name, with `n_scenarios`, and their corpora."""
    counted = Sample.objects.annotate(n_scenarios=Count("scenarios"))
    return counted.select_related("corpus").order_by("name")

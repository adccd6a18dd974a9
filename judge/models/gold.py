"""Imported scores, and the decisions for a gold source."""

from functools import reduce
from operator import and_

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from judge.models.judging import Judge, Jury
from survey.models import Response, Study


class GoldSet(models.Model):
    """Gold scores imported from a file: another judge's, or people's."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="gold_sets")
    name = models.CharField(max_length=100)
    made_by = models.CharField(
        max_length=200, blank=True, help_text="Who made them, if the file says so"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["study", "name"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="gold_set_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} (imported{f', made by {self.made_by}' if self.made_by else ''})"


class GoldScore(models.Model):
    """One score of a gold set."""

    gold_set = models.ForeignKey(GoldSet, models.CASCADE, related_name="scores")
    response = models.ForeignKey(Response, models.CASCADE, related_name="imported_gold")
    dimension = models.CharField(max_length=100)
    value = models.FloatField()
    calls = models.JSONField(default=list, help_text="The single scores it averages, if given")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["gold_set", "response", "dimension"], name="gold_score_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.response}: {self.value}"


def _one_source_at_most() -> Q:
    """That a decision is for one of the kinds of sources, or for none."""
    given = {
        "judge": Q(judge__isnull=False),
        "gold_set": Q(gold_set__isnull=False),
        "jury": Q(jury__isnull=False),
        "panel": ~Q(panel=""),
    }
    alone = reduce(and_, (~is_given for is_given in given.values()))
    for name, is_given in given.items():
        others = [~other for kind, other in given.items() if kind != name]
        alone |= is_given & reduce(and_, others)
    return alone


class GoldDecision(models.Model):
    """A decision for a gold source: a judge, a gold set, a panel or a jury, or for none.

    Never edited: the newest one applies.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="gold_decisions")
    judge = models.ForeignKey(Judge, models.RESTRICT, null=True)
    gold_set = models.ForeignKey(GoldSet, models.RESTRICT, null=True)
    jury = models.ForeignKey(Jury, models.RESTRICT, null=True)
    panel = models.CharField(max_length=100, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    why = models.CharField(max_length=200, help_text="Its cause, in words")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=_one_source_at_most(), name="gold_decision_of_one")
        ]

    def __str__(self) -> str:
        panel = f"panel {self.panel}" if self.panel else "none"
        return f"{self.study}: {self.judge or self.gold_set or self.jury or panel}"

    @property
    def is_for_none(self) -> bool:
        return not (self.judge_id or self.gold_set_id or self.jury_id or self.panel)

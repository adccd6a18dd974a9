"""Decisions about ratings: rule sets, recipes, the runs that applied them, what they excluded."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from analysis.quality_rules import LONGEST_REASON
from jobs.models import Job
from survey.models import FreeAnswer, Participant, Response, Study
from survey.models.sql import JsonValue


class Version(models.Model):
    """One version of what a study is analysed by; never edited, only followed by another."""

    version = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
        ordering = ["study", "version"]


class RuleSet(Version):
    """A study's quality rules."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="rule_sets")
    rules = models.JSONField(help_text="Steps in order with their thresholds")
    rules_hash = models.CharField(max_length=64)

    class Meta(Version.Meta):
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="rule_set_version")
        ]

    def __str__(self) -> str:
        return f"{self.study} rules {self.version}"


class RecipeSet(Version):
    """A study's recipes."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="recipe_sets")
    recipes = models.JSONField(help_text="Each recipe as JSON text, in the order of their tables")
    recipes_hash = models.CharField(max_length=64)

    class Meta(Version.Meta):
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="recipe_set_version")
        ]

    def __str__(self) -> str:
        return f"{self.study} recipes {self.version}"


class LockedPlan(Version):
    """A plan of a study, fixed before anybody who counts took part.

    The newest is the one that analyses are compared with; earlier ones were replaced before that.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="locked_plans")
    content = models.TextField(help_text="What is planned, as JSON: the text that is hashed")
    sha256 = models.CharField(max_length=64)

    class Meta(Version.Meta):
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="locked_plan_version")
        ]

    def __str__(self) -> str:
        return f"{self.study} plan {self.version}"

    @property
    def note(self) -> str:
        """What its author wrote about it."""
        return str(json.loads(self.content)["note"])

    @property
    def reason(self) -> str:
        """Why it took the place of an earlier one; empty for the first."""
        return str((json.loads(self.content)["replaces"] or {}).get("reason", ""))


class AnalysisRun(Job):
    """One snapshot × one rule set × one set of recipes, with everything computed from them."""

    TASK = "analysis.run"
    WORK = "analysis.execution.compute_run"
    NAME, WHAT = "analysis", "analysis"
    LIMIT = "ANALYSIS_MAX_MINUTES"

    study = models.ForeignKey(Study, models.CASCADE, related_name="analysis_runs")
    rule_set = models.ForeignKey(RuleSet, models.PROTECT, related_name="runs")
    recipe_set = models.ForeignKey(RecipeSet, models.PROTECT, related_name="runs")
    sources = models.JSONField(help_text="Participant sources that count, by name")
    fingerprint = models.CharField(
        max_length=64, blank=True, help_text="Digest of everything that results depend on"
    )
    snapshot_hash = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the data")
    manifest = models.JSONField(default=dict)
    everything = models.BooleanField(
        default=False, help_text="Even the tables that a large study leaves for later"
    )
    is_automatic = models.BooleanField(
        default=False, help_text="Started because data changed; the next such run replaces it"
    )

    class Meta(Job.Meta):
        ordering = ["-id"]
        indexes = [models.Index(fields=["study", "state"], name="analysis_run_queue")]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.study}"

    @property
    def in_log(self) -> dict[str, Any]:
        return {"run": self.pk}


class Multiverse(Job):
    """A request to compute the multiverse of a finished run: its results are the run's, and it is
    deleted with it.
    """

    TASK = "analysis.multiverse"
    WORK = "analysis.multiverse_making.compute"
    NAME, WHAT = "multiverse", "computation of the multiverse"
    STUDY = "run__study"

    run = models.OneToOneField(AnalysisRun, models.CASCADE, related_name="multiverse")
    percent = models.PositiveSmallIntegerField(default=0, help_text="Progress")

    class Meta(Job.Meta):
        verbose_name_plural = "multiverses"

    def __str__(self) -> str:
        return f"multiverse of {self.run}"

    @property
    def in_log(self) -> dict[str, Any]:
        return {"run": self.run_id}


class ComputedMetric(models.Model):
    """An automatic metric of a study's responses, with what its values depend on. Computed anew, it
    is replaced.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="computed_metrics")
    name = models.CharField(max_length=100)
    recorded = models.JSONField(help_text="Package, version and settings")
    corpus = models.JSONField(
        default=list, help_text="Model, condition and value of all texts of each system together"
    )
    computed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="computed_metric_once")
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.name}"


class MetricsRequest(Job):
    """A request to compute a study's automatic metrics."""

    TASK = "analysis.metrics"
    WORK = "analysis.metrics_making.compute"
    NAME, WHAT = "metrics", "computation of the metrics"
    ERASED: ClassVar[Mapping[str, Any]] = {"perplexities": None}

    study = models.OneToOneField(Study, models.CASCADE, related_name="metrics_request")
    metrics = models.JSONField(
        default=list, help_text="Names of those to compute, none for all; then of those it made"
    )
    options = models.JSONField(
        null=True, help_text="Phrases, folders, endpoints; null for those of the installation"
    )
    perplexities = models.JSONField(null=True, help_text="Those of a file, while it is under way")
    percent = models.PositiveSmallIntegerField(default=0, help_text="Progress")

    def __str__(self) -> str:
        return f"metrics of {self.study}"


class MetricValue(models.Model):
    """The value of one response; empty where the metric is not defined for it."""

    metric = models.ForeignKey(ComputedMetric, models.CASCADE, related_name="values")
    response = models.ForeignKey(Response, models.CASCADE, related_name="metric_values")
    value = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["metric", "response"], name="metric_value_once")
        ]

    def __str__(self) -> str:
        return f"{self.metric} of {self.response}: {self.value}"


class Scorer(Job):
    """One version of a scorer that learns from ratings: asked for, trained by a worker, kept.

    The newest that is done is a source of scores, beside judges and metrics.
    """

    TASK = "analysis.scorer"
    WORK = "analysis.scorer_making.train_scorer"
    NAME, WHAT = "scorer", "training of the scorer"
    DOING = "Training"

    study = models.ForeignKey(Study, models.CASCADE, related_name="scorers")
    version = models.PositiveIntegerField(default=1)
    options = models.JSONField(help_text="Head, confidence, seed, vectors")
    sources = models.JSONField(
        default=list, help_text="Participant sources whose ratings it learns from; none of a file"
    )
    given = models.JSONField(
        null=True, help_text="Rated texts of a file, where it does not learn from the study"
    )
    percent = models.PositiveSmallIntegerField(default=0, help_text="Progress")
    content = models.TextField(blank=True, help_text="The scorer as JSON: see analysis.scorer")
    evaluation = models.JSONField(default=dict, help_text="Tables of held-out texts")
    card = models.TextField(blank=True, help_text="The model card, in Markdown")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)

    class Meta(Job.Meta):
        ordering = ["study", "version"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["study", "version"], name="scorer_version"),
        ]

    def __str__(self) -> str:
        return f"scorer {self.version} of {self.study}"

    @property
    def name(self) -> str:
        """What tables call it. Those that learned from test people say so."""
        tested = sorted({*self.sources} & {*Participant.TEST_SOURCES})
        return f"scorer@{self.version}" + (f" ({', '.join(tested)} raters)" if tested else "")


class ScorerScore(models.Model):
    """What a scorer says of a response, on a dimension."""

    scorer = models.ForeignKey(Scorer, models.CASCADE, related_name="scores")
    response = models.ForeignKey(Response, models.CASCADE, related_name="scorer_scores")
    dimension = models.CharField(max_length=100)
    value = models.FloatField()
    is_held_out = models.BooleanField(
        help_text="It learned from this response: the score is from when its scenario was held out"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scorer", "response", "dimension"], name="scorer_score_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.scorer} on {self.response}: {self.value}"


class ScoredText(Job):
    """A text that a researcher had scored on a page; it goes with its scorer."""

    TASK = "analysis.scored_text"
    WORK = "analysis.scorer_making.score_text"
    NAME, WHAT = "text", "scoring of the text"
    STUDY, DOING = "scorer__study", "Scoring"

    scorer = models.ForeignKey(Scorer, models.CASCADE, related_name="scored_texts")
    text = models.TextField()
    scores = models.JSONField(
        default=list, help_text="By dimension: score, low and high of its interval, empty if none"
    )
    flagged = models.BooleanField(default=False, help_text="Kept for the file of flagged texts")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)

    class Meta(Job.Meta):
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"text {self.pk} for {self.scorer}"


class PerturbationRun(Job):
    """Small changes of some of a study's responses, and what they do to scores. Asked for anew with
    other options, it is replaced; with the same ones after a failure, it goes on.
    """

    TASK = "analysis.perturbations"
    WORK = "analysis.perturbation_making.perturb"
    NAME, WHAT = "perturbations", "perturbation of the responses"
    DOING = "Perturbing"

    study = models.OneToOneField(Study, models.CASCADE, related_name="perturbation_run")
    options = models.JSONField(help_text="Seed, responses, perturbations, sources, endpoint")
    percent = models.PositiveSmallIntegerField(default=0, help_text="Progress")
    requests = models.PositiveIntegerField(
        default=0, help_text="Requests sent to endpoints, counted before they are sent"
    )

    def __str__(self) -> str:
        return f"perturbations of {self.study}"


class PerturbedText(models.Model):
    """A response's text after one perturbation, and how it was made. Empty if it could not be."""

    run = models.ForeignKey(PerturbationRun, models.CASCADE, related_name="texts")
    response = models.ForeignKey(Response, models.CASCADE, related_name="perturbed_texts")
    perturbation = models.CharField(max_length=40)
    text = models.TextField(blank=True)
    provenance = models.JSONField(help_text="By which rule and seed, or by which model")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "response", "perturbation"], name="perturbed_text_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.perturbation} of {self.response}"


class PerturbedScore(models.Model):
    """What a source says of a response before and after a perturbation; empty without a score."""

    text = models.ForeignKey(PerturbedText, models.CASCADE, related_name="scores")
    source = models.CharField(max_length=200)
    kind = models.CharField(max_length=10)
    dimension = models.CharField(max_length=100, blank=True, help_text="Empty for metrics")
    before = models.FloatField(null=True)
    after = models.FloatField(null=True)
    range = models.FloatField(null=True, help_text="How wide the scale is; empty for metrics")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["text", "source", "dimension"], name="perturbed_score_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source} on {self.text}: {self.before} → {self.after}"


#: Indices by which raters are sorted and chosen.
OF_RATER = {
    **{
        name: JsonValue("indices", name, models.FloatField())
        for name in ("n_ratings", "duration_seconds", "sigma", "mae")
    },
    "status": JsonValue("indices", "status", models.TextField()),
}


class RaterQuality(models.Model):
    """One rater's indices in one run."""

    run = models.ForeignKey(AnalysisRun, models.CASCADE, related_name="rater_quality")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="quality")
    included = models.BooleanField(
        help_text="False without an exclusion: still in progress, so in no step"
    )
    indices = models.JSONField(help_text="n_ratings, duration_seconds, sigma, mae, …")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "participant"], name="rater_quality_once")
        ]
        indexes = [
            models.Index(fields=["run", "included"], name="rater_quality_included"),
            *(
                models.Index("run", of_rater, name=f"rater_by_{name}")
                for name, of_rater in OF_RATER.items()
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant} in {self.run}"


class Exclusion(models.Model):
    """The rule, or `decision`, that took a rater out of a run; the first in order counts."""

    run = models.ForeignKey(AnalysisRun, models.CASCADE, related_name="exclusions")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="exclusions")
    rule = models.CharField(max_length=40)
    value = models.JSONField(help_text="What was measured")
    threshold = models.JSONField(help_text="What the rule allows")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "participant"], name="exclusion_once")
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.rule}"


class ManualDecision(models.Model):
    """That researchers exclude a rater from every analysis, or take that back, and why.

    Never edited: the newest one about a person holds.
    """

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="manual_decisions")
    excluded = models.BooleanField(help_text="False: an earlier exclusion is taken back")
    reason = models.CharField(max_length=LONGEST_REASON)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, help_text="Empty if a command decided"
    )
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="manual_decision_reason")
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {'excluded' if self.excluded else 'exclusion taken back'}"


class Result(models.Model):
    """A table or figure of a run, stored as data, so that it can be shown again as it was; or what
    a page computes with that only workers can compute.
    """

    class Kind(models.TextChoices):
        TABLE = "table"
        FIGURE = "figure"
        PAGE = "page"  # what a page computes with, in no file

    run = models.ForeignKey(AnalysisRun, models.CASCADE, related_name="results")
    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=60)
    content = models.JSONField(
        help_text="A table as {columns, rows}; a figure as Plotly's {data, layout}; other data as "
        "its page needs them"
    )

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "kind", "name"], name="result_once")]

    def __str__(self) -> str:
        return f"{self.name} of {self.run}"


class ThemeCode(models.Model):
    """A code of a study's code book, which researchers put on open answers."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="theme_codes")
    name = models.CharField(max_length=60)
    definition = models.CharField(max_length=1000, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint("study", Lower("name"), name="theme_code_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="theme_code_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Coding(models.Model):
    """What one coder decided about an open answer: several codes, or none because nothing fits.

    An account that coded can be deactivated, not deleted.
    """

    answer = models.ForeignKey(FreeAnswer, models.CASCADE, related_name="codings")
    coder = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    codes = models.ManyToManyField(ThemeCode, related_name="codings")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["answer", "coder"], name="coding_once"),
        ]

    def __str__(self) -> str:
        return f"{self.coder} on {self.answer}"


class CodedChunk(models.Model):
    """How many times coders decided about the answers of a chunk of people. Stored counts of the
    chunk's codings are out of date once this number has changed.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="coded_chunks")
    chunk = models.PositiveBigIntegerField(
        help_text="Of participants' ids, in steps of `PEOPLE_IN_CHUNK`"
    )
    decisions = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["study", "chunk"]
        constraints = [models.UniqueConstraint(fields=["study", "chunk"], name="coded_chunk_once")]

    def __str__(self) -> str:
        return f"chunk {self.chunk} of {self.study}"

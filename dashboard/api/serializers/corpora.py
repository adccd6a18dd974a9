"""Corpora, samples, generated texts, and what workers do with them."""

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from pydantic import BaseModel
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.reverse import reverse

from corpus.definition import MissingTexts
from corpus.filters import Filters
from corpus.models import Corpus, Sample, SampledScenario
from corpus.options import (
    ChatsOptions,
    GenerationOptions,
    ImportOptions,
    SampleOptions,
    SampleStudyOptions,
)
from corpus.planning import PlannedSystem, Progress
from dashboard.api.option_serializers import OptionsSerializer, SentTextField
from dashboard.api.serializers.judges import SpentSerializer
from dashboard.api.serializers.results import JobRow
from dashboard.corpora.asking import jobs_of
from dashboard.corpora.downloads import FILES
from dashboard.corpora.models import CorpusJob
from dashboard.corpora.people import CorpusRoleOptions
from dashboard.shared.models import CorpusMembership
from dashboard.shared.roles import CORPUS_ROLES


class FilterStepSerializer(serializers.Serializer[object]):
    """What a filter found."""

    step = serializers.CharField()
    before = serializers.IntegerField()
    removed = serializers.IntegerField()
    changed = serializers.IntegerField()
    left = serializers.IntegerField()


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    """A corpus of dialogues."""

    dialogues = serializers.IntegerField(help_text="after the filters, if they were applied")
    imported = serializers.IntegerField(source="source.dialogues")
    file = serializers.CharField(source="source.file")
    sha256 = serializers.CharField(source="source.sha256", help_text="of the file")
    preset = serializers.CharField(source="source.preset")
    columns = serializers.DictField(source="source.columns")
    where = serializers.DictField(source="source.where", child=serializers.CharField())
    has_responses = serializers.BooleanField(source="source.has_responses")
    is_filtered = serializers.SerializerMethodField()
    filters = serializers.SerializerMethodField(help_text="as applied; null before")
    steps = serializers.SerializerMethodField(help_text="what each filter found, in order")
    samples = serializers.IntegerField(source="n_samples")
    owners = serializers.SerializerMethodField(help_text="names of accounts")

    class Meta:
        model = Corpus
        fields = [
            *("name", "created_at", "dialogues", "imported", "file", "sha256", "preset"),
            *("columns", "where", "has_responses", "is_filtered", "filters", "steps", "samples"),
            "owners",
        ]

    def get_owners(self, corpus: Any) -> list[str]:
        return [owner.user.get_username() for owner in corpus.owners]

    def get_is_filtered(self, corpus: Corpus) -> bool:
        return corpus.filtered is not None

    def get_filters(self, corpus: Corpus) -> dict[str, Any] | None:
        filters: dict[str, Any] | None = corpus.filtered and corpus.filtered["filters"]
        return filters

    @extend_schema_field(FilterStepSerializer(many=True))
    def get_steps(self, corpus: Corpus) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = (corpus.filtered or {"steps": []})["steps"]
        return steps


class CorpusJobSerializer(JobRow, serializers.ModelSerializer[CorpusJob]):
    """What a worker does with a corpus or a sample."""

    kind = serializers.ChoiceField(choices=CorpusJob.Kind.values)
    said = serializers.ListField(
        child=serializers.CharField(), help_text="what came of it, line by line"
    )
    files = serializers.SerializerMethodField(help_text="files that were written, with addresses")
    study = serializers.CharField(help_text="the study that was loaded, or empty")

    class Meta:
        model = CorpusJob
        fields = [
            *("id", "kind", "subject", "name", "state", "error", "requested_at", "finished_at"),
            *("done", "total", "said", "files", "study"),
        ]

    def get_files(self, job: CorpusJob) -> list[dict[str, Any]]:
        request: Request = self.context["request"]
        return [
            {
                "file": file,
                "rows": rows,
                "url": reverse("api:job-file", args=[job.pk, file], request=request),
            }
            for file, rows in job.files.items()
        ]


def _jobs(subject: str, name: str, context: Mapping[str, Any]) -> list[dict[str, Any]]:
    jobs = jobs_of(subject, name)
    return list(CorpusJobSerializer(jobs, many=True, context=context).data)


class CorpusDetailSerializer(CorpusSerializer):
    """A corpus with the newest job of each kind about it."""

    jobs = serializers.SerializerMethodField()
    files = serializers.SerializerMethodField(help_text="what can be downloaded, with what it is")

    class Meta(CorpusSerializer.Meta):
        fields = [*CorpusSerializer.Meta.fields, "jobs", "files"]

    @extend_schema_field(CorpusJobSerializer(many=True))
    def get_jobs(self, corpus: Corpus) -> list[dict[str, Any]]:
        return _jobs("corpus", corpus.name, self.context)

    def get_files(self, corpus: Corpus) -> dict[str, str]:
        return {} if corpus.filtered is None else FILES


class CorpusMemberSerializer(serializers.ModelSerializer[CorpusMembership]):
    """An account with a role in the corpus."""

    person = serializers.CharField(source="user.username")

    class Meta:
        model = CorpusMembership
        fields = ["person", "role"]


class CorpusRoleSerializer(OptionsSerializer):
    """A researcher's new role in the corpus, or none."""

    options = CorpusRoleOptions
    role = serializers.ChoiceField(
        choices=[role.value for role in CORPUS_ROLES],
        allow_null=True,
        help_text="null: no access any more",
    )


class ImportSerializer(OptionsSerializer):
    """A file that becomes a corpus. A preset says which columns it has; fields override it."""

    options = ImportOptions
    file = serializers.FileField(help_text=".csv, .tsv, .jsonl or .parquet")


class FilteringSerializer(OptionsSerializer):
    """Filters to apply; what is absent is as before, or as the preset has it."""

    options = Filters
    has_defaults = False


class ChatsSerializer(OptionsSerializer):
    """Chats to be written, to tune a model with."""

    options = ChatsOptions
    ask_as = SentTextField(
        file="ask_as",
        required=False,
        help_text="the text of a generation file: ask as it asks",
    )


class DrawSerializer(OptionsSerializer):
    """A draw of scenarios: of the first so many, so many at random, or both."""

    options = SampleOptions


class SampleSerializer(serializers.ModelSerializer[Sample]):
    """Scenarios drawn from a corpus."""

    corpus = serializers.CharField(source="corpus.name")
    scenarios = serializers.IntegerField(source="n_scenarios")
    first = serializers.IntegerField(source="drawn.first", allow_null=True)
    random = serializers.IntegerField(source="drawn.random", allow_null=True)
    seed = serializers.IntegerField(source="drawn.seed", allow_null=True)

    class Meta:
        model = Sample
        fields = ["name", "corpus", "created_at", "scenarios", "first", "random", "seed"]


class SampleDetailSerializer(SampleSerializer):
    """A sample with the newest job of each kind about it."""

    jobs = serializers.SerializerMethodField()

    class Meta(SampleSerializer.Meta):
        fields = [*SampleSerializer.Meta.fields, "jobs"]

    @extend_schema_field(CorpusJobSerializer(many=True))
    def get_jobs(self, sample: Sample) -> list[dict[str, Any]]:
        return _jobs("sample", sample.name, self.context)


class SampledScenarioSerializer(serializers.ModelSerializer[SampledScenario]):
    """A scenario of a sample."""

    reference = serializers.CharField(help_text="the response of the corpus, or empty")

    class Meta:
        model = SampledScenario
        fields = ["name", "row", "prompt", "context", "reference"]


class GenerateSerializer(OptionsSerializer):
    """Texts to be generated; without a file the missing ones of the last file."""

    options = GenerationOptions
    file = SentTextField(
        file="generation.yaml",
        required=False,
        help_text="the text of a generation file (YAML)",
    )


class PlannedSystemSerializer(serializers.Serializer[PlannedSystem]):
    """A system of a generation file, and how many of its texts are missing."""

    model = serializers.CharField()
    condition = serializers.CharField()
    asked_as = serializers.CharField(help_text="the model and its address")
    texts = serializers.IntegerField()
    missing = serializers.IntegerField()
    cost = serializers.FloatField(
        allow_null=True, help_text="US dollars of the missing ones; null if unknown"
    )


class PlannedTextsSerializer(serializers.Serializer[object]):
    """Texts of a sample that are asked for, or would be."""

    is_queued = serializers.BooleanField()
    cost = serializers.FloatField(
        allow_null=True, help_text="US dollars of those whose cost is known"
    )
    systems = PlannedSystemSerializer(many=True)


class FailureReasonSerializer(serializers.Serializer[object]):
    """Why texts failed."""

    reason = serializers.CharField()
    texts = serializers.IntegerField()


class GenerationProgressSerializer(serializers.Serializer[Progress]):
    """How far the texts of a sample are."""

    total = serializers.IntegerField()
    answered = serializers.IntegerField()
    failed = serializers.IntegerField()
    running = serializers.IntegerField()
    requests = serializers.IntegerField(source="attempts")
    spent = SpentSerializer()
    is_over = serializers.BooleanField(help_text="nothing is left that a worker would do")
    stopped = serializers.ListField(child=serializers.CharField(), help_text="why, if it was")
    last_error = serializers.CharField()
    endings = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="texts without a whole answer: cut_off, filtered, refused",
    )
    notices = serializers.DictField(
        child=serializers.IntegerField(), help_text="what was odd about the texts that are there"
    )


class GeneratedTextsSerializer(serializers.Serializer[object]):
    """How far the texts of a sample are, and what asks for them."""

    file = serializers.CharField(help_text="the generation file (YAML); empty before the first")
    progress = GenerationProgressSerializer()
    failures = FailureReasonSerializer(many=True)


class MissingTextsSerializer(OptionsSerializer):
    """How missing, cut-off and refused texts are handled when responses are written."""

    options: ClassVar[type[BaseModel]] = MissingTexts


class StudyOfSampleSerializer(MissingTextsSerializer):
    """A study of a sample's responses."""

    options = SampleStudyOptions
    study = SentTextField(file="study.yaml", help_text="the text of its study.yaml")

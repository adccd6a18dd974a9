"""The API about corpora and samples, and texts that models write for these."""

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_202_ACCEPTED, HTTP_204_NO_CONTENT

from corpus.planning import failure_reasons, progress, total_cost
from dashboard.api.pagination import Stored, in_pages
from dashboard.api.parameters import one_of, read_sent, user_of
from dashboard.api.routes import ListRoute, Route
from dashboard.api.serializers.corpora import (
    ChatsSerializer,
    CorpusDetailSerializer,
    CorpusJobSerializer,
    CorpusMemberSerializer,
    CorpusRoleSerializer,
    CorpusSerializer,
    DrawSerializer,
    FilteringSerializer,
    GeneratedTextsSerializer,
    GenerateSerializer,
    ImportSerializer,
    MissingTextsSerializer,
    PlannedTextsSerializer,
    SampleDetailSerializer,
    SampledScenarioSerializer,
    SampleSerializer,
    StudyOfSampleSerializer,
)
from dashboard.corpora import downloads
from dashboard.corpora.asking import (
    ask_chats,
    ask_filtering,
    ask_import,
    ask_responses,
    ask_sample,
    ask_study,
    remove_corpus,
    remove_sample,
    stop_work,
)
from dashboard.corpora.corpus_views import corpus_or_404, job_or_404
from dashboard.corpora.generating import ask_for_texts, file_of, stop
from dashboard.corpora.models import CorpusJob
from dashboard.corpora.people import change_corpus_role, members_of_corpus
from dashboard.corpora.queries import corpora_of, samples_with_counts
from dashboard.corpora.sample_views import sample_or_404
from dashboard.shared.pages import try_to_wake
from dashboard.shared.roles import About, Needs, Permission

CORPUS = OpenApiParameter("corpus", str, OpenApiParameter.PATH, description="its name")
SAMPLE = OpenApiParameter("sample", str, OpenApiParameter.PATH, description="its name")
JOB = OpenApiParameter("job", int, OpenApiParameter.PATH, description="its `id`")
FILE = OpenApiParameter("job_file", str, OpenApiParameter.PATH)
TEXTS = OpenApiParameter("texts", bool, description="also its generated texts")
ANY_FILE = {(200, "text/csv"): OpenApiTypes.BINARY, (200, "application/jsonl"): OpenApiTypes.BINARY}
JOB_ASKED = {202: CorpusJobSerializer}


def _asked(request: Request, job: CorpusJob) -> Response:
    """The answer once a job is stored."""
    try_to_wake(job.TASK, job.pk)
    content = CorpusJobSerializer(job, context={"request": request}).data
    return Response(content, status=HTTP_202_ACCEPTED)


class CorpusList(ListRoute):
    """The corpora in which the caller has a role, the newest first."""

    needs = Needs(Permission.READ, Permission.CORPORA, about=About.CORPORA)
    parser_classes = [MultiPartParser]

    @extend_schema(responses=CorpusSerializer(many=True))
    def get(self, request: Request) -> Response:
        return in_pages(request, Stored(corpora_of(user_of(request)), ["-id"]), CorpusSerializer)

    @extend_schema(request=ImportSerializer, responses=JOB_ASKED)
    def post(self, request: Request) -> Response:
        """Have a worker import a file as a new corpus, of which the caller becomes the owner."""
        sent = read_sent(request, ImportSerializer)
        upload = sent.validated_data["file"]
        return _asked(request, ask_import(sent.chosen, upload=upload, author=user_of(request)))


class CorpusDetail(Route):
    """A corpus: counts, what each filter removed, and how far workers are."""

    needs = Needs(Permission.READ, Permission.OWN_CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[CORPUS], responses=CorpusDetailSerializer)
    def get(self, request: Request, corpus: str) -> Response:
        found = corpus_or_404(corpus)
        return Response(CorpusDetailSerializer(found, context={"request": request}).data)

    @extend_schema(parameters=[CORPUS], responses={204: None})
    def delete(self, request: Request, corpus: str) -> Response:
        """Delete it with its files. 400 if it has samples."""
        remove_corpus(corpus_or_404(corpus), user_of(request))
        return Response(status=HTTP_204_NO_CONTENT)


class CorpusMembers(Route):
    """Who has a role in the corpus and its samples."""

    needs = Needs(Permission.OWN_CORPORA, Permission.OWN_CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[CORPUS], responses=CorpusMemberSerializer(many=True))
    def get(self, request: Request, corpus: str) -> Response:
        rows = members_of_corpus(corpus_or_404(corpus))
        return Response(CorpusMemberSerializer(rows, many=True).data)

    @extend_schema(
        parameters=[CORPUS],
        request=CorpusRoleSerializer,
        responses=CorpusMemberSerializer(many=True),
    )
    def put(self, request: Request, corpus: str) -> Response:
        """Give a researcher a role, or take it away. 400 says why nothing was changed."""
        found, options = corpus_or_404(corpus), read_sent(request, CorpusRoleSerializer).chosen
        change_corpus_role(found, options, user_of(request))
        return self.get(request, corpus)


class Filtering(Route):
    """Filters of a corpus."""

    needs = Needs(change=Permission.CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[CORPUS], request=FilteringSerializer, responses=JOB_ASKED)
    def post(self, request: Request, corpus: str) -> Response:
        """Have a worker filter the corpus, from the dialogues as they were imported."""
        found, sent = corpus_or_404(corpus), read_sent(request, FilteringSerializer)
        return _asked(request, ask_filtering(found, sent.chosen, author=user_of(request)))


class Chats(Route):
    """Chats of a corpus, to tune a model with."""

    needs = Needs(change=Permission.CORPORA, about=About.CORPORA)
    renamed = {"file": "ask_as"}

    @extend_schema(parameters=[CORPUS], request=ChatsSerializer, responses=JOB_ASKED)
    def post(self, request: Request, corpus: str) -> Response:
        """Have a worker write train.jsonl, valid.jsonl and test.jsonl."""
        found, sent = corpus_or_404(corpus), read_sent(request, ChatsSerializer)
        return _asked(request, ask_chats(found, sent.chosen, author=user_of(request)))


class SampleList(ListRoute):
    """The samples of a corpus, the newest first."""

    needs = Needs(Permission.READ, Permission.CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[CORPUS], responses=SampleSerializer(many=True))
    def get(self, request: Request, corpus: str) -> Response:
        rows = samples_with_counts().filter(corpus=corpus_or_404(corpus))
        return in_pages(request, Stored(rows, ["-id"]), SampleSerializer)

    @extend_schema(parameters=[CORPUS], request=DrawSerializer, responses=JOB_ASKED)
    def post(self, request: Request, corpus: str) -> Response:
        """Have a worker draw scenarios into a new sample."""
        found, sent = corpus_or_404(corpus), read_sent(request, DrawSerializer)
        return _asked(request, ask_sample(found, sent.chosen, author=user_of(request)))


class CorpusFile(Route):
    """A file of a filtered corpus."""

    needs = Needs(Permission.READ, is_download=True, about=About.CORPORA)

    @extend_schema(
        operation_id="corpora_file",
        parameters=[
            CORPUS,
            OpenApiParameter("corpus_file", str, OpenApiParameter.PATH, enum=list(downloads.FILES)),
        ],
        responses=ANY_FILE,
    )
    def get(self, request: Request, corpus: str, corpus_file: str) -> HttpResponseBase:
        return downloads.corpus_file(corpus_or_404(corpus), corpus_file)


class RawDialogues(Route):
    """The dialogues of a corpus as they were imported, with what identifies people."""

    needs = Needs(Permission.IDENTIFY, is_download=True, about=About.CORPORA)

    @extend_schema(parameters=[CORPUS], responses={(200, "application/jsonl"): OpenApiTypes.BINARY})
    def get(self, request: Request, corpus: str) -> HttpResponseBase:
        return downloads.raw_dialogues(corpus_or_404(corpus))


class CorpusJobDetail(Route):
    """How far a worker is with a corpus or a sample."""

    needs = Needs(Permission.READ, about=About.CORPORA)

    @extend_schema(parameters=[JOB], responses=CorpusJobSerializer)
    def get(self, request: Request, job: int) -> Response:
        return Response(CorpusJobSerializer(job_or_404(job), context={"request": request}).data)


class StopCorpusJob(Route):
    """To end work on a corpus or a sample that waits or is under way."""

    needs = Needs(change=Permission.CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[JOB], request=None, responses=CorpusJobSerializer)
    def post(self, request: Request, job: int) -> Response:
        """Its worker ends the work within seconds. The answer is the job; one that has ended before
        stays as it is.
        """
        row = job_or_404(job)
        stop_work(row, author=user_of(request))
        row.refresh_from_db()
        return Response(CorpusJobSerializer(row, context={"request": request}).data)


class CorpusJobFile(Route):
    """A file that a worker wrote."""

    needs = Needs(Permission.READ, is_download=True, about=About.CORPORA)

    @extend_schema(operation_id="corpora_jobs_file", parameters=[JOB, FILE], responses=ANY_FILE)
    def get(self, request: Request, job: int, job_file: str) -> HttpResponseBase:
        return downloads.job_file(job_or_404(job), job_file)


class SampleDetail(Route):
    """A sample, and how far workers are."""

    needs = Needs(Permission.READ, Permission.CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[SAMPLE], responses=SampleDetailSerializer)
    def get(self, request: Request, sample: str) -> Response:
        found = sample_or_404(sample)
        return Response(SampleDetailSerializer(found, context={"request": request}).data)

    @extend_schema(parameters=[SAMPLE, TEXTS], responses={204: None})
    def delete(self, request: Request, sample: str) -> Response:
        """Delete it. 400 if it has generated texts, unless these are to go, too."""
        remove_sample(
            sample_or_404(sample),
            user_of(request),
            with_texts=one_of(request, "texts", ["true", "false"]) == "true",
        )
        return Response(status=HTTP_204_NO_CONTENT)


class ScenarioList(ListRoute):
    """The scenarios of a sample, in the order drawn."""

    needs = Needs(Permission.READ, about=About.CORPORA)

    @extend_schema(parameters=[SAMPLE], responses=SampledScenarioSerializer(many=True))
    def get(self, request: Request, sample: str) -> Response:
        rows = sample_or_404(sample).scenarios.all()
        return in_pages(request, Stored(rows, ["position"]), SampledScenarioSerializer)


class GeneratedTexts(Route):
    """Texts that models write for the scenarios of a sample."""

    needs = Needs(Permission.READ, Permission.CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[SAMPLE], responses=GeneratedTextsSerializer)
    def get(self, request: Request, sample: str) -> Response:
        found = sample_or_404(sample)
        content: dict[str, Any] = {
            "file": file_of(found),
            "progress": progress(found),
            "failures": [{"reason": why, "texts": n} for why, n in failure_reasons(found)],
        }
        return Response(GeneratedTextsSerializer(content).data)

    @extend_schema(
        parameters=[SAMPLE],
        request=GenerateSerializer,
        responses={200: PlannedTextsSerializer, 202: PlannedTextsSerializer},
    )
    def post(self, request: Request, sample: str) -> Response:
        """Have the missing texts generated: those that a generation file asks for, or without one
        those of the last. With `dry_run` it is only said which (200).
        """
        found = sample_or_404(sample)
        options = read_sent(request, GenerateSerializer).chosen
        asked = ask_for_texts(found, options, author=user_of(request))
        for generator in asked.generators:
            try_to_wake("corpus.generate", generator.pk)
        content = {
            "is_queued": not options.dry_run,
            "cost": total_cost(asked.planned),
            "systems": asked.planned,
        }
        status = 200 if options.dry_run else HTTP_202_ACCEPTED
        return Response(PlannedTextsSerializer(content).data, status=status)


class StopGenerating(Route):
    """Stopping what generates texts."""

    needs = Needs(change=Permission.CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[SAMPLE], request=None, responses=GeneratedTextsSerializer)
    def post(self, request: Request, sample: str) -> Response:
        """Have no further texts asked for. Answers that are under way are kept; asking for the
        texts again continues.
        """
        stop(sample_or_404(sample), user_of(request))
        return GeneratedTexts().get(request, sample)


class Responses(Route):
    """The responses of a sample as files."""

    needs = Needs(change=Permission.CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[SAMPLE], request=MissingTextsSerializer, responses=JOB_ASKED)
    def post(self, request: Request, sample: str) -> Response:
        """Have a worker write responses.csv and generations.csv."""
        found, sent = sample_or_404(sample), read_sent(request, MissingTextsSerializer)
        return _asked(request, ask_responses(found, sent.chosen, author=user_of(request)))


class StudyOfSample(Route):
    """A study of a sample's responses."""

    renamed = {"file": "study"}
    needs = Needs(change=Permission.CORPORA, about=About.CORPORA)

    @extend_schema(parameters=[SAMPLE], request=StudyOfSampleSerializer, responses=JOB_ASKED)
    def post(self, request: Request, sample: str) -> Response:
        """Have a worker load the responses with a study.yaml as a draft. The caller becomes its
        owner; of a study that is there, a role that may change it is needed.
        """
        found, sent = sample_or_404(sample), read_sent(request, StudyOfSampleSerializer)
        return _asked(request, ask_study(found, sent.chosen, author=user_of(request)))

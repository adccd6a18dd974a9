"""Work on corpora that pages and the API ask for: a queue for workers, who do it in `making`.

Nothing here loads what that needs, so web processes may ask.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete
from django.dispatch import receiver

from corpus.definition import MissingTexts
from corpus.dialogues import KINDS
from corpus.filters import Filters, filters_of
from corpus.folders import check_new, delete_corpus, delete_sample
from corpus.models import Corpus, Sample
from corpus.options import ChatsOptions, ImportOptions, SampleOptions, SampleStudyOptions
from corpus.problems import CorpusProblem
from dashboard.corpora.models import CorpusJob
from dashboard.shared.log import record
from dashboard.shared.stopping import stop_job
from survey.files.apart import read_apart
from survey.files.yaml_file import YamlFile
from survey.refusals import RefusalKind

Kind = CorpusJob.Kind
Subject = CorpusJob.Subject
State = CorpusJob.State


class BeingWorkedOn(CorpusProblem):
    """A job is at a corpus or a sample."""

    kind = RefusalKind.LATER

    def __init__(self, subject: str, name: str) -> None:
        super().__init__(f"{subject} {name} is being worked on; wait until that has ended")


def ask(
    kind: CorpusJob.Kind,
    name: str,
    *,
    author: User,
    options: Mapping[str, Any],
    total: int | None = None,
    upload: "UploadedFile[Any] | None" = None,
) -> CorpusJob:
    """A job that waits for a worker, whom the caller wakes. What an earlier one of its kind left is
    deleted. Raises CorpusProblem while there is one about the same corpus or sample.
    """
    subject = Subject.CORPUS if kind in CorpusJob.OF_CORPUS else Subject.SAMPLE
    given = dict(options)
    if upload is not None:
        given |= {"file": upload.name or "", "suffix": _suffix_of(upload)}
    try:
        with transaction.atomic():
            of_subject = CorpusJob.objects.filter(subject=subject, name=name, kind=kind)
            of_subject.exclude(state__in=CorpusJob.UNDER_WAY).delete()
            job = CorpusJob.objects.create(
                kind=kind, subject=subject, name=name, options=given, author=author, total=total
            )
            if upload is not None:
                job.folder.mkdir(parents=True)
                with job.upload.open("wb") as file:
                    for chunk in upload.chunks():
                        file.write(chunk)
            record(None, author, f"corpus {kind}", name=name)
    except IntegrityError:
        raise BeingWorkedOn(subject, name) from None
    return job


def ask_import(options: ImportOptions, *, upload: "UploadedFile[Any]", author: User) -> CorpusJob:
    """`ask` for a new corpus. Raises CorpusProblem."""
    check_new(Corpus, options.name, "corpus")
    read = {"preset": options.preset, "columns": options.columns, "where": options.records}
    return ask(Kind.IMPORT, options.name, author=author, options=read, upload=upload)


def ask_filtering(corpus: Corpus, given: Filters, *, author: User) -> CorpusJob:
    """`ask` for a corpus to be filtered, from the dialogues as they were imported. What `given`
    does not set is as before. Raises CorpusProblem.
    """
    filters = filters_before(corpus).model_copy(update=given.model_dump(exclude_unset=True))
    return ask(
        Kind.FILTER,
        corpus.name,
        author=author,
        options={"filters": filters.model_dump(mode="json")},
        total=corpus.source["dialogues"],
    )


def filters_before(corpus: Corpus) -> Filters:
    """The filters that a corpus had, else those of its preset."""
    if corpus.filtered is not None:
        return Filters.model_validate(corpus.filtered["filters"])
    return filters_of(corpus.source["preset"], {})


def ask_chats(corpus: Corpus, options: ChatsOptions, *, author: User) -> CorpusJob:
    """`ask` for chats to tune a model with. Raises DefinitionError and CorpusProblem."""
    definition, condition = options.asked_as() or (None, options.condition)
    asked = definition.model_dump_json(exclude_unset=True) if definition else ""
    drawn = options.model_dump(exclude={"ask_as"}) | {"ask_as": asked, "condition": condition}
    return ask(Kind.CHATS, corpus.name, author=author, options=drawn)


def ask_sample(corpus: Corpus, options: SampleOptions, *, author: User) -> CorpusJob:
    """`ask` for a new sample. Raises CorpusProblem."""
    check_new(Sample, options.name, "sample")
    drawn = {"corpus": corpus.name, **options.model_dump(exclude={"name"})}
    return ask(Kind.SAMPLE, options.name, author=author, options=drawn)


def ask_responses(sample: Sample, options: MissingTexts, *, author: User) -> CorpusJob:
    """`ask` for responses.csv and generations.csv. Raises CorpusProblem."""
    choice = {"choice": options.model_dump()}
    return ask(Kind.RESPONSES, sample.name, author=author, options=choice)


def ask_study(sample: Sample, options: SampleStudyOptions, *, author: User) -> CorpusJob:
    """`ask` for a study of a sample's responses. Raises DefinitionError if its file is no YAML, and
    CorpusProblem.
    """
    name, content = options.study.name, options.study.content
    read_apart(name, YamlFile, content, file=name)
    asked = {
        "study": content.decode("utf-8-sig"),
        "choice": options.model_dump(exclude={"study"}),
    }
    return ask(Kind.STUDY, sample.name, author=author, options=asked)


def _suffix_of(upload: "UploadedFile[Any]") -> str:
    """How the name ends. Raises CorpusProblem for files that are none of a corpus."""
    suffix = Path(upload.name or "").suffix.lower()
    if suffix not in KINDS:
        raise CorpusProblem(
            f"{upload.name}: the name of a corpus file ends with one of {', '.join(KINDS)}"
        )
    return suffix


def jobs_of(subject: str, name: str) -> QuerySet[CorpusJob]:
    """Those about a corpus or a sample that is there, the newest first. A failed or stopped import
    or draw belongs to another corpus or sample of this name.
    """
    jobs = CorpusJob.objects.filter(subject=subject, name=name)
    return jobs.exclude(kind__in=(Kind.IMPORT, Kind.SAMPLE), state__in=CorpusJob.WITHOUT_RESULT)


def imports_without_corpus(author: User) -> QuerySet[CorpusJob]:
    """Imports of an account, for superusers those of all, that are under way, failed or stopped;
    the newest first.
    """
    imports = CorpusJob.objects.filter(kind=Kind.IMPORT).exclude(state=State.DONE)
    if not author.is_superuser:
        imports = imports.filter(author=author)
    return imports.exclude(name__in=Corpus.objects.values("name"))


def draws_without_sample(corpus: Corpus) -> QuerySet[CorpusJob]:
    """Draws from a corpus that are under way, failed or stopped, the newest first."""
    draws = CorpusJob.objects.filter(kind=Kind.SAMPLE, options__corpus=corpus.name)
    return draws.exclude(state=State.DONE).exclude(name__in=Sample.objects.values("name"))


def remove_corpus(corpus: Corpus, author: User) -> None:
    """Delete a corpus, its files and what was written of it. Raises CorpusProblem."""
    _refuse_under_way(Subject.CORPUS, corpus.name)
    with transaction.atomic():
        record(None, author, "corpus deleted", name=corpus.name)
        delete_corpus(corpus)


def remove_sample(sample: Sample, author: User, *, with_texts: bool) -> None:
    """Delete a sample and what was written of it. Raises CorpusProblem."""
    _refuse_under_way(Subject.SAMPLE, sample.name)
    with transaction.atomic():
        record(None, author, "sample deleted", name=sample.name)
        delete_sample(sample, with_texts=with_texts)


def stop_work(job: CorpusJob, *, author: User) -> bool:
    """End a job that waits or is under way. False where it had ended already."""
    is_stopped = stop_job(job, author=author, study=None)
    forget_uploads()
    return is_stopped


def dismiss(job: CorpusJob) -> None:
    """Forget a job that failed or was stopped; one that is under way stays."""
    CorpusJob.objects.filter(pk=job.pk, state__in=CorpusJob.WITHOUT_RESULT).delete()


def _refuse_under_way(subject: str, name: str) -> None:
    jobs = CorpusJob.objects.filter(subject=subject, name=name)
    if jobs.filter(state__in=CorpusJob.UNDER_WAY).exists():
        raise BeingWorkedOn(subject, name)


def forget_uploads() -> None:
    """Remove the files of imports that have ended: they have dialogues of people."""
    there = [path.parent.name for path in Path(settings.CORPORA_DIR).glob(".job-*/upload*")]
    jobs = CorpusJob.objects.filter(pk__in=[int(name.removeprefix(".job-")) for name in there])
    for job in jobs.exclude(state__in=CorpusJob.UNDER_WAY):
        job.upload.unlink(missing_ok=True)


def remove_leftovers() -> None:
    """Remove folders of jobs that are gone: a process that is killed may leave some."""
    folders = list(Path(settings.CORPORA_DIR).glob(".job-*"))  # before the rows
    known = {f".job-{pk}" for pk in CorpusJob.objects.values_list("id", flat=True)}
    for folder in folders:
        if folder.name not in known:
            shutil.rmtree(folder, ignore_errors=True)


@receiver(post_delete, sender=Corpus)
@receiver(post_delete, sender=Sample)
def _remove_jobs(instance: Corpus | Sample, **_: Any) -> None:
    """However it was deleted: the next one of this name may have another owner."""
    subject = Subject.CORPUS if isinstance(instance, Corpus) else Subject.SAMPLE
    CorpusJob.objects.filter(subject=subject, name=instance.name).delete()


@receiver(post_delete, sender=CorpusJob)
def _remove_folder(instance: CorpusJob, **_: Any) -> None:
    folder = instance.folder
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))

"""What a worker does with a corpus or a sample that a page or the API asked for."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from corpus.chats import PLAIN, scenario_rows, write_chats
from corpus.definition import GenerationDefinition, MissingTexts
from corpus.dialogues import layout_of
from corpus.filters import Filters
from corpus.models import Corpus, Sample
from corpus.problems import CorpusProblem
from corpus.responses import write_responses
from corpus.splitting import Split
from corpus.store import drawn_sample, filtered, imported
from dashboard.corpora.asking import forget_uploads
from dashboard.corpora.models import CorpusJob
from dashboard.design.study_folder import (
    LoadedFolder,
    StudyFolder,
    before_opening,
    load_folder,
    read_folder,
)
from dashboard.overview.people import set_corpus_role, set_role
from dashboard.shared.access import is_researcher, role_of
from dashboard.shared.log import record
from dashboard.shared.roles import Permission, Role
from jobs.runner import Store, Taken
from survey.files.apart import more_memory_at_most
from survey.files.problems import DefinitionError
from survey.models import Study

Kind = CorpusJob.Kind
#: Bytes that a worker may take for a file: a row group of a Parquet file is in memory at once.
IMPORT_MEMORY = 2_000_000_000
STUDY_FILE = "study.yaml"


def work(taken: Taken[CorpusJob]) -> Store:
    job = taken.job
    taken.at_end.callback(forget_uploads)
    try:
        return WORK[Kind(job.kind)](taken)
    except DefinitionError as error:
        raise _under_own_names(error, job) from None


def _under_own_names(error: DefinitionError, job: CorpusJob) -> DefinitionError:
    """The same problems, in files as people call them."""
    own = {str(job.upload): job.options.get("file", "")}
    return DefinitionError(
        [replace(each, file=own.get(each.file, Path(each.file).name)) for each in error.problems]
    )


def _progress(taken: Taken[CorpusJob]) -> Callable[[int], None]:
    """Told how many more dialogues are done. Raises Lost."""
    done = 0

    def tell(n: int) -> None:
        nonlocal done
        done += n
        taken.note(done=done)

    return tell


def _corpus(name: str) -> Corpus:
    """Raises CorpusProblem, which names no other corpora: they may be somebody else's."""
    if corpus := Corpus.objects.filter(name=name).first():
        return corpus
    raise CorpusProblem(f"corpus {name} was deleted")


def _sample_of(name: str) -> Sample:
    """As `_corpus`."""
    if sample := Sample.objects.filter(name=name).first():
        return sample
    raise CorpusProblem(f"sample {name} was deleted")


def _import(taken: Taken[CorpusJob]) -> Store:
    job, options = taken.job, taken.job.options
    reading = imported(
        job.upload,
        job.name,
        layout_of(options["preset"], options["columns"], options["where"]),
        preset=options["preset"],
        file_name=options["file"],
        progress=_progress(taken),
    )
    try:
        with more_memory_at_most(IMPORT_MEMORY):
            make_corpus = taken.at_end.enter_context(reading)
    except MemoryError:
        size = f"{IMPORT_MEMORY // 10**6:,} MB"
        raise CorpusProblem(
            f"reading {options['file']} takes more than {size} of memory; give less at a time"
        ) from None

    def store() -> None:
        taken.keep()
        corpus = make_corpus()
        if job.author is not None and is_researcher(job.author):
            set_corpus_role(corpus=corpus, user=job.author, role=Role.OWNER, author=job.author)
        noticed = corpus.source.get("noticed", [])
        taken.finish(said=[f"{corpus.source['dialogues']:,} dialogues imported", *noticed])

    return store


def _filter(taken: Taken[CorpusJob]) -> Store:
    corpus = _corpus(taken.job.name)
    filters = Filters.model_validate(taken.job.options["filters"])
    replace_dialogues = taken.at_end.enter_context(
        filtered(corpus, filters, progress=_progress(taken))
    )

    def store() -> None:
        taken.finish(said=[f"{corpus.dialogues:,} dialogues left"])
        replace_dialogues()

    return store


def _chats(taken: Taken[CorpusJob]) -> Store:
    job, options = taken.job, taken.job.options
    corpus = _corpus(job.name)
    definition, condition = PLAIN, "plain"
    if options["ask_as"]:
        definition = GenerationDefinition.model_validate_json(options["ask_as"])
        condition = options["condition"]
    split = Split(
        valid=options["valid"],
        test=options["test"],
        seed=options["seed"],
        together=options["together"],
        held_out=scenario_rows(corpus),
    )
    sizes = write_chats(
        corpus, split, _empty(job.folder / "files"), definition=definition, condition=condition
    )
    said = []
    if n := len(split.held_out):
        said = [f"{n} dialogues are scenarios of samples, so they are in test."]
    files = {f"{name}.jsonl": n for name, n in sizes.items()}
    return partial(taken.finish, files=files, said=said)


def _sample(taken: Taken[CorpusJob]) -> Store:
    job, options = taken.job, taken.job.options
    make_sample = drawn_sample(
        _corpus(options["corpus"]),
        job.name,
        first=options["first"],
        at_random=options["random"],
        seed=options["seed"],
    )

    def store() -> None:
        taken.keep()
        n = make_sample().scenarios.count()
        taken.finish(said=[f"{n} scenarios drawn"])

    return store


def _responses(taken: Taken[CorpusJob]) -> Store:
    job = taken.job
    files, said = write_responses(
        _sample_of(job.name), _empty(job.folder / "files"), _missing_texts(job)
    )
    return partial(taken.finish, files=files, said=said)


def _missing_texts(job: CorpusJob) -> MissingTexts:
    return MissingTexts.model_validate(job.options.get("choice", {}))


def _study(taken: Taken[CorpusJob]) -> Store:
    """Load the responses with a study.yaml as a draft, of which the author becomes the owner."""
    job = taken.job
    folder = _empty(job.folder / "study")
    taken.at_end.callback(shutil.rmtree, folder, ignore_errors=True)
    _, left_out = write_responses(_sample_of(job.name), folder, _missing_texts(job))
    (folder / STUDY_FILE).write_text(job.options["study"], encoding="utf-8")
    read = read_folder(folder)

    def store() -> None:
        loaded = _loaded(read, job)
        harm, notices = before_opening(read, loaded.study)
        said = [*_outcome(loaded), *left_out, *read.notices, *notices]
        said += [f"Not ready to open: {reason}" for reason in harm]
        said = [line.replace(f"{folder}/", "") for line in said]
        taken.finish(said=said, study=str(loaded.study))

    return store


def _loaded(read: StudyFolder, job: CorpusJob) -> LoadedFolder:
    """Load the folder as a study of the job's author. Raises CorpusProblem if they may not."""
    slug = read.definition.slug
    is_new = not Study.objects.filter(slug=slug).exists()
    if job.author is None:
        raise CorpusProblem("the account that asked for the study is gone")
    role = role_of(job.author, slug)
    if not is_new and not (role and role.may(Permission.CHANGE)):
        raise CorpusProblem(
            f"{STUDY_FILE}: slug: there is a study {slug!r} that you may not change; choose "
            "another slug"
        )
    loaded = load_folder(read)
    if is_new and not job.author.is_superuser:
        set_role(study=loaded.study, user=job.author, role=Role.OWNER, author=job.author)
    record(loaded.study, job.author, "loaded from sample", name=job.name)
    return loaded


def _outcome(loaded: LoadedFolder) -> Iterator[str]:
    yield f"{loaded.study} is {'unchanged' if loaded.outcome == 'unchanged' else 'a draft'}."


def _empty(folder: Path) -> Path:
    """A folder without what a lost worker left in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


WORK: dict[CorpusJob.Kind, Callable[[Taken[CorpusJob]], Store]] = {
    Kind.IMPORT: _import,
    Kind.FILTER: _filter,
    Kind.CHATS: _chats,
    Kind.SAMPLE: _sample,
    Kind.RESPONSES: _responses,
    Kind.STUDY: _study,
}

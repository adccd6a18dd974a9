"""responses.csv of a study from a sample's texts, and the record of how each was generated."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from corpus.definition import MissingTexts, ResponseRow, rows_of
from corpus.models import Generation, GenerationAttempt, Sample
from corpus.planning import Written, progress, wanted_texts
from corpus.problems import CorpusProblem
from judge.completions import Ended, Oddity
from survey.definition.missing import in_set
from survey.files.csv_text import csv_lines

Row = Mapping[str, object]
RESPONSES, GENERATIONS = "responses.csv", "generations.csv"
#: What a study reads, then where each text is from: `load_study` ignores it.
RESPONSE_COLUMNS = (
    *("scenario", "set", "prompt", "context", "model", "condition", "response"),
    *("generated_by", "parameters", "generated_at"),
)
GENERATION_COLUMNS = (
    *("scenario", "model", "condition", "replicate", "text", "cut_off"),
    *("requested_model", "returned_model", "endpoint", "parameters", "seed", "prompt_hash"),
    *("generated_at", "request_id", "attempts", "cost", "cost_is_estimate"),
    *("prompt_tokens", "completion_tokens", "corpus", "corpus_row"),
    *("ended", "notices", "error"),
)
#: A text of the first replicate, by scenario, model and condition.
Texts = dict[tuple[str, str, str], Written]


def write_responses(
    sample: Sample, folder: Path, missing_texts: MissingTexts | None = None
) -> tuple[dict[str, int], list[str]]:
    """Write both files of a sample into a folder; returns their rows, and what was left out, in
    words. Responses are of the first replicate.

    Raises CorpusProblem if texts are missing and `missing_texts` does not say what to do, and
    JudgeNotReady if an endpoint is.
    """
    missing_texts = missing_texts or MissingTexts()
    definition = sample.read_generation()
    if definition is None:
        raise CorpusProblem(f"sample {sample} has no texts yet; generate them first")
    now = progress(sample)
    if waiting := now.total - now.answered - now.failed:
        raise CorpusProblem(
            f"{waiting} of {now.total} texts of sample {sample} are still to come; generate again "
            "first"
        )
    texts = list(wanted_texts(sample, definition))
    first = {
        (each.generation.scenario.name, each.model, each.condition): each
        for each in texts
        if each.generation.replicate == 1
    }
    scenarios = [scenario.name for scenario in sample.scenarios.all()]
    missing = [at for at, each in first.items() if not _is_response(each.generation, missing_texts)]
    if missing and missing_texts.leave_out is None:
        raise CorpusProblem(_what_to_do(sample, {at: first[at].generation for at in missing}))
    kept, said = _left(rows_of(definition, scenarios), missing, missing_texts)
    responses = list(_responses(sample, kept, first))
    if not any(row["generated_by"] != CORPUS for row in responses):
        raise CorpusProblem(f"no text of sample {sample} is left; nothing is written")
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / RESPONSES, RESPONSE_COLUMNS, responses)
    generations = ([row[name] for name in GENERATION_COLUMNS] for row in map(_generation, texts))
    with (folder / GENERATIONS).open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(GENERATION_COLUMNS, generations))
    return {RESPONSES: len(responses), GENERATIONS: len(texts)}, said


#: Who wrote the reference.
CORPUS = "corpus"


def _is_response(text: Generation, missing_texts: MissingTexts) -> bool:
    """Whether a text is a response of the study."""
    if not text.text:
        return False
    if text.state != Generation.State.ANSWERED:
        return text.ended == Ended.REFUSED and missing_texts.with_refusals
    if text.is_cut_off and "cut_off" in missing_texts.without:
        return False
    return not (Oddity.MAY_REFUSE in text.notices and "likely_refusals" in missing_texts.without)


def _why_missing(text: Generation) -> str:
    if text.state == Generation.State.ANSWERED and not text.is_cut_off:
        return "likely refusals"
    ended = Ended(text.ended or Ended.COMPLETE)
    return "failed" if ended is Ended.COMPLETE else ended.in_words


def _counted(texts: Iterable[Generation]) -> str:
    counts = Counter(map(_why_missing, texts))
    return ", ".join(f"{n} {why}" for why, n in counts.most_common())


def _what_to_do(sample: Sample, missing: Mapping[tuple[str, str, str], Generation]) -> str:
    scenario, model, condition = next(iter(missing))
    return (
        f"{len(missing)} texts of sample {sample} are missing ({_counted(missing.values())}, such "
        f"as {scenario} by {model} ({condition})); generate again, or choose what to leave out for "
        "them: the texts, their scenarios or their models"
    )


def _left(
    rows: Iterable[ResponseRow],
    missing: list[tuple[str, str, str]],
    missing_texts: MissingTexts,
) -> tuple[list[ResponseRow], list[str]]:
    """The rows that are left, and what is left out, in words."""
    leave_out = missing_texts.leave_out
    if leave_out == "text":
        return _without_texts(list(rows), set(missing))
    names = dict.fromkeys(at[0 if leave_out == "scenario" else 1] for at in missing)
    said = [f"left out: {leave_out} {name}" for name in names]
    return [row for row in rows if getattr(row, leave_out or "scenario") not in names], said


def _without_texts(
    rows: list[ResponseRow], gone: set[tuple[str, str, str]]
) -> tuple[list[ResponseRow], list[str]]:
    """The rows without these texts, nor scenarios of which a set has no text left: no study can
    show them.
    """
    kept = [row for row in rows if (row.scenario, row.model, row.condition) not in gone]
    blocks = {(row.scenario, row.set_name) for row in kept}
    empty = {
        row.scenario: row.set_name for row in rows if (row.scenario, row.set_name) not in blocks
    }
    said = [f"left out: {len(gone)} texts"] if gone else []
    said += [
        f"left out: scenario {name}, which has no text left{in_set(set_name)}"
        for name, set_name in empty.items()
    ]
    return [row for row in kept if row.scenario not in empty], said


def _responses(sample: Sample, rows: Iterable[ResponseRow], first: Texts) -> Iterator[Row]:
    scenarios = {scenario.name: scenario for scenario in sample.scenarios.all()}
    for row in rows:
        scenario = scenarios[row.scenario]
        about = {
            "scenario": row.scenario,
            "set": row.set_name,
            "prompt": scenario.prompt,
            "context": scenario.context,
            "model": row.model,
            "condition": row.condition,
        }
        each = first.get((row.scenario, row.model, row.condition))
        if each is None:
            if not scenario.reference:
                raise CorpusProblem(
                    f"scenario {scenario.name} has no response in corpus {sample.corpus}: remove "
                    "`reference` from the generation file"
                )
            yield about | {"response": scenario.reference, "generated_by": CORPUS}
            continue
        generator, attempt = each.generation.generator, each.attempt
        assert attempt is not None  # it has a text
        yield about | {
            "response": each.generation.text,
            "generated_by": attempt.returned_model or generator.model,
            "parameters": _json(_sent(attempt)),
            "generated_at": _time(each),
        }


def _generation(each: Written) -> Row:
    text, attempt = each.generation, each.attempt
    usage = (attempt.provenance.get("usage") if attempt else None) or {}
    is_response = text.state == Generation.State.ANSWERED
    return {
        "scenario": text.scenario.name,
        "model": each.model,
        "condition": each.condition,
        "replicate": text.replicate,
        "text": text.text if is_response or text.ended == Ended.REFUSED else "",
        "cut_off": str(text.is_cut_off).lower(),
        "requested_model": text.generator.model,
        "returned_model": attempt.returned_model if attempt else "",
        "endpoint": text.generator.endpoint.base_url,
        "parameters": _json(_sent(attempt) if attempt else {}),
        "seed": attempt.request.get("seed", "") if attempt else "",
        "prompt_hash": text.prompt_hash,
        "generated_at": _time(each),
        "request_id": attempt.request_id if attempt else "",
        "attempts": len(text.attempts.all()),
        "cost": "" if not attempt or attempt.cost is None else f"{attempt.cost.normalize():f}",
        "cost_is_estimate": str(bool(attempt and attempt.cost_is_estimate)).lower(),
        "prompt_tokens": usage.get("prompt_tokens", ""),
        "completion_tokens": usage.get("completion_tokens", ""),
        "corpus": text.scenario.sample.corpus.name,
        "corpus_row": text.scenario.row,
        "ended": text.ended if text.ended or not is_response else Ended.COMPLETE,
        "notices": "; ".join(text.notices),
        "error": text.error,
    }


def _sent(attempt: GenerationAttempt) -> dict[str, object]:
    """The parameters of a request; each text has its own seed, which is a column."""
    aside = ("model", "messages", "seed")
    return {name: value for name, value in attempt.request.items() if name not in aside}


def _json(parameters: dict[str, object]) -> str:
    return json.dumps(parameters, ensure_ascii=False, sort_keys=True)


def _time(each: Written) -> str:
    at = each.generation.answered_at
    return at.isoformat(timespec="seconds").replace("+00:00", "Z") if at else ""


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(
            csv_lines(columns, ([row.get(name, "") for name in columns] for row in rows))
        )

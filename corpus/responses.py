"""responses.csv of a study from a sample's texts, and the record of how each was generated."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from corpus.definition import GenerationDefinition, rows_of
from corpus.models import Sample
from corpus.planning import Written, progress, written
from corpus.problems import CorpusProblem
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
)


def write_responses(sample: Sample, folder: Path) -> dict[str, int]:
    """Write both files of a sample into a folder; returns their rows. Responses are of the first
    replicate.

    Raises CorpusProblem if texts are missing, and JudgeNotReady if an endpoint is.
    """
    definition = sample.read_generation()
    if definition is None:
        raise CorpusProblem(f"sample {sample} has no texts yet; generate them first")
    now = progress(sample)
    if now.answered < now.total:
        raise CorpusProblem(
            f"{now.total - now.answered} of {now.total} texts of sample {sample} are missing; "
            "generate again first"
        )
    texts = list(written(sample, definition))
    responses = list(_responses(sample, definition, texts))
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / RESPONSES, RESPONSE_COLUMNS, responses)
    generations = ([row[name] for name in GENERATION_COLUMNS] for row in map(_generation, texts))
    with (folder / GENERATIONS).open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(GENERATION_COLUMNS, generations))
    return {RESPONSES: len(responses), GENERATIONS: len(texts)}


def _responses(
    sample: Sample, definition: GenerationDefinition, texts: list[Written]
) -> Iterable[Row]:
    scenarios = {scenario.name: scenario for scenario in sample.scenarios.all()}
    first = {
        (each.generation.scenario.name, each.model, each.condition): each
        for each in texts
        if each.generation.replicate == 1
    }
    for row in rows_of(definition, list(scenarios)):
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
            yield about | {"response": scenario.reference, "generated_by": "corpus"}
            continue
        generator = each.generation.generator
        yield about | {
            "response": each.generation.text,
            "generated_by": each.attempt.returned_model or generator.model,
            "parameters": _json(generator.read_configuration().parameters),
            "generated_at": _time(each),
        }


def _generation(each: Written) -> Row:
    text, attempt = each.generation, each.attempt
    usage = attempt.provenance.get("usage") or {}
    return {
        "scenario": text.scenario.name,
        "model": each.model,
        "condition": each.condition,
        "replicate": text.replicate,
        "text": text.text,
        "cut_off": str(text.is_cut_off).lower(),
        "requested_model": text.generator.model,
        "returned_model": attempt.returned_model,
        "endpoint": text.generator.endpoint.base_url,
        "parameters": _json(text.generator.read_configuration().parameters),
        "seed": attempt.request.get("seed", ""),
        "prompt_hash": text.prompt_hash,
        "generated_at": _time(each),
        "request_id": attempt.request_id,
        "attempts": len(text.attempts.all()),
        "cost": "" if attempt.cost is None else f"{attempt.cost.normalize():f}",
        "cost_is_estimate": str(attempt.cost_is_estimate).lower(),
        "prompt_tokens": usage.get("prompt_tokens", ""),
        "completion_tokens": usage.get("completion_tokens", ""),
        "corpus": text.scenario.sample.corpus.name,
        "corpus_row": text.scenario.row,
    }


def _json(parameters: dict[str, object]) -> str:
    return json.dumps(parameters, ensure_ascii=False, sort_keys=True)


def _time(each: Written) -> str:
    at = each.generation.answered_at
    assert at is not None
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)

"""Perturbed texts and their scores as tidy tables."""

import json
from collections import Counter

from pandas import DataFrame

from analysis.catalogue.vocabulary import VOCABULARY
from analysis.judges.perturbed import PERTURBATION_TEXTS, PerturbedData
from analysis.metric_labels import LABELS
from analysis.models import PerturbationRun, PerturbedScore
from analysis.perturbation_requests import finished_perturbations
from analysis.perturbations import PERTURBATIONS
from survey.models import Study
from survey.tidy import cells_of

COLUMNS = (
    "source", "kind", "dimension", "perturbation", "scenario", "response", "model", "condition",
    "before", "after", "range", "original", "text",
)  # fmt: skip
#: Of what is stored of a text, what says nothing of the others.
OF_EACH = (
    "seed", "prompt_sha256", "response_id", "by", "ended", "notices", "thinking", "why_none",
)  # fmt: skip


def read_perturbed(study: Study) -> PerturbedData:
    """What is stored of the study's finished run. Call it inside `reading()`."""
    run = finished_perturbations(study)
    if run is None:
        return PerturbedData()
    cells = {response: cell for (_, response), cell in reversed(cells_of(study).items())}
    kinds, sources = ("scorer", "metric", "judge"), list(LABELS)
    rows = []
    scores = PerturbedScore.objects.filter(text__run=run).select_related("text__response")
    for each in scores.order_by("id").iterator(chunk_size=2000):
        text = each.text
        cell = cells.get(text.response_id)
        if cell is None:
            continue  # the response is shown no more
        scenario, _, model, condition = cell.names
        rows.append(
            (
                each.source, each.kind, each.dimension, text.perturbation, scenario,
                text.response_id, model, condition, each.before, each.after, each.range,
                text.response.text, text.text,
            )
        )  # fmt: skip
    table = DataFrame(rows, columns=list(COLUMNS))
    order = {name: place for place, name in enumerate([*sources, *VOCABULARY["perturbations"]])}
    place = table["perturbation"].map(order.get)
    table = table.assign(
        of_kind=table["kind"].map(kinds.index),
        of_source=table["source"].map(lambda name: order.get(name, -1)),
        place=place,
    )
    table = table.sort_values(
        ["of_kind", "of_source", "source", "dimension", "place", "scenario", "response"]
    )
    numbers = dict.fromkeys(["before", "after", "range"], "float64")
    return PerturbedData(table[list(COLUMNS)].astype(numbers).reset_index(drop=True), _texts(run))


def _texts(run: PerturbationRun) -> DataFrame:
    """How the texts of each perturbation were made, in the columns of PERTURBATION_TEXTS."""
    n: Counter[str] = Counter()
    same: Counter[str] = Counter()
    none: Counter[str] = Counter()
    how: dict[str, dict[str, object]] = {}
    for each in run.texts.select_related("response").iterator(chunk_size=2000):
        n[each.perturbation] += 1
        same[each.perturbation] += each.text in ("", each.response.text)
        none[each.perturbation] += "why_none" in each.provenance
        how.setdefault(each.perturbation, each.provenance)
    rows = []
    for name in VOCABULARY["perturbations"]:
        if name not in n:
            continue
        kept = {key: value for key, value in how[name].items() if key not in OF_EACH}
        settings = json.dumps({"seed": run.options["seed"]} | kept, ensure_ascii=False)
        by = str(how[name]["by"])
        rows.append(
            (name, PERTURBATIONS[name].meaning, by, settings, n[name], same[name], none[name])
        )
    return DataFrame(rows, columns=PERTURBATION_TEXTS.names)

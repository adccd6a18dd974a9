"""Perturbing responses and scoring them again, in a worker or a command.

Each text that a language model made, and each score of a judge, is committed when it is there: a
run that goes on after a failure asks for none of them again. A request is counted before it is
sent.
"""

import math
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import pandas as pd
from django.db import transaction
from django.db.models import F
from pandas import DataFrame

from analysis.computed_metrics import texts_of
from analysis.metric_options import installed_options
from analysis.metric_settings import metric_settings
from analysis.metrics import METRICS, score
from analysis.models import PerturbationRun, PerturbedScore, PerturbedText
from analysis.perturbation_requests import (
    NotPerturbed,
    PerturbationOptions,
    check_options,
    judges_called,
    options_of,
)
from analysis.perturbations import PERTURBATIONS
from analysis.perturbations.catalogue import UNCHANGED
from analysis.rewriting import rewriter
from analysis.scorer_making import embedder_of, fitted_scorer
from analysis.scorer_requests import current_scorer
from analysis.scorer_requests import options_of as options_of_scorer
from jobs.runner import Store, Taken, silent
from judge.again import AskedAgain, asked_again
from judge.models import Judge
from judge.money import Price
from judge.queries import GoldSource, scores_of
from survey.models import Scenario


def perturb(taken: Taken[PerturbationRun]) -> Store:
    """Perturb responses, and have them scored."""
    _Perturbing(taken).do()
    return partial(taken.finish, percent=100)


class _Perturbing:
    """One run, while a worker has it."""

    def __init__(self, taken: Taken[PerturbationRun]) -> None:
        self.taken, self.run = taken, taken.job
        self.study = self.run.study
        self.options = options_of(self.run)
        check_options(self.study, self.options)
        self.responses = _chosen(texts_of(self.study), self.options)
        self.done = 0
        n = len(self.responses) * len(self.options.perturbations)
        sources = 1 + bool(self.options.scorer) + bool(self.options.metrics)
        self.total = n * (sources + len(self.options.judges))

    def do(self) -> None:
        self._make_texts()
        if self.options.scorer:
            self._ask_scorer()
        if self.options.metrics:
            self._compute_metrics()
        for judge in judges_called(self.study, self.options.judges):
            self._ask_judge(judge)

    def _step(self, done: int) -> None:
        """Tell that `done` more steps are done. Raises Lost."""
        self.done += done
        self.taken.step(self.done, self.total)

    def _count(self) -> None:
        """Count a request before it is sent. Raises Lost."""
        self.taken.keep(requests=F("requests") + 1)

    def _make_texts(self) -> None:
        made = set(self.run.texts.values_list("response_id", "perturbation"))
        seed = self.options.seed
        rewritten = []
        for name in self.options.perturbations:
            perturbation, texts = PERTURBATIONS[name], []
            for row in self.responses.to_dict("records"):
                if (row["response"], name) in made:
                    continue
                if perturbation.task:
                    rewritten.append((perturbation, row))
                    continue
                about = _about(row)
                changed = perturbation.of(
                    row["text"], seed=seed, about=about, language=row["language"]
                )
                how = {"by": "rule", "seed": seed}
                texts.append(
                    PerturbedText(
                        run=self.run,
                        response_id=row["response"],
                        perturbation=name,
                        text=changed,
                        provenance=how,
                    )
                )
            PerturbedText.objects.bulk_create(texts, batch_size=1000)
            self._step(len(texts))
        if not rewritten:
            return
        where, price = (self.options.endpoint, self.options.model), self.options.price
        with rewriter(
            self.study,
            *where,
            seed=seed,
            price=Price(input=price[0], output=price[1]) if price else None,
            before_request=self._count,
        ) as model:
            for perturbation, row in rewritten:
                changed, how = model.of(perturbation, row["text"], _about(row))
                self.run.texts.create(
                    response_id=row["response"],
                    perturbation=perturbation.name,
                    text=changed,
                    provenance=how,
                )
                self._step(1)

    def _changed(self, *, with_unchanged: bool = False) -> list[PerturbedText]:
        """Texts that were made and differ from the response's; for judges also those that are to
        be the same.
        """
        before = dict(zip(self.responses["response"], self.responses["text"], strict=True))
        return [
            each
            for each in self.run.texts.exclude(text="")
            if each.text != before.get(each.response_id)
            or (with_unchanged and each.perturbation == UNCHANGED.name)
        ]

    def _ask_scorer(self) -> None:
        row = current_scorer(self.study)
        assert row is not None
        fitted, changed = fitted_scorer(row), self._changed()
        before, after = list(self.responses["text"]), [each.text for each in changed]
        with embedder_of(options_of_scorer(row), self.taken.keep) as embedder:
            table = fitted.scores([*before, *after], embedder)
        values = {
            (int(text), str(dimension)): float(score)
            for text, dimension, score in zip(
                table["text"], table["dimension"], table["score"], strict=True
            )
        }
        place = {response: n for n, response in enumerate(self.responses["response"])}
        scores = [
            self._score(
                each,
                row.name,
                "scorer",
                dimension,
                values[place[each.response_id], dimension],
                values[len(before) + number, dimension],
                fitted.high - fitted.low,
            )
            for number, each in enumerate(changed)
            for dimension in fitted.dimensions
        ]
        self._replace("scorer", scores)

    def _compute_metrics(self) -> None:
        changed = self._changed()
        own = self.responses.set_index("response")
        rows = [
            own.loc[each.response_id].to_dict() | {"response": f"changed {each.pk}",
                                                   "text": each.text}
            for each in changed
        ]  # fmt: skip
        texts = pd.concat([self.responses, DataFrame(rows)], ignore_index=True)
        needs = {METRICS[name].needs for name in self.options.metrics}
        with metric_settings(installed_options().only(needs), self.taken.keep) as settings:
            table = score(texts, self.options.metrics, settings, silent)
        values = table.set_index(["metric", "response"])["value"].to_dict()
        scores = [
            self._score(
                each,
                name,
                "metric",
                "",
                values[name, each.response_id],
                values[name, f"changed {each.pk}"],
                None,
            )
            for name in dict.fromkeys(self.options.metrics)
            for each in changed
        ]
        self._replace("metric", scores)

    def _score(
        self, text: PerturbedText, source: str, kind: str, dimension: str, before: float,
        after: float, width: float | None,
    ) -> PerturbedScore:  # fmt: skip
        return PerturbedScore(
            text=text,
            source=source,
            kind=kind,
            dimension=dimension,
            before=None if math.isnan(before) else before,
            after=None if math.isnan(after) else after,
            range=width,
        )

    def _replace(self, kind: str, scores: list[PerturbedScore]) -> None:
        with transaction.atomic():
            self.taken.keep()  # a worker that has lost the run replaces nothing
            PerturbedScore.objects.filter(text__run=self.run, kind=kind).delete()
            PerturbedScore.objects.bulk_create(scores, batch_size=1000)
        self._step(len(self.responses) * len(self.options.perturbations))

    def _ask_judge(self, judge: Judge) -> None:
        source = GoldSource(judge=judge)
        before = {
            (gold.response_id, gold.dimension): gold.value
            for gold in scores_of(self.study, source).scores
        }
        about = {row["response"]: row for row in self.responses.to_dict("records")}
        scenarios = {each.name: each for each in Scenario.objects.filter(study=self.study)}
        stored = set(
            PerturbedScore.objects.filter(text__run=self.run, source=source.name).values_list(
                "text_id", "dimension"
            )
        )
        with asked_again(judge, before_request=self._count) as again:
            values = [point.value for point in again.configuration.scale]
            width = float(max(values) - min(values))
            for text in self._changed(with_unchanged=True):
                scenario = scenarios[about[text.response_id]["scenario"]]
                for said in self._said(again, text, scenario, stored):
                    PerturbedScore.objects.bulk_create(
                        self._score(
                            text,
                            source.name,
                            "judge",
                            dimension,
                            before.get((text.response_id, dimension), float("nan")),
                            value,
                            width,
                        )
                        for dimension, value in said.items()
                    )
                self._step(1)

    def _said(
        self, again: AskedAgain, text: PerturbedText, scenario: Scenario,
        stored: set[tuple[int, str]],
    ) -> Iterator[dict[str, float]]:  # fmt: skip
        """What a judge says of a text, by dimension, in each request that is not stored; NaN for
        no score.
        """
        for call in again.dimensions_of_calls:
            wanted = again.configuration.asked_in(call)
            if all((text.pk, name) in stored for name in wanted):
                continue
            said = again.scores(
                text.text,
                prompt=scenario.prompt,
                context=scenario.context,
                scenario=scenario.name,
                about=["changed", text.perturbation, scenario.name, text.text],
                dimension=call,
            )
            yield {name: said.get(name, float("nan")) for name in wanted}


def _about(row: dict[Any, Any]) -> str:
    """What names a response in every installation."""
    return "/".join([row["scenario"], row["model"], row["condition"], row["text"]])


def _chosen(texts: DataFrame, options: PerturbationOptions) -> DataFrame:
    """The responses that are perturbed: all, or so many drawn from the scenarios in turn.

    Raises NotPerturbed where there are none.
    """
    texts = texts[texts["text"].map(lambda text: bool(text.strip()))]
    if texts.empty:
        raise NotPerturbed("the study has no responses to perturb")
    if options.responses is None or options.responses >= len(texts):
        return texts.reset_index(drop=True)
    random = Random(f"responses {options.seed}")  # noqa: S311  no secret
    order = texts.index.to_series().map(lambda _: random.random())
    turn = order.groupby(texts["scenario"]).rank()
    drawn = DataFrame({"turn": turn, "order": order}).sort_values(["turn", "order"])
    return texts.loc[sorted(drawn.index[: options.responses])].reset_index(drop=True)

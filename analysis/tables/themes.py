"""Themes of open answers: how often each code was given, and whether two coders agree. Pure."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from pandas import DataFrame, Series
from scipy.stats import norm
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.catalogue.subjects import THEMES
from analysis.recipe import USUAL_CONFIDENCE

ALL, AGREED = "all", "agreed"
CODE = Column("code", "Code of the code book", is_key=True)
THEME_COUNTS = TableSpec(
    "theme_counts",
    "Themes of open answers",
    (
        Column("question", "Open question", is_key=True, choice=True),
        Column("coder", "Coder by letter, or agreed: the code counts where all coders of an answer "
            "gave it, of answers that two or more coded", is_key=True, choice=True, first=AGREED),
        c.CONDITION, c.MODEL, CODE,
        Column("answers", "Number of coded answers", kind="count"),
        c.N.but(meaning="Number of these answers with the code"),
        Column("percent", "n in percent of the coded answers", form="percent"),
        *c.interval("percent", form="percent"),
    ),
    question="Which themes do open answers have?",
    observations="open answers",
    says="Answers of the included raters. An answer can have several codes, so percentages need "
        "not add up to 100. An answer is about the system that its page shows alone, or that the "
        "rater chose as best there; other answers count under all. Wilson intervals, as if each "
        "answer came from another rater.",
    section="Themes of open answers",
    subject=THEMES,
)  # fmt: skip
THEME_AGREEMENT = TableSpec(
    "theme_agreement",
    "Agreement of coders",
    (
        Column("coder_a", "One coder", is_key=True),
        Column("coder_b", "The other coder", is_key=True),
        CODE.but(meaning="Code of the code book; all: the same codes for an answer"),
        Column("answers", "Number of answers that both coded", kind="count"),
        Column("both", "Answers to which both gave the code", kind="count"),
        Column("only_a", "Answers to which only the first gave it", kind="count"),
        Column("only_b", "Answers to which only the second gave it", kind="count"),
        Column("neither", "Answers to which neither gave it", kind="count"),
        Column("percent", "Answers on which they agree, in percent", form="percent"),
        Column("kappa", "Cohen's κ", label="κ"), *c.interval("kappa"),
        c.NOTE,
    ),
    question="Do coders agree?",
    observations="open answers that both coded",
    says="Cohen's κ of each code compares the agreement of two coders with that expected by "
        "chance: 1 is full agreement, 0 is chance. Its interval is by the asymptotic standard "
        "error. All coded answers count.",
    section="Themes of open answers",
    subject=THEMES,
)  # fmt: skip
TABLES = [THEME_COUNTS.name, THEME_AGREEMENT.name]
NO_CODES = "the study has no code book: see docs/open-answers.md"
NOT_CODED = "no open answer is coded"
OF_EXCLUDED = "no coded answer is an included rater's"
ALONE = "no answer was coded by two coders, so there is no κ"
CONSTANT = "not estimable: κ needs answers with the code and answers without it"


def _frame(*columns: str) -> DataFrame:
    return DataFrame(columns=list(columns))


@dataclass(frozen=True)
class ThemesData:
    """The code book; `answers` with who wrote them and the system they are about, if any; who
    decided about which; and the codes of each decision.
    """

    codes: list[str] = field(default_factory=list)
    answers: DataFrame = field(
        default_factory=lambda: _frame("answer", "participant", "question", "model", "condition")
    )
    codings: DataFrame = field(default_factory=lambda: _frame("answer", "coder", "coding"))
    given: DataFrame = field(default_factory=lambda: _frame("coding", "code"))

    @property
    def decisions(self) -> DataFrame:
        """A row per answer and coder: `answer`, `coder`, and for each code whether it was given."""
        marks = {
            code: self.codings["coding"].isin(self.given["coding"][self.given["code"] == code])
            for code in self.codes
        }
        return self.codings[["answer", "coder"]].assign(**marks)


def theme_tables(
    data: ThemesData, included: "Series[str]", *, confidence: float = USUAL_CONFIDENCE
) -> tuple[dict[str, DataFrame], dict[str, str]]:
    """The tables by name, and why they are not there. `included` are participants."""
    if not data.codes:
        return {}, dict.fromkeys(TABLES, NO_CODES)
    if data.codings.empty:
        return {}, dict.fromkeys(TABLES, NOT_CODED)
    tables, absent = {}, {}
    counts = DataFrame(_counts(data, included, confidence), columns=THEME_COUNTS.names)
    agreement = DataFrame(_agreement(data, confidence), columns=THEME_AGREEMENT.names)
    for name, table, why in (
        (THEME_COUNTS.name, counts, OF_EXCLUDED),
        (THEME_AGREEMENT.name, agreement, ALONE),
    ):
        if table.empty:
            absent[name] = why
        else:
            tables[name] = table
    return tables, absent


def _counts(
    data: ThemesData, included: "Series[str]", confidence: float
) -> Iterator[dict[str, Any]]:
    answers = data.answers[data.answers["participant"].isin(included)]
    decisions = answers.merge(data.decisions, on="answer", validate="one_to_many")
    by_answer = decisions.groupby("answer", sort=False)
    agreed = by_answer[data.codes].all()[by_answer.size() > 1].reset_index()
    ways = [(AGREED, answers.merge(agreed, on="answer"))]
    ways += [(who, decisions[decisions["coder"] == who]) for who in _letters(decisions)]
    for question in sorted(answers["question"].unique()):
        for coder, coded in ways:
            asked = coded[coded["question"] == question]
            groups = [(ALL, ALL, asked)]
            about = asked[asked["condition"] != ""]
            groups += [(str(name), ALL, rows) for name, rows in about.groupby("condition")]
            groups += [
                (str(condition), str(model), rows)
                for (condition, model), rows in about.groupby(["condition", "model"])
            ]
            for condition, model, rows in groups:
                if not len(rows):
                    continue
                for code in data.codes:
                    n = int(rows[code].sum())
                    low, high = proportion_confint(n, len(rows), 1 - confidence, method="wilson")
                    yield {
                        "question": question,
                        "coder": coder,
                        "condition": condition,
                        "model": model,
                        "code": code,
                        "answers": len(rows),
                        "n": n,
                        "percent": 100 * n / len(rows),
                        "ci_low": 100 * float(low),
                        "ci_high": 100 * float(high),
                    }


def _letters(decisions: DataFrame) -> list[str]:
    """The coders: A to Z, then AA."""
    return sorted(map(str, decisions["coder"].unique()), key=lambda who: (len(who), who))


def _agreement(data: ThemesData, confidence: float) -> Iterator[dict[str, Any]]:
    decisions = data.decisions.set_index("answer")
    for first, second in combinations(_letters(decisions), 2):
        one, other = (
            decisions[decisions["coder"] == who][data.codes].astype(bool) for who in (first, second)
        )
        shared = one.index.intersection(other.index)
        if not len(shared):
            continue
        one, other = one.loc[shared], other.loc[shared]
        row = {"coder_a": first, "coder_b": second, "answers": len(shared)}
        same = float((one == other).all(axis=1).mean())
        yield row | {"code": ALL, "percent": 100 * same, "note": ""}
        for code in data.codes:
            yield row | {"code": code, **_kappa(one[code], other[code], confidence)}


def _kappa(a: "Series[bool]", b: "Series[bool]", confidence: float) -> dict[str, Any]:
    """The four counts of a code, percent agreement, and κ where it is defined."""
    x, y = a.to_numpy(), b.to_numpy()
    both, only_a, only_b = int((x & y).sum()), int((x & ~y).sum()), int((~x & y).sum())
    neither = len(x) - both - only_a - only_b
    row: dict[str, Any] = {
        "both": both,
        "only_a": only_a,
        "only_b": only_b,
        "neither": neither,
        "percent": 100 * (both + neither) / len(x),
        "note": "",
    }
    if len(set(x) | set(y)) < 2:
        return row | {"note": CONSTANT}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a variance of 0 is a division by 0 there
        found = cohens_kappa(np.array([[both, only_a], [only_b, neither]]))
    row["kappa"] = float(found.kappa)
    half = float(norm.ppf((1 + confidence) / 2) * found.std_kappa)
    if half > 0:  # not where it is 0 or not a number: full agreement has no spread
        row |= {"ci_low": max(row["kappa"] - half, -1.0), "ci_high": min(row["kappa"] + half, 1.0)}
    return row

"""Did people leave, or were they excluded, more often in some parts of the design than in others?

If so, those who are left in these parts may be other people, and what was randomised at first no
longer is. About everybody who started: of these, who left early; and of those who finished, whom
the rules or a decision excluded.
"""

from typing import Any

import numpy as np
from pandas import DataFrame, Series
from scipy.stats import MonteCarloMethod, chi2_contingency, fisher_exact

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.raters.funnel import in_funnel
from analysis.stats.multiplicity import of_family
from analysis.study_data import ProtocolData

PERSON = "participant"
#: Cells of a table of counts that are expected to have fewer people make χ² inexact.
LEAST_EXPECTED = 5
#: Tables that Fisher's test draws where there are more than two groups, and their seed.
DRAWN, SEED = 9999, 1
#: Parts with fewer people are not compared.
LEAST = 2

DESIGN_HEALTH = TableSpec(
    "design_health",
    "Drop-out and exclusion by parts of the design",
    (
        Column("outcome", "What happened: dropped_out (of those who started, who left early), or "
            "excluded (of those who finished, whom a rule or decision excluded)", is_key=True,
            labels="words"),
        Column("part", "Part of the design: condition or system (if a person sees one), set (if a "
            "person sees one), first_scenario and first_set of a person's order", is_key=True,
            labels="words"),
        Column("groups", "Number of groups compared", kind="count"),
        c.N.but(meaning="Number of people"),
        Column("count", "How many of them", kind="count"),
        Column("lowest", "Group with the lowest share", kind="text", labels="anything"),
        Column("lowest_share", "Share in that group, from 0 to 1"),
        Column("highest", "Group with the highest share", kind="text", labels="anything"),
        Column("highest_share", "Share in that group, from 0 to 1"),
        c.TEST.but(is_key=False, meaning="chi_squared (Pearson), or fisher (exact; with more than "
            "two groups from 9,999 drawn tables) where fewer than five people are expected in a "
            "cell", choice=False),
        c.P.but(meaning="p value of the test that the share is the same in all groups"),
        c.p_holm("all rows"),
        c.NOTE,
    ),
    question="Did people drop out, or were they excluded, in some parts of the design more?",
    observations="people",
    says="Compares the share of people who left early, and the share of those who finished but "
        "were excluded, between the parts of the design to which chance assigned them. A "
        "difference means that the people who are left may not be comparable (differential "
        "attrition).",
    section="Participants",
    keep=lambda row: row["p"] is not None,
    kept="parts of which something could be tested",
    empty="there are no groups of people to compare: nobody was given one condition, system or set "
        "of several, and the first scenario was the same for all or is not known",
)  # fmt: skip


def design_health(data: ProtocolData, excluded: set[str]) -> DataFrame:
    """A row per outcome and part of the design, or of what cannot be compared the reason.

    `excluded` are the names of those whom a rule or a decision excluded. People who are still
    active, or left before the first page, are not counted.
    """
    people = data.participants
    people = people[in_funnel(people.assign(active=people.get("active", False)))]
    left = Series((people["status"] == "in_progress").to_numpy(), index=people[PERSON])
    out = Series(left.index.isin(excluded), index=left.index)
    outcomes = {"dropped_out": left, "excluded": out[~left]}
    rows = [
        {"outcome": outcome, "part": part} | _compared(happened, groups)
        for outcome, happened in outcomes.items()
        for part, groups in parts(data.presentations, data.shown).items()
    ]
    table = DataFrame(rows, columns=DESIGN_HEALTH.names)
    known = table["p"].notna()
    table.loc[known, "p_adjusted"] = of_family(table["p"][known].to_numpy(dtype=float), "holm")
    counts = dict.fromkeys(["groups", "n", "count"], "Int64")
    return table.astype(counts | dict.fromkeys(["p", "p_adjusted"], "float64"))


def parts(presentations: DataFrame, seen: DataFrame) -> "dict[str, Series[str]]":
    """Each part of the design with the group of each person in it, by name; `seen` are the
    responses that each person was shown.

    Condition, system and set are parts where each person sees one of them and there are several.
    """
    shown = presentations[[PERSON, "scenario", "set", "block_position"]]
    shown = shown.assign(set=shown["set"].fillna("").astype(str))
    seen = seen.assign(system=seen["model"] + ", " + seen["condition"])
    single = {
        "condition": _single(seen, "condition"),
        "system": _single(seen, "system"),
        "set": _single(shown, "set"),
    }
    if single["condition"].nunique() == single["system"].nunique():
        single.pop("system")  # each condition has one
    first = shown[shown["block_position"] == 1].drop_duplicates(PERSON).set_index(PERSON)
    order = {"first_scenario": first["scenario"], "first_set": first["set"]}
    return {name: of for name, of in (single | order).items() if of.nunique() > 1}


def _single(seen: DataFrame, column: str) -> "Series[str]":
    """What each person saw, where nobody saw several; else nothing."""
    by_person = seen.groupby(PERSON)[column]
    if not len(seen) or by_person.nunique().max() > 1:
        return Series(dtype=object)
    return by_person.first()


def _compared(happened: "Series[bool]", groups: "Series[str]") -> dict[str, Any]:
    both = DataFrame({"happened": happened, "group": groups.reindex(happened.index)}).dropna()
    by_group = both.groupby("group")["happened"].agg(["sum", "count"])
    by_group = by_group[by_group["count"] >= LEAST]
    n, count = int(by_group["count"].sum()), int(by_group["sum"].sum())
    row: dict[str, Any] = {"groups": len(by_group), "n": n, "count": count, "note": ""}
    if len(by_group) < 2:
        return row | {"note": "not estimable, because fewer than two groups have two people"}
    share = by_group["sum"] / by_group["count"]
    row |= {
        "lowest": str(share.idxmin()), "lowest_share": float(share.min()),
        "highest": str(share.idxmax()), "highest_share": float(share.max()),
    }  # fmt: skip
    if count in (0, n):
        whom = "everybody" if count else "nobody"
        return row | {"note": f"not estimable, because it happened to {whom}"}
    table = np.column_stack([by_group["sum"], by_group["count"] - by_group["sum"]])
    test, p = independent(table)
    return row | {"test": test, "p": p}


def independent(table: "np.ndarray[Any, np.dtype[np.int64]]") -> tuple[str, float]:
    """The test and p that rows and columns of counts are independent: Pearson's χ² where every cell
    is expected to have LEAST_EXPECTED at least, else Fisher's exact test, of more than two rows by
    drawing tables with the same margins (Fisher–Freeman–Halton).
    """
    pearson = chi2_contingency(table, correction=False)
    if pearson.expected_freq.min() >= LEAST_EXPECTED:
        return "chi_squared", float(pearson.pvalue)
    if table.shape == (2, 2):
        return "fisher", float(fisher_exact(table).pvalue)
    drawn = MonteCarloMethod(n_resamples=DRAWN, rng=np.random.default_rng(SEED))
    return "fisher", float(fisher_exact(table, method=drawn).pvalue)

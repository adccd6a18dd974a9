"""What cells of tables say to people: names of the study by its labels, names of ours by the words
here. Files keep the names. Pure.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial

from analysis.metric_labels import LABELS
from analysis.perturbation_labels import PERTURBATION_LABELS
from analysis.writing_rules import WRITING_LABELS
from survey.definition.labels import Labels, usual

#: By kind, what names in cells are called; others as `usual` writes them.
VOCABULARY: Mapping[str, Mapping[str, str]] = {
    "metrics": LABELS,
    "tests": {
        "student": "Student's t",
        "welch": "Welch's t",
        "mann_whitney": "Mann–Whitney",
        "chi_squared": "Pearson's χ²",
        "fisher": "Fisher's exact test",
        "permuted_within_pages": "permuted within pages",
        "permuted_by_rater": "permuted by rater",
    },
    "tests_of_variance": {"anova": "analysis of variance", "welch": "Welch's"},
    "statistics": {
        "krippendorff_alpha_ordinal": "Krippendorff's α, ordinal",
        "krippendorff_alpha_interval": "Krippendorff's α, interval",
        "icc_2_1": "ICC(2,1)",
        "icc_2_k": "ICC(2,k)",
        "icc_3_1": "ICC(3,1)",
        "icc_3_k": "ICC(3,k)",
        "kendalls_w_ratings": "Kendall's W of ratings",
        "kendalls_w_ratings_within_blocks": "Kendall's W of ratings within blocks",
        "kendalls_w_ranks_within_blocks": "Kendall's W of ranks within blocks",
        "randolphs_kappa_best": "Randolph's κ of best choices",
        "randolphs_kappa_worst": "Randolph's κ of worst choices",
        "pearson_within": "Correlation of means, r",
        "spearman_within": "Correlation of ranks, ρ",
        "bias": "Bias",
        "limits_low": "Lower limit of agreement",
        "limits_high": "Upper limit of agreement",
        "own_family_bias": "Bias towards its own family",
        "length_spearman": "Its scores and length, ρ",
        "length_spearman_people": "People's ratings and length, ρ",
        "alpha_raters": "α of the raters alone",
        "alpha_with_judge": "α with the judge among them",
    },
    "analyses": {
        "mixed_linear": "linear mixed model",
        "mixed_probit": "ordinal mixed model, probit",
        "mixed_logit": "ordinal mixed model, logit",
        "by_raters": "by raters, F1",
        "by_scenarios": "by scenarios, F2",
        "min_f": "min F′",
        "signed_ranks": "signed ranks",
    },
    "methods": {
        "exact": "exact",
        "permuted": "random permutations",
        "asymptotic": "large-sample approximation",
    },
    "comparison_models": {
        "plackett_luce": "Plackett–Luce",
        "best_worst": "best–worst",
        "davidson": "Davidson",
        "bradley_terry": "Bradley–Terry",
    },
    "covariates": {
        "response_position": "Position of the response",
        "block_position": "Position of the block",
        "previous_rating": "Previous rating",
    },
    "parameters": {
        "sd rater": "SD of raters",
        "sd rater:condition": "SD of raters' preferences for a condition",
        "sd rater:condition:system": "SD of raters' preferences for a system",
        "sd rater:system": "SD of raters' preferences for a system",
        "sd scenario": "SD of scenarios",
        "sd scenario:condition": "SD of scenarios in a condition",
        "sd scenario:condition:system": "SD of texts",
        "sd scenario:system": "SD of texts",
        "sd residual": "SD of residuals",
    },
    "indices": {"sigma": "σ", "mae": "MAE", "sigma and mae": "σ and MAE"},
    "measures": {
        "completed": "Completed",
        "minutes_median": "Minutes, median",
        "minutes_lower_quartile": "Minutes, lower quartile",
        "minutes_upper_quartile": "Minutes, upper quartile",
        "changed_answers": "Changed answers per person",
        "contradictions": "Pairs ranked against their ratings",
        "contradicting_people": "People with such a pair",
        "agreement_ratings": "Agreement of ratings, Kendall's W",
        "agreement_ranks": "Agreement of ranks, Kendall's W",
        "texts": "Free answers and remarks",
        "writing_people": "People who wrote any",
        "clock_stepped": "People whose clock was set back",
        "interfaces": "Versions of the survey's pages",
    },
    "writing_rules": WRITING_LABELS | {"any": "Any of these"},
    "heads": {"ridge": "Ridge", "linear": "Linear layer", "mean": "Mean (baseline)"},
    "held_out": {"scenario": "Each scenario", "system": "Each system", "nothing": "Nothing"},
    "perturbations": PERTURBATION_LABELS,
    "effects": {
        "contrast": "Difference of the conditions",
        "group": "Difference of groups of raters",
        "order": "Order of the systems",
        "careless": "Careless raters",
    },
    "words": {},
}
#: Of the main results, which sensitivity.csv computes again.
MAIN_RESULTS = {
    "by_raters": "difference by raters",
    "by_scenarios": "difference by scenarios",
    "mixed_latent": "difference by the mixed model, latent scale",
    "mixed_ratings": "difference by the mixed model, scale of the ratings",
}
#: Kinds whose cells hold names that sentences say by their labels.
OF_STUDY = (
    "conditions", "models", "dimensions", "scenarios", "sets", "characteristics", "rules",
    "within_rules", "remarks", "results", "anything",
)  # fmt: skip
#: Kinds of names that remarks and notes contain, in addition to rules.
NAMES_IN_REMARKS = ("conditions", "models", "scenarios", "sets", "dimensions")
#: A variant of the rules that is about σ alone.
SIGMA_OVER = re.compile(r"^sigma over (\w+), ddof ([01])$")


def in_words(kind: str, labels: Labels, sides: tuple[str, str]) -> Callable[[str], str] | None:
    """What cells of a kind say; None where they say what they hold. `sides` are a and b."""
    if not kind:
        return None
    if kind in VOCABULARY:
        return partial(_called, VOCABULARY[kind])
    special: dict[str, Callable[[str], str]] = {
        "sides": partial(_called, {"a": sides[0], "b": sides[1]}),
        "results": partial(_among, MAIN_RESULTS),
        "sources": lambda name: LABELS.get(name, name),
        "within_rules": partial(_with_rules, labels),
        "remarks": partial(_remark, labels),
        "anything": partial(_anything, labels),
    }
    return special.get(kind) or partial(labels.text, kind)


def with_names(text: str, labels: Labels, sides: tuple[str, str]) -> str:
    """A text in which `{a}` and `{b}` are the two sides, and `{sigma_mae}` a rule's label."""
    a_and_b = dict(zip("ab", sides, strict=True))
    said = re.sub(r"\{(\w+)\}", lambda name: a_and_b.get(name[1]) or _rule(labels, name[1]), text)
    return said[:1].upper() + said[1:] if text.startswith("{") else said


def _rule(labels: Labels, name: str) -> str:
    return f"“{labels.text('rules', name)}”"


def _called(names: Mapping[str, str], name: str) -> str:
    return names.get(name) or usual(name)


def _among(names: Mapping[str, str], text: str) -> str:
    """A text with what its names are called in their place."""
    return re.sub(r"\w+", lambda match: names.get(match[0], match[0]), text)


def _with_rules(labels: Labels, text: str) -> str:
    """A text with the labels of its rules."""
    if match := SIGMA_OVER.match(text):
        over = {"ratings": "all ratings", "blocks": "means of blocks"}[match[1]]
        return f"σ over {over}, divided by {'n − 1' if match[2] == '1' else 'n'}"
    return _among({name: _rule(labels, name) for name in labels.called.get("rules", {})}, text)


def _remark(labels: Labels, text: str) -> str:
    """A remark with labels for rules and for the study's names, as far as they have an underscore
    (others may be words of the remark), and for all conditions in brackets.
    """
    conditions = labels.called.get("conditions", {})
    rules = {name: _rule(labels, name) for name in labels.called.get("rules", {})}
    names = [labels.called.get(kind, {}) for kind in NAMES_IN_REMARKS]
    keys = {key: label for of in (*names, rules) for key, label in of.items() if "_" in key}
    said = re.sub(r"\(([^()]+)\)", lambda match: f"({conditions.get(match[1], match[1])})", text)
    return _among(keys, said)


def _anything(labels: Labels, name: str) -> str:
    """A name of any kind: of a condition, a model, a scenario or a set."""
    for kind in ("conditions", "models", "scenarios", "sets"):
        if label := labels.called.get(kind, {}).get(name):
            return label
    return name

"""What people call each perturbation. Pages need it, and load nothing that computes."""

from collections.abc import Mapping

#: By rule, then by a language model, then none.
RULE_LABELS: Mapping[str, str] = {
    "repeated": "Repeated letters and punctuation",
    "greek": "Greek look-alikes",
    "misspelled": "Misspelled and cut off",
    "leetspeak": "Leetspeak",
    "whitespace": "Extra spaces",
    "case": "Capitals",
    "filler": "Filler words",
}
TASK_LABELS: Mapping[str, str] = {
    "shortened": "Shortened",
    "elevated": "Elevated",
    "casual": "Casual",
}
#: No change at all: shows how much a judge's scores differ when it is asked again.
UNCHANGED = "unchanged"
PERTURBATION_LABELS: Mapping[str, str] = {
    **RULE_LABELS,
    **TASK_LABELS,
    UNCHANGED: "Unchanged, asked again",
}

"""Small changes of texts that should not change their scores, and what they do to them. Pure.

`BY_RULE` are made here, from a seed; `REWRITTEN` by a language model, whose prompts are here.
`changes` and `worst` say what the changed texts do to scores of any source. See
docs/perturbations.md.
"""

from analysis.perturbations.catalogue import BY_RULE, PERTURBATIONS, REWRITTEN, Perturbation
from analysis.perturbations.measuring import changes, worst

__all__ = ["BY_RULE", "PERTURBATIONS", "REWRITTEN", "Perturbation", "changes", "worst"]

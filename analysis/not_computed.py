"""Why metrics, scorers and perturbations were not computed. Pure."""

from survey.refusals import Conflict


class NotComputed(Conflict):
    """What was asked for can't be computed of these texts, or with what is here."""

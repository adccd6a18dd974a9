"""Why metrics, scorers and perturbations were not computed. Pure."""

from survey.refusals import RefusalKind, RequestRefused


class NotComputed(RequestRefused):
    """What was asked for can't be computed of these texts, or with what is here."""

    kind = RefusalKind.CONFLICT

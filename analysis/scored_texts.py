"""Texts that researchers paste to have them scored: asked for, listed, flagged. `scorer_making`
scores them, in a worker.
"""

from django.contrib.auth.models import User
from django.db.models import QuerySet

from analysis.models import ScoredText, Scorer
from survey.models import Study

#: Texts of a study that are kept without a flag.
KEPT = 10


def request_score(scorer: Scorer, text: str, author: User) -> ScoredText:
    """A text to be scored; of those without a flag the newest are kept. The caller wakes a
    worker.
    """
    asked = ScoredText.objects.create(scorer=scorer, text=text, author=author)
    old = scored_texts_of(scorer.study).filter(flagged=False)[KEPT:].values_list("pk", flat=True)
    ScoredText.objects.filter(pk__in=list(old)).delete()
    return asked


def scored_texts_of(study: Study) -> QuerySet[ScoredText]:
    """The texts that were scored for a study, newest first."""
    return ScoredText.objects.filter(scorer__study=study).select_related("scorer").order_by("-id")

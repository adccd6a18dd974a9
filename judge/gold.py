"""The gold source: each decision is recorded and never edited."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from judge.models import GoldDecision, GoldScore, GoldSet, Judge, Jury
from judge.queries import Gold, gold_decision
from survey.models import Study


def choose_gold(
    study: Study,
    *,
    judge: Judge | None = None,
    gold_set: GoldSet | None = None,
    jury: Jury | None = None,
    panel: str = "",
    author: User | None = None,
    why: str = "chosen",
) -> bool:
    """Make the scores of a judge, a gold set, a panel or a jury gold, or without any of them no
    scores. False if they already are.
    """
    newest = gold_decision(study)
    chosen: dict[str, Any] = {
        "judge": judge, "gold_set": gold_set, "panel": panel, "jury": jury
    }  # fmt: skip
    if newest is not None and all(getattr(newest, key) == of for key, of in chosen.items()):
        return False
    GoldDecision.objects.create(study=study, author=author, why=why, **chosen)
    return True


@transaction.atomic
def add_gold_set(study: Study, *, name: str, made_by: str, scores: Iterable[Gold]) -> GoldSet:
    """Store scores from a file as a source; they are not gold until a person chooses them.

    Raises ValueError if the study has a set of that name.
    """
    if GoldSet.objects.filter(study=study, name=name).exists():
        raise ValueError(f"{study} already has gold scores called {name!r}")
    added = GoldSet.objects.create(study=study, name=name, made_by=made_by)
    GoldScore.objects.bulk_create(
        (
            GoldScore(
                gold_set=added,
                response_id=gold.response_id,
                dimension=gold.dimension,
                value=gold.value,
                calls=gold.calls,
            )
            for gold in scores
        ),
        batch_size=1000,
    )
    return added

"""The stored terms of a study: what it promises its participants. Proposals go by them."""

from django.contrib.auth.models import User
from django.db import transaction

from dashboard.prolific.models import PayTerms
from dashboard.prolific.terms import Terms, check_terms
from survey.definition.policy import SIGNS
from survey.models import Study, StudyEvent

#: What the study's record says; `overview.events` has the words.
CHANGED = "pay terms"


def terms_of(study: Study) -> Terms:
    """What the study promises; of a study without terms, nothing."""
    stored = PayTerms.objects.filter(study=study).first()
    return Terms.model_validate(stored.terms) if stored else Terms()


@transaction.atomic
def change_terms(*, study: Study, terms: Terms, author: User | None) -> None:
    """Store what the study promises, and that it changed."""
    before, after = terms_of(study), terms
    if before == after and PayTerms.objects.filter(study=study).exists():
        return
    PayTerms.objects.update_or_create(study=study, defaults={"terms": after.model_dump()})
    detail = {"from": before.model_dump(), "to": after.model_dump()}
    StudyEvent.objects.create(study=study, author=author, action=CHANGED, detail=detail)


def promise(study: Study, terms: Terms, author: User | None) -> None:
    """Store what a study promises from now on. Raises TooLittlePromised."""
    check_terms(terms)
    change_terms(study=study, terms=terms, author=author)


def promise_reward(*, study: Study, cents: int, currency: str, author: User | None) -> str:
    """Store the reward of a study on Prolific as the promised one. Why not, or nothing.

    Other amounts that are promised stay as they are, so they can't get another currency with it.
    """
    before = terms_of(study)
    currency = currency if currency in SIGNS else before.currency
    others = before.model_dump(exclude={"currency", "reward"})
    if currency != before.currency and any(amount is not None for amount in others.values()):
        return (
            f"The workspace pays in {currency}, and the study promises amounts in "
            f"{before.currency}: correct them under Payments."
        )
    after = before.model_copy(update={"reward": cents, "currency": currency})
    change_terms(study=study, terms=after, author=author)
    return ""

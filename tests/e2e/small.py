"""Somebody who takes the small study of `studies.open_small`, and what is stored of it."""

from tests.e2e.person import Person

LABELS = {"1": "Not at all", "2": "Somewhat", "3": "Very"}


def choose(person: Person, value: str, *, last: str = "") -> None:
    """Choose `value` for everything on this page, or `last` for the last of it."""
    items = person.items.count()
    for item in range(items):
        person.choose(LABELS[last if last and item == items - 1 else value], item=item)


def answer(person: Person, value: str) -> None:
    choose(person, value)
    person.press("Continue")


def values_and_revisions(person: Person) -> list[tuple[int, int]]:
    return sorted((value, revisions) for _, value, revisions in person.ratings())


def at_last_page(person: Person) -> Person:
    person.begin()
    for _ in range(5):
        answer(person, "2")
    person.page.get_by_label("How old are you?").fill("37")
    person.page.get_by_label("Where do you live?").select_option("Ohio")
    return person


def demographics(person: Person) -> list[tuple[str, str]]:
    return sorted(
        person.about_me(
            "SELECT name, CAST(value AS TEXT) FROM survey_demographicanswer JOIN survey_identity"
            " ON survey_identity.participant_id = survey_demographicanswer.participant_id"
            " WHERE key = %s"
        )
    )

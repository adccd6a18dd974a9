"""waves.csv: who of a study took part in the earlier one that it invites people of."""

from collections.abc import Iterator, Sequence

from dashboard.prolific.models import Recruitment
from survey.models import Identity, Study
from survey.tidy import Row, people_of

WAVE_COLUMNS = ("pseudonym_1", "pseudonym_2")


def earlier_wave(study: Study) -> Study | None:
    """The study whose people this one invites again, if it does so."""
    invites = Recruitment.objects.filter(study=study, earlier__isnull=False)
    recruitment = invites.select_related("earlier").order_by("pk").last()
    return recruitment.earlier if recruitment else None


def wave_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """The pseudonyms of each person in both studies, in order of arrival here.

    They are the same person if they came with the same id from Prolific. After a withdrawal from
    either study there is no such id, and no row.
    """
    earlier = earlier_wave(study)
    if earlier is None:
        return
    names = dict(_ids_and_names(earlier, sources))
    for key, name in _ids_and_names(study, sources):
        if key in names:
            yield names[key], name


def _ids_and_names(study: Study, sources: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The id on Prolific and the pseudonym of each person who came from there."""
    people = people_of(study, sources).filter(identity__kind=Identity.Kind.PROLIFIC)
    rows = people.order_by("pk").values_list("identity__key", "pseudonym")
    yield from rows.iterator()

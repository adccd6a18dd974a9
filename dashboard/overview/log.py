"""The audit log of a study, or of accounts: chosen lines, page by page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django import forms
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import StreamingHttpResponse

from dashboard.overview.events import in_words, kind_in_words
from dashboard.shared.csv_files import csv_file
from survey.files.csv_text import csv_lines, time_text
from survey.models import Study, StudyEvent

LINES_SHOWN = 100
COLUMNS = ("at", "study", "person", "from", "kind", "what")
#: The largest id that a database holds.
MOST = 2**63 - 1
Lines = QuerySet[StudyEvent]


def lines_of_study(slug: str) -> Lines:
    """What was done with any version of a study."""
    # By ids, an index has the lines in their order; through a join, databases sort all of them.
    versions = Study.objects.filter(slug=slug).values_list("pk", flat=True)
    return StudyEvent.objects.filter(study__in=list(versions)).select_related("study", "author")


def lines_of_accounts(user: User) -> Lines:
    """What was done with the own account; for a superuser, with all accounts."""
    lines = StudyEvent.objects.filter(study=None).select_related("author")
    return lines if user.is_superuser else lines.filter(author=user)


class LogForm(forms.Form):
    """Which lines to show: by person and by kind, and from where on."""

    person = forms.ChoiceField(required=False)
    kind = forms.ChoiceField(required=False)
    before = forms.IntegerField(
        required=False, min_value=1, max_value=MOST, widget=forms.HiddenInput
    )

    def __init__(self, data: object, lines: Lines) -> None:
        super().__init__(data)  # type: ignore[arg-type]  # a QueryDict
        authors = User.objects.filter(Exists(lines.filter(author=OuterRef("pk"))))
        self.authors = dict(authors.order_by("username").values_list("username", "pk"))
        # The order of the rows would make each of them another one.
        kinds = sorted(lines.order_by().values_list("action", flat=True).distinct())
        people = [(name, name) for name in self.authors]
        self.fields["person"].choices = [("", "Everyone"), *people]  # type: ignore[attr-defined]
        self.fields["kind"].choices = [  # type: ignore[attr-defined]
            ("", "Everything"),
            *((kind, kind_in_words(kind)) for kind in kinds),
        ]

    def chosen(self, lines: Lines) -> Lines:
        """Of a valid form, the lines that it asks for, the newest first."""
        asked = self.cleaned_data
        if asked["person"]:
            lines = lines.filter(author=self.authors[asked["person"]])
        if asked["kind"]:
            lines = lines.filter(action=asked["kind"])
        if asked["before"]:
            lines = lines.filter(pk__lt=asked["before"])
        return lines.order_by("-pk")


@dataclass(frozen=True)
class LogPage:
    """Some lines with their words. `earlier` is where the next page begins, if there is one."""

    lines: list[tuple[StudyEvent, str]]
    earlier: int | None

    @classmethod
    def of(cls, lines: Lines, limit: int = LINES_SHOWN) -> "LogPage":
        rows = list(lines[: limit + 1])
        shown = [(line, in_words(line)) for line in rows[:limit]]
        return cls(shown, shown[-1][0].pk if len(rows) > limit else None)


def csv_rows(lines: Iterable[StudyEvent]) -> Iterator[tuple[str | None, ...]]:
    """Lines in COLUMNS."""
    for line in lines:
        yield (
            time_text(line.at),
            str(line.study) if line.study else "",
            line.author.get_username() if line.author else "",
            line.via,
            line.action,
            in_words(line),
        )


def as_file(lines: Lines, file: str, *, for_excel: bool = False) -> StreamingHttpResponse:
    """Chosen lines as a CSV file of this name (`csv_file`)."""
    rows = csv_rows(lines.iterator(chunk_size=500))
    return csv_file(file, csv_lines(COLUMNS, rows), for_excel=for_excel)

"""What pages take about corpora and samples."""

from typing import Any, ClassVar, TypeVar

from django import forms

from corpus.definition import LEAVE_OUT_LABELS, MissingTexts
from corpus.dialogues import KINDS
from corpus.filters import Filters
from corpus.models import Corpus
from corpus.options import (
    ChatsOptions,
    GenerationOptions,
    ImportOptions,
    SampleOptions,
    SampleStudyOptions,
)
from dashboard.corpora.asking import filters_before
from dashboard.corpora.models import CorpusJob
from dashboard.shared.forms import LinesField
from dashboard.shared.option_forms import OptionsForm
from survey.definition.options import SentFile

Missing = TypeVar("Missing", bound=MissingTexts)


class OnPage(forms.Form):
    """One of several forms of a page: the ids of its fields begin with IDS."""

    IDS = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"auto_id": f"{self.IDS}-%s", "label_suffix": ""}
        super().__init__(*args, **kwargs)


class FileOrText(OnPage):
    """A file, or what would be in it."""

    file = forms.FileField(
        required=False, label="File", widget=forms.FileInput(attrs={"accept": ".yaml,.yml"})
    )
    text = forms.CharField(
        required=False,
        label="or its text",
        max_length=1_000_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "code"}),
    )

    #: The option that it is, and what its text is called where there is no file.
    OPTION: ClassVar[str]
    CALLED: ClassVar[str]

    def clean(self) -> dict[str, Any]:
        """The file counts more than the text."""
        given: dict[str, Any] = super().clean() or {}
        text = given.get("text", "")
        if file := given.get("file"):
            return given | {self.OPTION: SentFile(file.name, file.read())}
        if text.strip():
            content = text.replace("\r\n", "\n").encode()
            return given | {self.OPTION: SentFile(self.CALLED, content)}
        if not self.errors:
            raise forms.ValidationError("Choose a file or give its text.")
        return given


class ImportForm(OptionsForm[ImportOptions], OnPage):
    """A file that becomes a corpus."""

    IDS = "import"
    options = ImportOptions
    shows_help = True

    file = forms.FileField(label="File", widget=forms.FileInput(attrs={"accept": ",".join(KINDS)}))


class FilterForm(OptionsForm[Filters], OnPage):
    """The filters of a corpus, with those that it had filled in."""

    IDS = "filter"
    options = Filters
    shows_help = True

    def __init__(self, *args: Any, corpus: Corpus, **kwargs: Any) -> None:
        before = filters_before(corpus)
        initial = before.model_dump() | {"names": "\n".join(before.names)}
        super().__init__(*args, initial=initial, **kwargs)
        for name in ("checked", "min_tokens", "same", "near"):
            self.fields[name].required = True
        label = self.fields["names"].label
        self.fields["names"] = LinesField(
            required=False, label=label, help_text="One a line", max_length=100_000
        )


class SampleForm(OptionsForm[SampleOptions], OnPage):
    """A draw of scenarios."""

    IDS = "sample"
    options = SampleOptions
    shows_help = True


class ChatsForm(OptionsForm[ChatsOptions], OnPage):
    """Chats to tune a model with."""

    IDS = "chats"
    options = ChatsOptions
    shows_help = True


class GenerationForm(OptionsForm[GenerationOptions], FileOrText):
    """A generation file, and what is to be done with it."""

    IDS = "generation"
    OPTION, CALLED = "file", "generation.yaml"
    options = GenerationOptions
    shows_help = True


class MissingTextsForm(OptionsForm[Missing]):
    """How missing, cut-off and refused texts are handled when responses are written."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        leave_out = self.fields["leave_out"]
        assert isinstance(leave_out, forms.ChoiceField)
        leave_out.choices = [("", "nothing: stop instead"), *LEAVE_OUT_LABELS.items()]
        leave_out.help_text = ""

    @staticmethod
    def chosen_in(job: CorpusJob | None) -> dict[str, Any]:
        """The initial values that an earlier job was asked with."""
        return dict(job.options.get("choice", {})) if job else {}


class ResponsesForm(MissingTextsForm[MissingTexts], OnPage):
    """That responses.csv is to be written."""

    IDS = "responses"
    options = MissingTexts
    shows_help = True


class StudyForm(MissingTextsForm[SampleStudyOptions], FileOrText):
    """study.yaml of a study of a sample's responses."""

    IDS = "study"
    OPTION, CALLED = "study", "study.yaml"
    options = SampleStudyOptions
    shows_help = True
    without = ("study",)


class DeleteForm(OnPage):
    """That something is to be deleted."""

    IDS = "delete"

    confirmed = forms.BooleanField(
        label="Delete it", error_messages={"required": "Tick the box to delete it."}
    )
    with_texts = forms.BooleanField(
        required=False, label="with its generated texts and the record of their cost"
    )

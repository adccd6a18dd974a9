"""What pages and the API take about corpora and samples."""

from collections.abc import Sequence
from typing import Any, get_args

from django import forms
from django.core.validators import RegexValidator

from corpus.definition import Doubtful, GenerationDefinition, LeaveOut, MissingTexts
from corpus.dialogues import KINDS, PARTS, PRESETS, layout_of
from corpus.filters import Filters, Step, TextName, filters_of
from corpus.models import Corpus
from corpus.models.corpora import NAME
from corpus.problems import CorpusProblem
from corpus.splitting import SplitWrong, check_size
from dashboard.corpora.generating import read_definition
from dashboard.corpora.models import CorpusJob
from dashboard.shared.forms import NumberField
from survey.files.problems import DefinitionError

#: The seed of published samples, and ours.
SEED = 42
STEP_LABELS: dict[Step, str] = {
    "width": "Make full-width characters, spaces and line ends uniform",
    "blank": "Remove empty texts",
    "anonymize": "Replace mail addresses, phone numbers, web addresses and names",
    "url": "Remove texts with web addresses",
    "emoji": "Remove texts with emoji",
    "short": "Remove short texts",
    "duplicate": "Remove duplicates",
    "near_duplicate": "Remove near-duplicates",
}
LEFT_OUT: dict[LeaveOut, str] = {
    "text": "the text",
    "scenario": "its scenario",
    "model": "its model",
}
DOUBTFUL: dict[Doubtful, str] = {
    "cut_off": "Texts that were cut off",
    "likely_refusals": "Texts whose words may be a refusal",
}
TEXT_LABELS: dict[TextName, str] = {"prompt": "Prompts", "response": "Responses"}


class NameField(forms.CharField):
    """The name of a new corpus or sample."""

    def __init__(self, label: str) -> None:
        said = "Use small letters, digits, - and _, at most 60."
        super().__init__(
            max_length=60,
            label=label,
            help_text="Small letters, digits, - and _",
            validators=[RegexValidator(NAME, said)],
        )


class SeedField(forms.IntegerField):
    """The seed of a draw."""

    def __init__(self) -> None:
        super().__init__(min_value=0, max_value=2**32 - 1, initial=SEED, label="Seed")


class LinesField(forms.CharField):
    """Texts, one a line."""

    def __init__(self, label: str, help_text: str) -> None:
        super().__init__(
            required=False,
            label=label,
            help_text=help_text,
            max_length=100_000,
            widget=forms.Textarea(attrs={"rows": 2}),
        )

    def clean(self, value: Any) -> list[str]:
        text = super().clean("\n".join(value) if isinstance(value, list) else value)
        return [line for each in text.splitlines() if (line := each.strip())]


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

    def clean(self) -> dict[str, Any]:
        """Refuse nothing."""
        given: dict[str, Any] = super().clean() or {}
        if not self.errors and not given.get("file") and not given.get("text", "").strip():
            raise forms.ValidationError("Choose a file or give its text.")
        return given

    @property
    def content(self) -> bytes:
        """The file of a valid form; it counts more than the text."""
        file = self.cleaned_data.get("file")
        if file:
            file.seek(0)
            return bytes(file.read())
        return str(self.cleaned_data["text"]).replace("\r\n", "\n").encode()

    def file_name(self, otherwise: str) -> str:
        """What people call the file; of a text `otherwise`."""
        file = self.cleaned_data.get("file")
        return str(file.name) if file else otherwise


class ImportForm(OnPage):
    """A file that becomes a corpus. A preset says which columns it has; fields override it."""

    IDS = "import"

    name = NameField("Name of the corpus")
    file = forms.FileField(label="File", widget=forms.FileInput(attrs={"accept": ",".join(KINDS)}))
    preset = forms.ChoiceField(
        required=False,
        label="Preset",
        choices=[("", "none"), *((name, f"{name}: {p.about}") for name, p in PRESETS.items())],
    )
    prompt = forms.CharField(required=False, max_length=200, label="Column of prompts")
    response = forms.CharField(required=False, max_length=200, label="Column of responses")
    no_response = forms.BooleanField(required=False, label="The file has no responses")
    context = LinesField("Columns of the context", "One a line")
    messages = forms.CharField(
        required=False, max_length=200, label="Column of messages", help_text="Instead of prompts"
    )
    where = LinesField("Only records with", "COLUMN=VALUE, one a line")

    def clean_where(self) -> dict[str, str]:
        pairs = [each.partition("=") for each in self.cleaned_data["where"]]
        for column, sign, value in pairs:
            if not (column and sign):
                raise forms.ValidationError(f"{column + sign + value!r} is not COLUMN=VALUE.")
        return {column: value for column, _, value in pairs}

    def clean(self) -> dict[str, Any]:
        """Make the columns."""
        given: dict[str, Any] = super().clean() or {}
        if given.get("no_response") and given.get("response"):
            self.add_error("response", "The file has no responses, or a column of them: not both.")
        return given

    @property
    def options(self) -> dict[str, Any]:
        """What a job imports by. Raises CorpusProblem."""
        given = self.cleaned_data
        columns: list[tuple[str, str]] = []
        for part in PARTS:
            named: Sequence[str] = given[part] if part == "context" else [given[part]]
            columns += [(part, column) for column in named if column]
        if given["no_response"]:
            columns.append(("response", ""))
        layout_of(given["preset"], columns, given["where"])
        return {"preset": given["preset"], "columns": columns, "where": given["where"]}


class FilterForm(OnPage):
    """The filters of a corpus."""

    IDS = "filter"

    steps = forms.MultipleChoiceField(
        required=False,
        label="Steps, in this order",
        choices=list(STEP_LABELS.items()),
        widget=forms.CheckboxSelectMultiple,
    )
    checked = forms.MultipleChoiceField(
        label="Web addresses, emoji and short texts count in",
        choices=list(TEXT_LABELS.items()),
        widget=forms.CheckboxSelectMultiple,
    )
    min_tokens = forms.IntegerField(min_value=1, max_value=1000, label="Fewest tokens of a text")
    same = forms.ChoiceField(
        label="A duplicate repeats",
        choices=[("dialogue", "prompt and response"), ("prompt", "the prompt")],
    )
    near = NumberField(min_value=0.5, max_value=1, label="Least share of near-duplicates")
    names = LinesField("Names to replace everywhere", "One a line")

    def __init__(self, *args: Any, corpus: Corpus, **kwargs: Any) -> None:
        super().__init__(*args, initial=defaults_of(corpus), **kwargs)
        self.fields["near"].widget.attrs["step"] = "any"

    @property
    def filters(self) -> Filters:
        """The filters of a valid form."""
        given = self.cleaned_data
        steps = [step for step in get_args(Step) if step in given["steps"]]
        return Filters.model_validate(given | {"steps": steps}, strict=False)


def defaults_of(corpus: Corpus) -> dict[str, Any]:
    """The filters that a corpus had, else those of its preset."""
    if corpus.filtered is not None:
        filters = Filters.model_validate(corpus.filtered["filters"], strict=False)
    else:
        filters = filters_of(corpus.source["preset"], {})
    plain = filters.model_dump(mode="json")
    return plain | {"names": "\n".join(filters.names)}


class SampleForm(OnPage):
    """A draw of scenarios."""

    IDS = "sample"

    name = NameField("Name of the sample")
    first = forms.IntegerField(required=False, min_value=1, label="Of the first … dialogues")
    random = forms.IntegerField(required=False, min_value=1, label="Scenarios at random")
    seed = SeedField()

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if not self.errors and given.get("first") is None and given.get("random") is None:
            raise forms.ValidationError("Give the first, a number at random, or both.")
        return given


class ChatsForm(OnPage):
    """Chats to tune a model with."""

    IDS = "chats"

    valid = NumberField(
        min_value=0, initial=0.1, label="Validation", help_text="A number, or a share below 1"
    )
    test = NumberField(
        min_value=0, initial=0.1, label="Test", help_text="A number, or a share below 1"
    )
    seed = SeedField()
    together = forms.BooleanField(required=False, label="Dialogues of one context are in one part")
    ask_as = forms.FileField(required=False, label="Ask as this generation file asks")
    condition = forms.CharField(
        required=False, max_length=100, label="Its condition", help_text="The first if empty"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for part in ("valid", "test"):
            self.fields[part].widget.attrs["step"] = "any"

    def clean(self) -> dict[str, Any]:
        """Read the generation file."""
        given: dict[str, Any] = super().clean() or {}
        self.definition: GenerationDefinition | None = None
        for part in ("valid", "test"):
            try:
                check_size(part, given.get(part, 0))
            except SplitWrong as problem:
                self.add_error(part, str(problem))
        if file := given.get("ask_as"):
            try:
                self.definition = read_definition(file.read(), file.name)
                given["condition"] = self.definition.condition(given.get("condition", ""))
            except DefinitionError as error:
                self.add_error("ask_as", error.lines)
            except CorpusProblem as problem:
                self.add_error("condition", str(problem))
        return given

    @property
    def options(self) -> dict[str, Any]:
        """What a job writes chats by."""
        asked = self.definition
        return self.cleaned_data | {
            "ask_as": asked.model_dump_json(exclude_unset=True) if asked else ""
        }


class GenerationForm(FileOrText):
    """A generation file."""

    IDS = "generation"

    def read(self) -> GenerationDefinition:
        """What a valid form has. Raises DefinitionError."""
        return read_definition(self.content, self.file_name("generation.yaml"))


class MissingTextsForm(OnPage):
    """How missing, cut-off and refused texts are handled when responses are written."""

    leave_out = forms.ChoiceField(
        required=False,
        label="For a text that was refused, filtered or failed, leave out",
        choices=[("", "nothing: stop instead"), *LEFT_OUT.items()],
    )
    without = forms.MultipleChoiceField(
        required=False,
        label="Count as missing, too",
        choices=list(DOUBTFUL.items()),
        widget=forms.CheckboxSelectMultiple,
    )
    with_refusals = forms.BooleanField(
        required=False, label="A refusal that the endpoint names is a response"
    )

    @staticmethod
    def chosen_in(job: CorpusJob | None) -> dict[str, Any]:
        """The initial values that an earlier job was asked with."""
        return dict(job.options.get("choice", {})) if job else {}

    @property
    def missing_texts(self) -> MissingTexts:
        """What a valid form says."""
        given = self.cleaned_data
        return MissingTexts(
            leave_out=given["leave_out"] or None,
            without=given["without"],
            with_refusals=given["with_refusals"],
        )


class ResponsesForm(MissingTextsForm):
    """That responses.csv is to be written."""

    IDS = "responses"


class StudyForm(MissingTextsForm, FileOrText):
    """study.yaml of a study of a sample's responses."""

    IDS = "study"


class DeleteForm(OnPage):
    """That something is to be deleted."""

    IDS = "delete"

    confirmed = forms.BooleanField(
        label="Delete it", error_messages={"required": "Tick the box to delete it."}
    )
    with_texts = forms.BooleanField(
        required=False, label="with its generated texts and the record of their cost"
    )

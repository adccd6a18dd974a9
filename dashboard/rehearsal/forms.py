"""What the page about rehearsals takes."""

from typing import Any

from django import forms

from dashboard.rehearsal.profiles import PROFILES, is_default, read_profile, shipped
from dashboard.rehearsal.sending import is_at_local_prolific
from dashboard.rehearsal.simulations import MOST_RATERS
from survey.files.apart import read_apart
from survey.files.problems import DefinitionError
from survey.files.yaml_file import YamlFile
from survey.models import Study
from survey.simulated.record import Crowd


class SimulationForm(forms.Form):
    """Simulated raters to be sent."""

    participants = forms.IntegerField(
        min_value=1, max_value=MOST_RATERS, initial=40, label="Simulated raters"
    )
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, label="Seed")
    profile = forms.ChoiceField(label="Profile")
    file = forms.FileField(required=False, label="or your own (YAML)")
    from_prolific = forms.BooleanField(
        required=False, label="They come from the local Prolific, and enter their codes there"
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.notices: list[str] = []
        profile = self.fields["profile"]
        assert isinstance(profile, forms.ChoiceField)
        profile.choices = [(name, name) for name in shipped()]
        #: Whether the study can have people from the local Prolific.
        self.at_prolific = is_at_local_prolific(study)

    def clean_from_prolific(self) -> bool:
        """Refuse it where the study is not there."""
        if self.cleaned_data["from_prolific"] and not self.at_prolific:
            raise forms.ValidationError(
                "The study is not on the local Prolific: create and publish it there."
            )
        return bool(self.cleaned_data["from_prolific"])

    def clean(self) -> dict[str, Any]:
        """Read the profile."""
        given: dict[str, Any] = super().clean() or {}
        file = given.get("file")
        if not file and not given.get("profile"):
            return given
        path = PROFILES / given.get("profile", "")
        yaml = None
        try:
            if file:
                yaml = read_apart(file.name, YamlFile, file.read(), file=file.name)
            else:
                yaml = YamlFile.read(path)
            self.chosen, notices = read_profile(yaml, self.study)
        except DefinitionError as error:
            self.add_error("file" if file else "profile", str(error.problems[0]))
        else:
            self.notices = [] if not file and is_default(path) else notices
            self.profile_name = file.name if file else path.name
        return given

    @property
    def crowd(self) -> Crowd:
        """The raters that a valid form asks for."""
        given = self.cleaned_data
        return Crowd(
            self.chosen,
            self.profile_name,
            given["seed"],
            given["participants"],
            given["from_prolific"],
        )

"""Profiles of simulated raters: those of examples/profiles, and own ones."""

from pathlib import Path

from django.conf import settings

from survey.files.yaml_file import YamlFile
from survey.models import Study
from survey.simulated.answers import unmatched
from survey.simulated.crowd import read_content
from survey.simulated.profile import SimulationProfile

PROFILES: Path = settings.BASE_DIR / "examples" / "profiles"
DEFAULT = "default.yaml"


def shipped() -> list[str]:
    """The names of the profiles that come with Fivefold, the default one first."""
    names = sorted(path.name for path in PROFILES.glob("*.yaml"))
    return sorted(names, key=lambda name: name != DEFAULT)


def is_default(path: Path) -> bool:
    """Whether a profile is the default: it serves every study, so much of it has no effect on any
    one.
    """
    return path == PROFILES / DEFAULT


def read_profile(file: YamlFile, study: Study) -> tuple[SimulationProfile, list[str]]:
    """A profile, and what in it has no effect on the study. Raises DefinitionError."""
    profile = file.check(SimulationProfile, file.plain())
    notices = [
        f"{file.problem(place, what)}; no effect"
        for place, what in unmatched(profile, read_content(study))
    ]
    return profile, notices

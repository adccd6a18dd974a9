"""What each role may do in a study or a corpus, and how a view says what it needs.

Pages say it by `access.needs`, routes of the API by `Needs` in the class. Navigation, buttons, the
log of downloads and docs/accounts.md go by it, too. A view that says nothing is refused.
"""

from enum import Enum
from typing import NamedTuple

from django.db import models


class Role(models.TextChoices):
    """Of an account in a study, in all its versions, or in a corpus with its samples. Each may do
    what the later ones may.
    """

    OWNER = "owner", "Owner"
    EDITOR = "editor", "Editor"
    ANALYST = "analyst", "Analyst"
    VIEWER = "viewer", "Viewer"

    def includes(self, other: "Role") -> bool:
        """Whether it may do everything that `other` may."""
        order = list(Role)
        return order.index(self) <= order.index(other)

    def may(self, permission: "Permission") -> bool:
        return self.includes(permission.least)


class Permission(Enum):
    """What some roles may do, with the least of these roles."""

    READ = "read pages, tables and figures, and download zips for sharing", Role.VIEWER
    ROWS = "download raters’ answers row by row", Role.ANALYST
    CODES = "see the completion codes for Prolific", Role.ANALYST
    COMPUTE = (
        "have analyses, metrics, scorers, perturbations, multiverses, plans and zips computed, "
        "and stop them",
        Role.ANALYST,
    )
    CODE = "code open answers by themes", Role.ANALYST
    CHANGE = (
        "change state, thresholds and gold scores, exclude raters, lock plans, have judges "
        "asked, preview the survey, send and stop simulated raters",
        Role.EDITOR,
    )
    IDENTIFY = "see who raters are on Prolific, and read and compare submissions", Role.EDITOR
    CORPORA = "import corpora, have texts generated and load studies of them", Role.EDITOR
    OWN_CORPORA = "delete corpora and give roles in them", Role.OWNER
    RECRUIT = "recruit and pay on Prolific", Role.OWNER
    MANAGE = "give roles, invite people and read the log", Role.OWNER

    def __init__(self, what: str, least: Role) -> None:
        self.what, self.least = what, least

    @property
    def roles(self) -> list[Role]:
        """Those that have it."""
        return [role for role in Role if role.may(self)]


#: What roles in a study are about; owners of corpora are others.
IN_A_STUDY = [each for each in Permission if each is not Permission.OWN_CORPORA]


class About(Enum):
    """What a view is about: whose roles count there."""

    STUDY = "study"
    #: A corpus, or a sample or a job of it. Of the list of corpora, which shows those in which an
    #: account has a role, and of importing one: the role in any study.
    CORPORA = "corpora"
    #: The own account: every researcher is admitted.
    ACCOUNT = "account"
    #: Strangers are admitted, too: the view itself says whom it refuses.
    ANYBODY = "anybody"


class Needs(NamedTuple):
    """Which permission a view needs; None for a method that it does not have."""

    #: GET and HEAD.
    get: Permission | None = None
    #: POST, PUT, PATCH and DELETE.
    change: Permission | None = None
    #: Whether what it sends is a file, which the log records.
    is_download: bool = False
    #: Whether it is about the account itself, and so not for tokens that are for some studies only.
    whole_account: bool = False
    about: About = About.STUDY
    #: Whether it is about a job, of which some kinds need what `OF_JOBS` says instead.
    is_about_job: bool = False

    def of_kind(self, kind: str) -> "Needs":
        """What it needs about a job of this kind; of methods that it does not have, nothing."""
        other = OF_JOBS.get(kind) if self.is_about_job else None
        if other is None:
            return self
        return self._replace(get=self.get and other.get, change=self.change and other.change)

    def needed(self, method: str | None) -> Permission | None:
        """The permission for an HTTP method."""
        return self.get if method in ("GET", "HEAD", "OPTIONS") else self.change


#: For views that strangers may open, too.
OPEN = Needs(about=About.ANYBODY)
#: Jobs of these kinds need other permissions than the views of jobs say: `get` to see how far a job
#: is, `change` to stop it.
OF_JOBS: dict[str, Needs] = {
    "submissions": Needs(get=Permission.IDENTIFY, change=Permission.IDENTIFY),
    "simulation": Needs(get=Permission.READ, change=Permission.CHANGE),
}
#: The roles that differ in a corpus.
CORPUS_ROLES = (Role.OWNER, Role.EDITOR, Role.VIEWER)

"""What each role may do in a study, and which page or endpoint needs which permission.

This is the only place that says it: pages, API, navigation, buttons and docs/accounts.md go by
`Permission` and `RULES`. `OF_JOBS` says which kinds of job need more. An address that is in none of
`RULES`, `OF_CORPORA` and `OF_ACCOUNT` is refused.
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
    #: A corpus, a sample or a job of one, or all of them.
    CORPORA = "corpora"
    #: The own account: every researcher is admitted.
    ACCOUNT = "account"


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


def _all(names: str, rule: Needs) -> dict[str, Needs]:
    return dict.fromkeys(names.split(), rule)


_P = Permission
#: By the name of the address.
RULES: dict[str, Needs] = {
    **_all(
        "study counts texts preview versions policy order pilot "
        "gold gold-progress gold-changes run-state judge judge-progress call agreement guard "
        "raters replay rater-called thresholds thresholds-outcome results job-state "
        "figures figure downloads analysis-state",
        Needs(get=_P.READ),
    ),
    **_all(
        "certificate plan-text table table-latex package package-file flagged-texts "
        "drawn-responses",
        Needs(get=_P.READ, is_download=True),
    ),
    **_all("notices", Needs(get=_P.READ, change=_P.READ)),  # e-mail to oneself
    **_all("download", Needs(get=_P.ROWS, is_download=True)),
    **_all("planning", Needs(get=_P.READ, change=_P.COMPUTE)),
    **_all(
        "ask-multiverse ask-metrics prepare-package recompute stop-job",
        Needs(change=_P.COMPUTE),
    ),
    **_all("ask-scorer score-text flag-text ask-perturbations", Needs(change=_P.COMPUTE)),
    **_all("codings", Needs(get=_P.CODE, is_download=True)),
    **_all("add-theme change-theme code-answer import-codings", Needs(change=_P.CODE)),
    **_all("locked-plan rater rehearsal", Needs(get=_P.READ, change=_P.CHANGE)),
    **_all("opening", Needs(get=_P.CHANGE)),
    **_all("use-thresholds", Needs(get=_P.CHANGE, change=_P.CHANGE)),
    **_all("state exclude score choose-gold upload-gold retry", Needs(change=_P.CHANGE)),
    **_all("submissions demographics", Needs(get=_P.IDENTIFY, change=_P.IDENTIFY)),
    **_all("submission", Needs(get=_P.IDENTIFY)),
    **_all("identity submission-id prolific-submissions", Needs(change=_P.IDENTIFY)),
    **_all("prolific payments", Needs(get=_P.RECRUIT, change=_P.RECRUIT)),
    **_all("payment-order payment-order-state", Needs(get=_P.RECRUIT)),
    **_all("events-of-study decide pay-terms settle payment-list", Needs(change=_P.RECRUIT)),
    **_all("people", Needs(get=_P.MANAGE, change=_P.MANAGE)),
    **_all("revoke-invitation", Needs(change=_P.MANAGE)),
    **_all("log", Needs(get=_P.MANAGE)),
    **_all("log-csv", Needs(get=_P.MANAGE, is_download=True)),
    **_all(
        "api:study api:counts api:live api:versions api:differences api:changes api:texts "
        "api:pages api:order api:pilot api:rules api:judge api:calls "
        "api:call api:gold-scores api:gold-decisions api:gold-changes api:agreement api:guard "
        "api:analyses api:run api:results api:subject api:tables api:figures api:figure "
        "api:exports api:package api:job api:largest-differences",
        Needs(get=_P.READ),
    ),
    **_all(
        "api:table api:table-csv api:table-latex api:wins api:figure-svg api:certificate "
        "api:plan-text api:package-zip api:package-file api:drawn-responses",
        Needs(get=_P.READ, is_download=True),
    ),
    **_all("api:rater api:raters api:ratings api:export", Needs(get=_P.ROWS, is_download=True)),
    **_all(
        "api:analysis api:metrics api:multiverse api:packages api:planning "
        "api:scorer api:scored-texts api:perturbations",
        Needs(get=_P.READ, change=_P.COMPUTE),
    ),
    **_all(
        "api:judges api:gold api:plans api:thresholds api:rehearsal",
        Needs(get=_P.READ, change=_P.CHANGE),
    ),
    **_all(
        "api:stop-analysis api:stop-plan api:stop-package api:stop-job", Needs(change=_P.COMPUTE)
    ),
    **_all("api:themes", Needs(get=_P.READ, change=_P.CODE)),
    **_all("api:theme", Needs(change=_P.CODE)),
    **_all("api:codings", Needs(get=_P.CODE, change=_P.CODE, is_download=True)),
    **_all("api:state api:retry api:gold-files", Needs(change=_P.CHANGE)),
    **_all("api:decisions", Needs(get=_P.ROWS, change=_P.CHANGE)),
    **_all("api:policy", Needs(get=_P.READ)),
    **_all("api:codes", Needs(get=_P.CODES)),
    **_all("api:checklist", Needs(get=_P.CHANGE)),
    **_all("api:prolific api:draft", Needs(get=_P.RECRUIT, change=_P.RECRUIT)),
    **_all("api:earlier-studies api:wave", Needs(get=_P.RECRUIT)),
    **_all(
        "api:publish api:pause api:resume api:places api:invite api:prolific-events",
        Needs(change=_P.RECRUIT),
    ),
    **_all("api:demographics api:submissions", Needs(get=_P.IDENTIFY, change=_P.IDENTIFY)),
    **_all("api:submission api:upload", Needs(get=_P.IDENTIFY)),
    **_all(
        "api:read-submissions api:stop-upload api:submission-identity api:rater-identity",
        Needs(change=_P.IDENTIFY),
    ),
    **_all("api:payments api:pay-terms", Needs(get=_P.RECRUIT, change=_P.RECRUIT)),
    **_all(
        "api:payment-order api:payment-orders api:payment-decisions api:proposals",
        Needs(get=_P.RECRUIT),
    ),
    **_all("api:decide api:settle api:payment-list", Needs(change=_P.RECRUIT)),
    **_all("api:notices", Needs(get=_P.READ, change=_P.READ)),  # e-mail to oneself
    **_all("api:members api:invitations", Needs(get=_P.MANAGE, change=_P.MANAGE)),
    **_all("api:invitation", Needs(change=_P.MANAGE)),
    **_all("api:events", Needs(get=_P.MANAGE)),
    **_all("api:events-csv", Needs(get=_P.MANAGE, is_download=True)),
}
#: Addresses without a study: for every researcher, about the own account or the own studies.
OF_ACCOUNT: dict[str, Needs] = {
    **_all(
        "studies tokens revoke-token prolific-account activity api-docs api:studies api:schema "
        "sessions mfa_index change-password account_reauthenticate "
        "mfa_activate_totp mfa_deactivate_totp "
        "mfa_view_recovery_codes mfa_generate_recovery_codes mfa_add_webauthn mfa_edit_webauthn "
        "mfa_remove_webauthn",
        Needs(),
    ),
    **_all("activity-csv", Needs(is_download=True)),
    **_all(
        "api:account-prolific api:account-tokens api:account-token api:account-activity "
        "api:account-invitations",
        Needs(whole_account=True),
    ),
    **_all("api:account-activity-csv", Needs(is_download=True, whole_account=True)),
}
#: Addresses about corpora and samples: they need the role in the corpus. Of the list of corpora,
#: which shows those in which an account has a role, and of importing: in any study.
OF_CORPORA: dict[str, Needs] = {
    **_all("corpora api:corpora", Needs(get=_P.READ, change=_P.CORPORA)),
    **_all("corpus sample corpus-job-state generation-state", Needs(get=_P.READ)),
    **_all(
        "filter-corpus draw-sample write-chats dismiss-job stop-corpus-job api:stop-corpus-job "
        "generate stop-generating write-responses load-study delete-sample",
        Needs(change=_P.CORPORA),
    ),
    **_all("delete-corpus corpus-people", Needs(change=_P.OWN_CORPORA)),
    **_all("corpus-file job-file", Needs(get=_P.READ, is_download=True)),
    **_all("raw-dialogues api:raw-dialogues", Needs(get=_P.IDENTIFY, is_download=True)),
    **_all("api:corpus", Needs(get=_P.READ, change=_P.OWN_CORPORA)),
    **_all("api:corpus-members", Needs(get=_P.OWN_CORPORA, change=_P.OWN_CORPORA)),
    **_all("api:samples api:sample api:generation", Needs(get=_P.READ, change=_P.CORPORA)),
    **_all("api:corpus-job api:scenarios", Needs(get=_P.READ)),
    **_all("api:corpus-file api:job-file", Needs(get=_P.READ, is_download=True)),
    **_all(
        "api:filters api:chats api:stop-generating api:responses api:sample-study",
        Needs(change=_P.CORPORA),
    ),
}
#: What the job of an address needs where its kind needs more than `RULES` say.
OF_JOBS: dict[str, Needs] = {
    "submissions": Needs(get=_P.IDENTIFY, change=_P.IDENTIFY),
    "simulation": Needs(get=_P.READ, change=_P.CHANGE),
}
#: The roles that differ in a corpus.
CORPUS_ROLES = (Role.OWNER, Role.EDITOR, Role.VIEWER)


def is_download(address: str) -> bool:
    """Whether the log records what is sent from an address, given by name."""
    rule = RULES.get(address) or OF_ACCOUNT.get(address) or OF_CORPORA.get(address)
    return rule is not None and rule.is_download

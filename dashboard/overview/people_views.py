"""Overview: the people with access to a study, and inviting others."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from dashboard.overview.invitations import VALID, invite, open_invitations, revoke
from dashboard.overview.people import change_role, members_of, superusers
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.pages import refusals_told, study_page
from dashboard.shared.roles import IN_A_STUDY, Permission, Role
from survey.models import Study

NO_ROLE = "none"
UNKNOWN_ROLE = {"invalid_choice": "%(value)s is no role.", "required": "Choose a role."}


class InviteForm(forms.Form):
    """The role that an invitation gives."""

    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER, error_messages=UNKNOWN_ROLE)
    note = forms.CharField(
        label="Whom it is for (optional)",
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class RoleForm(forms.Form):
    """The new role of a member, or none."""

    person = forms.CharField(max_length=150)
    role = forms.ChoiceField(
        choices=[*Role.choices, (NO_ROLE, "No access")], error_messages=UNKNOWN_ROLE
    )

    @property
    def chosen(self) -> Role | None:
        """Of a valid form."""
        role = self.cleaned_data["role"]
        return None if role == NO_ROLE else Role(role)


def problems_of(form: forms.Form) -> str:
    """What is wrong with a form, in one line."""
    return " ".join(str(error) for errors in form.errors.values() for error in errors)


@needs(Permission.MANAGE, Permission.MANAGE)
def people(request: ResearcherRequest, name: str) -> HttpResponse:
    """Who has access; a sent form changes a role or makes an invitation."""
    study = study_or_404(name)
    if request.method == "GET":
        return _page(request, study)
    if "person" in request.POST:
        _change_role(request, study)
        return redirect("people", study)
    form = InviteForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"{problems_of(form)} Nothing was changed.")
        return redirect("people", study)
    role = Role(form.cleaned_data["role"])
    invitation, secret = invite(
        study=study, role=role, note=form.cleaned_data["note"], author=request.user
    )
    link = settings.SITE_URL + reverse("invitation", args=[secret])
    instead = reverse("people", args=[study])
    return _page(request, study, link=link, made=invitation, instead=instead)


def _change_role(request: ResearcherRequest, study: Study) -> None:
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"{problems_of(form)} Nothing was changed.")
        return
    person = form.cleaned_data["person"]
    with refusals_told(request):
        changed = change_role(study=study, person=person, role=form.chosen, author=request.user)
        if changed and form.chosen is None:
            messages.success(request, f"{person} has no access to {study.slug} any more.")
        elif changed:
            messages.success(request, f"{person} is now {form.chosen} of {study.slug}.")


@needs(change=Permission.MANAGE)
def revoke_invitation(request: ResearcherRequest, name: str, invitation: int) -> HttpResponse:
    """Make the link of an invitation useless."""
    study = study_or_404(name)
    if revoke(study=study, invitation=invitation, author=request.user):
        messages.success(request, "The invitation is revoked.")
    else:
        messages.error(request, "There is no such open invitation. Nothing was changed.")
    return redirect("people", study)


def _page(request: ResearcherRequest, study: Study, **context: object) -> HttpResponse:
    return study_page(
        request,
        study,
        "people",
        "overview/people",
        members=members_of(study.slug),
        superusers=superusers(),
        roles=[*Role.choices, (NO_ROLE, "No access")],
        form=InviteForm(),
        invitations=open_invitations(study.slug),
        days=VALID.days,
        permissions=[
            (each.what, [(role.label, role.may(each)) for role in Role]) for each in IN_A_STUDY
        ],
        role_labels=Role.labels,
        **context,
    )

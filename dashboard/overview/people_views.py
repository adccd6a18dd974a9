"""Overview: the people with access to a study, and inviting others."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from dashboard.overview.forms import InviteForm, RoleForm
from dashboard.overview.invitations import VALID, invite, open_invitations, revoke
from dashboard.overview.people import change_role, labels_of_roles, members_of, superusers
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.pages import refusals_told, study_page
from dashboard.shared.roles import IN_A_STUDY, Permission, Role
from survey.models import Study


@needs(Permission.MANAGE, Permission.MANAGE)
def people(request: ResearcherRequest, name: str) -> HttpResponse:
    """Who has access; a sent form changes a role or makes an invitation."""
    study = study_or_404(name)
    if request.method == "GET":
        return _page(request, study)
    with refusals_told(request):
        if "person" in request.POST:
            _change_role(request, study)
        else:
            made, link = invite(study, InviteForm(request.POST).asked, request.user)
            instead = reverse("people", args=[study])
            return _page(request, study, link=link, made=made, instead=instead)
    return redirect("people", study)


def _change_role(request: ResearcherRequest, study: Study) -> None:
    options = RoleForm(request.POST).asked
    person, role = options.person, options.role
    changed = change_role(study, options, request.user)
    if changed and role is None:
        messages.success(request, f"{person} has no access to {study.slug} any more.")
    elif changed:
        messages.success(request, f"{person} is now {role} of {study.slug}.")


@needs(change=Permission.MANAGE)
def revoke_invitation(request: ResearcherRequest, name: str, invitation: int) -> HttpResponse:
    """Make the link of an invitation useless."""
    study = study_or_404(name)
    with refusals_told(request):
        revoke(study, invitation, request.user)
        messages.success(request, "The invitation is revoked.")
    return redirect("people", study)


def _page(request: ResearcherRequest, study: Study, **context: object) -> HttpResponse:
    return study_page(
        request,
        study,
        "people",
        "overview/people",
        members=members_of(study.slug),
        superusers=superusers(),
        roles=labels_of_roles(Role).values.items(),
        form=InviteForm(initial={"role": Role.VIEWER}, label_suffix=":"),
        invitations=open_invitations(study.slug),
        days=VALID.days,
        permissions=[
            (each.what, [(role.label, role.may(each)) for role in Role]) for each in IN_A_STUDY
        ],
        role_labels=Role.labels,
        **context,
    )

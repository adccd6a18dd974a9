"""The page on which a researcher asks for e-mail about a study."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from dashboard.notices.forms import NoticesForm
from dashboard.notices.sending import choose, chosen_by, is_possible
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.pages import study_page
from dashboard.shared.roles import Permission


@needs(Permission.READ, Permission.READ)
def notices(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for e-mail about a study, or end it. Each researcher for themselves."""
    study, user = study_or_404(name), request.user
    form = NoticesForm(
        request.POST or None, initial={"email": user.email, "occasions": chosen_by(user, study)}
    )
    if request.method == "POST" and form.is_valid():
        asked = form.cleaned_data["occasions"]
        choose(
            study=study,
            user=user,
            email=form.cleaned_data["email"],
            occasions=asked,
            at=timezone.now(),
        )
        where = f"You get e-mail about {study.slug} at {user.email}."
        messages.success(request, where if asked else f"You get no e-mail about {study.slug}.")
        return redirect("notices", study)
    context = {"form": form, "is_possible": is_possible()}
    return study_page(request, study, "notices", "notices/notices", **context)

"""The page on which a researcher asks for e-mail about a study."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dashboard.notices.forms import NoticesForm
from dashboard.notices.models import Follower
from dashboard.notices.sending import follow, is_possible
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.log import record
from dashboard.shared.pages import study_page


@require_http_methods(["GET", "POST"])
@researcher_required
def notices(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for e-mail about a study, or end it. Each researcher for themselves."""
    study, user = study_or_404(name), request.user
    follower = Follower.objects.filter(user=user, slug=study.slug).first()
    now = {"email": user.email, "occasions": follower.occasions if follower else []}
    form = NoticesForm(request.POST or None, initial=now)
    if request.method == "POST" and form.is_valid():
        user.email = form.cleaned_data["email"]
        user.save(update_fields=["email"])
        asked = form.cleaned_data["occasions"]
        follow(user_id=user.pk, slug=study.slug, occasions=asked, at=timezone.now())
        record(study, user, "e-mail chosen", name=", ".join(asked) or "none")
        where = f"You get e-mail about {study.slug} at {user.email}."
        messages.success(request, where if asked else f"You get no e-mail about {study.slug}.")
        return redirect("notices", study)
    context = {"form": form, "is_possible": is_possible()}
    return study_page(request, study, "notices", "notices/notices", **context)

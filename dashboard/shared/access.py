"""Who may see researchers' pages: active staff, each in the studies of which they have a role.

Every page goes through `researcher_required`, which goes by `roles.RULES`; the API does the same in
`accounts.requirement.IsResearcher`.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeGuard, TypeVar, cast

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model, Q, QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.defaults import page_not_found

from dashboard.shared.models import Membership
from dashboard.shared.roles import OF_ACCOUNT, OF_CORPORA, RULES, Needs, Permission, Role
from survey.access import MAY_PREVIEW
from survey.models import Study
from survey.queries import StudyNotFound, find_study

P = ParamSpec("P")
Row = TypeVar("Row", bound=Model)


class NotAllowed(Exception):
    """What a role may not do; the text says why."""


class NoSuchMethod(Exception):
    """A method that an address does not have; the text is one that it has."""


class ResearcherRequest(HttpRequest):
    """A request that has passed `researcher_required`."""

    user: User
    #: In the study of the address; None for pages without a study.
    role: Role | None


def is_researcher(user: User | AnonymousUser) -> TypeGuard[User]:
    """Active staff."""
    return user.is_active and user.is_staff


def visible_to(user: User | AnonymousUser, studies: QuerySet[Study]) -> QuerySet[Study]:
    """Those of some studies in which an account has a role."""
    if not is_researcher(user):
        return studies.none()
    if user.is_superuser:
        return studies
    return studies.filter(slug__in=Membership.objects.filter(user=user).values("slug"))


def role_of(user: User | AnonymousUser, slug: str) -> Role | None:
    """The role of an account in a study."""
    if not is_researcher(user):
        return None
    if user.is_superuser:
        return Role.OWNER
    role = Membership.objects.filter(user=user, slug=slug).values_list("role", flat=True).first()
    return Role(role) if role else None


def sees_codes(user: User | AnonymousUser, study: Study) -> bool:
    """Whether an account may see a study's completion codes."""
    role = role_of(user, study.slug)
    return role is not None and role.may(Permission.CODES)


def highest_role(user: User | AnonymousUser) -> Role | None:
    """The highest role of an account in any study."""
    if not is_researcher(user):
        return None
    if user.is_superuser:
        return Role.OWNER
    own = set(Membership.objects.filter(user=user).values_list("role", flat=True))
    return next((role for role in Role if role in own), None)


def may_use_corpora(user: User | AnonymousUser) -> bool:
    """Whether an account may work with corpora, which are of no study."""
    role = highest_role(user)
    return role is not None and role.may(Permission.CORPORA)


def with_access(slug: str) -> QuerySet[User]:
    """The researchers who have a role in a study."""
    members = Membership.objects.filter(slug=slug).values("user")
    researchers = User.objects.filter(is_active=True, is_staff=True)
    return researchers.filter(Q(is_superuser=True) | Q(pk__in=members))


def role_in(request: HttpRequest) -> Role | None:
    """The caller's role in the study that an address names; None for an address without one.

    Raises Http404 for a study that they may not see, NotAllowed if the role may not do this,
    NoSuchMethod.
    """
    match = request.resolver_match
    assert match is not None
    rule = RULES.get(match.view_name)
    if about_corpora := OF_CORPORA.get(match.view_name):
        return _role_for(about_corpora, request)
    if rule is None:
        if match.view_name in OF_ACCOUNT:
            return None
        raise NotAllowed(f"No rule says who may open {match.view_name}, so nobody may.")
    study = _find_or_404(match.kwargs["name"], visible_to(request.user, Study.objects.all()))
    needed, role = rule.needed(request.method), role_of(request.user, study.slug)
    if needed is None:
        raise NoSuchMethod("GET" if rule.get else "POST")
    if role is None or not role.may(needed):
        have = f"Your role in {study.slug} is {role}. " if role else ""
        may = " and ".join(f"{one.label.lower()}s" for one in needed.roles)
        raise NotAllowed(f"{have}Only {may} may {needed.what}.")
    return role


def _role_for(rule: Needs, request: HttpRequest) -> Role:
    """The caller's role in any study, for addresses of none. Raises as `role_in`."""
    needed, role = rule.needed(request.method), highest_role(request.user)
    if needed is None:
        raise NoSuchMethod("GET" if rule.get else "POST")
    if role is None or not role.may(needed):
        may = " and ".join(f"{one.label.lower()}s" for one in needed.roles)
        raise NotAllowed(f"Only {may} of a study may {needed.what}.")
    return role


def researcher_required(
    view: Callable[Concatenate[ResearcherRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Admit researchers as far as their role in the study goes; ask anonymous visitors to log in.

    Other accounts, and what a role may not do, are refused (403). A study in which an account has
    no role is not found (404).
    """

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not is_researcher(request.user):
            return render(request, "dashboard/refused.html", status=403)
        admitted = cast("ResearcherRequest", request)
        try:
            admitted.role = role_in(request)
        except NotAllowed as why:
            return render(request, "dashboard/not_allowed.html", {"why": why}, status=403)
        except NoSuchMethod as other:
            return HttpResponseNotAllowed([str(other)])
        return view(admitted, *args, **kwargs)

    return guarded


def may(request: HttpRequest) -> dict[str, Any]:
    """For all templates: `may.change`, for example, is whether the role has `Permission.CHANGE`;
    `may_use_corpora` is about any study.
    """
    role: Role | None = getattr(request, "role", None)
    in_corpora = partial(may_use_corpora, getattr(request, "user", AnonymousUser()))
    return {
        "may_use_corpora": in_corpora,
        "may": {each.name.lower(): role is not None and role.may(each) for each in Permission},
    }


class RolesBackend(BaseBackend):
    """Tells the survey, which knows no roles, who may preview a study."""

    def has_perm(self, user_obj: User | AnonymousUser, perm: str, obj: Model | None = None) -> bool:
        if perm != MAY_PREVIEW or not isinstance(obj, Study):
            return False
        role = role_of(user_obj, obj.slug)
        return role is not None and role.may(Permission.CHANGE)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """What is not there (404): JSON for programs, else a page, whose navigation is for researchers
    alone.
    """
    reason = exception.args[0] if exception.args else ""  # of unknown addresses it is no text
    why = reason if isinstance(reason, str) else ""
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": why or "The API has no such address."}, status=404)
    is_researchers = not request.path.startswith("/s/") and request.user.is_staff
    if not is_researchers:
        return page_not_found(request, exception)
    return render(request, "dashboard/missing.html", {"why": why}, status=404)


def study_or_404(name: str) -> Study:
    """The study that an address names, `slug` (newest version) or `slug@version`."""
    return _find_or_404(name, Study.objects.all())


def _find_or_404(name: str, among: QuerySet[Study]) -> Study:
    try:
        return find_study(name, among)
    except StudyNotFound as error:
        raise Http404(capfirst(str(error))) from None


def first_or_404(rows: QuerySet[Row], missing: str) -> Row:
    """The first of some rows. Raises Http404 that says what is `missing`."""
    row = rows.first()
    if row is None:
        raise Http404(missing)
    return row


def valid_or_404(form: Form) -> None:
    """Raises Http404 that names the first part of an address that `form` does not take."""
    for name, problems in form.errors.items():
        raise Http404(f"{name} in the address: {problems[0]}")

"""Who may see researchers' pages: active staff, each in the studies and corpora in
which they have a role.

Every page says by `needs` what it takes; the API does the same by `Route.needs`, which
`accounts.requirement.IsResearcher` enforces. `RefuseUndeclared` refuses a view that says nothing.
"""

from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeGuard, TypeVar, cast

from django.apps import apps
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model, Q, QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django.views.defaults import page_not_found

from corpus.models import Corpus
from dashboard.shared.models import CorpusMembership, Membership
from dashboard.shared.roles import OPEN, About, Needs, Permission, Role
from survey.access import MAY_PREVIEW
from survey.models import Study
from survey.queries import StudyNotFound, find_study
from survey.refusals import RefusalKind, RequestRefused

P = ParamSpec("P")
Row = TypeVar("Row", bound=Model)
AnyView = TypeVar("AnyView", bound=Callable[..., HttpResponseBase])
#: Participants' pages have rules of their own (`survey.access`), the raw records Django's.
NOT_OURS = ("/s/", "/admin/")


class NotAllowed(RequestRefused):
    """What a role may not do; the text says why."""

    kind = RefusalKind.FORBIDDEN
    unchanged = ""


class NoSuchMethod(Exception):
    """A method that an address does not have; the text is one that it has."""


class ResearcherRequest(HttpRequest):
    """A request that has passed `needs` or `researcher_required`."""

    user: User
    #: In the study or corpus of the address; None for pages without one.
    role: Role | None


View = Callable[Concatenate[ResearcherRequest, P], HttpResponseBase]
Guarded = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


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


def may_import_corpora(user: User | AnonymousUser) -> bool:
    """Whether an account may import corpora: who may change any study."""
    role = highest_role(user)
    return role is not None and role.may(Permission.CORPORA)


def may_use_corpora(user: User | AnonymousUser) -> bool:
    """Whether an account may import corpora, or has a role in one."""
    return may_import_corpora(user) or visible_corpora(user, Corpus.objects.all()).exists()


def visible_corpora(user: User | AnonymousUser, corpora: QuerySet[Corpus]) -> QuerySet[Corpus]:
    """Those of some corpora in which an account has a role."""
    if not is_researcher(user):
        return corpora.none()
    if user.is_superuser:
        return corpora
    return corpora.filter(pk__in=CorpusMembership.objects.filter(user=user).values("corpus"))


def role_in_corpus(user: User | AnonymousUser, corpus: Corpus) -> Role | None:
    """The role of an account in a corpus and its samples."""
    if not is_researcher(user):
        return None
    if user.is_superuser:
        return Role.OWNER
    role = corpus.memberships.filter(user=user).values_list("role", flat=True).first()
    return Role(role) if role else None


def with_access(slug: str) -> QuerySet[User]:
    """The researchers who have a role in a study."""
    members = Membership.objects.filter(slug=slug).values("user")
    researchers = User.objects.filter(is_active=True, is_staff=True)
    return researchers.filter(Q(is_superuser=True) | Q(pk__in=members))


def role_in(request: HttpRequest, rule: Needs) -> Role | None:
    """The caller's role in the study or corpus that an address names; None for an address without
    one. `rule` is what its view needs.

    Raises Http404 for one that they may not see, NotAllowed if the role may not do this,
    NoSuchMethod.
    """
    match = request.resolver_match
    assert match is not None
    if rule.about is About.ACCOUNT:
        return None
    if rule.about is About.CORPORA:
        return _role_about_corpora(rule, request, match.kwargs)
    rule = rule.of_kind(match.kwargs.get("kind", ""))
    study = _find_or_404(match.kwargs["name"], visible_to(request.user, Study.objects.all()))
    role = role_of(request.user, study.slug)
    _check(rule, request, role, of=study.slug)
    return role


def _check(rule: Needs, request: HttpRequest, role: Role | None, *, of: str) -> None:
    """Raises NotAllowed, NoSuchMethod as `role_in`."""
    needed = rule.needed(request.method)
    if needed is None:
        raise NoSuchMethod("GET" if rule.get else "POST")
    if role is None or not role.may(needed):
        have = f"Your role in {of} is {role}. " if role else ""
        may = " and ".join(f"{one.label.lower()}s" for one in needed.roles)
        raise NotAllowed(f"{have}Only {may} may {needed.what}.")


def _role_about_corpora(
    rule: Needs, request: HttpRequest, kwargs: Mapping[str, Any]
) -> Role | None:
    """The caller's role in the corpus that an address is about; in any study, if it is about none.

    Raises as `role_in`.
    """
    user = request.user
    if not kwargs:
        role = highest_role(user)
        needed = rule.needed(request.method)
        if needed is Permission.CORPORA and not may_import_corpora(user):
            raise NotAllowed(f"Only owners and editors of a study may {needed.what}.")
        if not may_use_corpora(user):
            raise NotAllowed(
                "Corpora are for owners and editors of a study, and for those to whom the owner "
                "of a corpus has given a role in it."
            )
        return role
    role, of, missing = _role_and_corpus(user, kwargs)
    if role is None:
        raise Http404(missing)
    _check(rule, request, role, of=of)
    return role


def _role_and_corpus(
    user: User | AnonymousUser, kwargs: Mapping[str, Any]
) -> tuple[Role | None, str, str]:
    """The role of an account in the corpus that `kwargs` of an address name, or a sample or a job
    of it; the corpus; and what is said where there is none, or none that they may see.
    """
    corpus: Corpus | None = None
    role: Role | None = None
    if "corpus" in kwargs:
        missing = f"There is no corpus {kwargs['corpus']!r}."
        corpus = Corpus.objects.filter(name=kwargs["corpus"]).first()
    elif "sample" in kwargs:
        missing = f"There is no sample {kwargs['sample']!r}."
        corpus = Corpus.objects.filter(samples__name=kwargs["sample"]).first()
    else:
        missing = f"There is no job {kwargs['job']}."
        # A table of a room, which this module is below.
        job = apps.get_model("dashboard", "CorpusJob").objects.filter(pk=kwargs["job"]).first()
        if job is not None:
            corpus = job.corpus
            is_own = is_researcher(user) and (user.is_superuser or job.author == user)
            role = Role.OWNER if job.is_of_its_author and is_own else None
    if corpus is not None:
        role = role_in_corpus(user, corpus)
    return role, str(corpus or ""), missing


def needs(
    get: Permission | None = None,
    change: Permission | None = None,
    *,
    is_download: bool = False,
    about: About = About.STUDY,
    is_about_job: bool = False,
) -> Callable[[View[P]], Guarded[P]]:
    """Say which permission a page needs for GET and for POST. Other methods are refused (405), and
    so is one for which no permission is given.

    Researchers are admitted as far as their role in the study or corpus goes; anonymous visitors
    are asked to log in. Other accounts, and what a role may not do, are refused (403). A study in
    which an account has no role is not found (404). A page about the own account needs no
    permission, and says its methods itself.
    """
    rule = Needs(get, change, is_download=is_download, about=about, is_about_job=is_about_job)
    methods = [*(["GET"] if get else []), *(["POST"] if change else [])]

    def declared(view: View[P]) -> Guarded[P]:
        guarded = _guarded(view, rule)
        return require_http_methods(methods)(guarded) if methods else guarded

    return declared


def needs_of(view: Any) -> Needs | None:
    """What a view says that it needs: a page, a route of the API or a class of one."""
    own = getattr(view, "needs", None)
    rule: Needs | None = own or getattr(getattr(view, "view_class", None), "needs", None)
    return rule


def researcher_required(view: View[P]) -> Guarded[P]:
    """Admit every researcher, to a page about the own account."""
    return _guarded(view, Needs(about=About.ACCOUNT))


def open_to_all(view: AnyView) -> AnyView:
    """Admit strangers, too: the view itself says whom it refuses."""
    view.needs = OPEN  # type: ignore[attr-defined]  # for `needs_of`
    return view


class RefuseUndeclared(MiddlewareMixin):
    """Middleware: nobody may open an address of ours whose view does not say who may (403)."""

    def process_view(
        self, request: HttpRequest, view: Any, *arguments: Any
    ) -> HttpResponseBase | None:
        """The refusal, or None."""
        if needs_of(view) is not None or request.path_info.startswith(NOT_OURS):
            return None
        match = request.resolver_match
        name = match.view_name if match else request.path_info
        why = f"{name} does not say who may open it, so nobody may."
        if request.path_info.startswith("/api/"):
            return JsonResponse({"detail": why}, status=403)
        return render(request, "dashboard/not_allowed.html", {"why": why}, status=403)


def _guarded(view: View[P], rule: Needs) -> Guarded[P]:
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not is_researcher(request.user):
            return render(request, "dashboard/refused.html", status=403)
        admitted = cast("ResearcherRequest", request)
        try:
            admitted.role = role_in(request, rule)
        except NotAllowed as why:
            return render(request, "dashboard/not_allowed.html", {"why": why}, status=403)
        except NoSuchMethod as other:
            return HttpResponseNotAllowed([str(other)])
        return view(admitted, *args, **kwargs)

    guarded.needs = rule  # type: ignore[attr-defined]  # for `needs_of`
    return guarded


def may(request: HttpRequest) -> dict[str, Any]:
    """For all templates: `may.change`, for example, is whether the role has `Permission.CHANGE`;
    `may_use_corpora` is about all corpora.
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

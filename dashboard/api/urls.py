"""The addresses of the API, room by room. STUDY is `slug` (newest version) or `slug@version`."""

from django.urls import URLPattern, URLResolver, include, path

from dashboard.api import design, judges, payments, people, raters, results, share, studies
from dashboard.shared import converters  # noqa: F401  registers `study`, `judge` and `number`

OVERVIEW = [
    path("", studies.StudyDetail.as_view(), name="study"),
    path("counts/", studies.StudyCounts.as_view(), name="counts"),
]

DESIGN = [
    path("plans/", design.PlanList.as_view(), name="plans"),
]

RATERS = [
    path("raters/", raters.RaterList.as_view(), name="raters"),
    path("ratings/", raters.RatingList.as_view(), name="ratings"),
]

JUDGES = [
    path("judges/", judges.JudgeList.as_view(), name="judges"),
]

RESULTS = [
    path("metrics/", results.Metrics.as_view(), name="metrics"),
    path("wins/", results.StudyWins.as_view(), name="wins"),
    path("tables/", results.TableList.as_view(), name="tables"),
    path("tables/<slug:table>/", results.TableDetail.as_view(), name="table"),
]

SHARE = [
    path("exports/", share.ExportList.as_view(), name="exports"),
    path("exports/<str:file>", share.ExportFile.as_view(), name="export"),
]

PEOPLE = [
    path("members/", people.MemberList.as_view(), name="members"),
    path("invitations/", people.InvitationList.as_view(), name="invitations"),
    path("invitations/<number:invitation>/", people.InvitationDetail.as_view(), name="invitation"),
    path("events/", people.EventList.as_view(), name="events"),
]

PAYMENTS = [
    path("submissions/", payments.CaseList.as_view(), name="submissions"),
    path("payments/", payments.Payments.as_view(), name="payments"),
    path("payments/<number:order>/", payments.PaymentOrderDetail.as_view(), name="payment-order"),
]

study_patterns = [
    *OVERVIEW,
    *DESIGN,
    *RATERS,
    *JUDGES,
    *RESULTS,
    *SHARE,
    *PEOPLE,
    *PAYMENTS,
]

api_patterns: list[URLPattern | URLResolver] = [
    path("schema/", studies.Schema.as_view(), name="schema"),
    path("studies/", studies.StudyList.as_view(), name="studies"),
    path("studies/<study:name>/", include(study_patterns)),
]

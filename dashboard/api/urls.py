"""The addresses of the API, room by room. STUDY is `slug` (newest version) or `slug@version`."""

from django.urls import URLPattern, URLResolver, include, path

from dashboard.api import (
    account,
    checks,
    design,
    identities,
    judges,
    notices,
    payments,
    people,
    prolific,
    raters,
    results,
    share,
    studies,
)
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
    path("events.csv", people.EventFile.as_view(), name="events-csv"),
    path("notices/", notices.Notices.as_view(), name="notices"),
]

PROLIFIC = [
    path("policy/", checks.Policy.as_view(), name="policy"),
    path("checklist/", checks.Checklist.as_view(), name="checklist"),
    path("prolific/", prolific.Recruiting.as_view(), name="prolific"),
    path("prolific/draft/", prolific.Draft.as_view(), name="draft"),
    path("prolific/publish/", prolific.Publish.as_view(), name="publish"),
    path("prolific/pause/", prolific.Pause.as_view(), name="pause"),
    path("prolific/resume/", prolific.Resume.as_view(), name="resume"),
    path("prolific/places/", prolific.Places.as_view(), name="places"),
    path("prolific/earlier/", prolific.EarlierStudies.as_view(), name="earlier-studies"),
    path("prolific/wave/", prolific.WavePreview.as_view(), name="wave"),
    path("prolific/invite/", prolific.Invite.as_view(), name="invite"),
    path("prolific/events/", prolific.ProlificEvents.as_view(), name="prolific-events"),
    path("prolific/codes/", prolific.Codes.as_view(), name="codes"),
    path("prolific/submissions/", prolific.ReadSubmissions.as_view(), name="read-submissions"),
    path("demographics/", prolific.Demographics.as_view(), name="demographics"),
]

PAYMENTS = [
    path("submissions/", payments.CaseList.as_view(), name="submissions"),
    path("submissions/<number:submission>/", payments.CaseDetail.as_view(), name="submission"),
    path("submissions/<number:submission>/decide/", payments.Decide.as_view(), name="decide"),
    path(
        "submissions/<number:submission>/identity/",
        identities.SubmissionIdentity.as_view(),
        name="submission-identity",
    ),
    path("raters/<str:rater>/identity/", identities.RaterIdentity.as_view(), name="rater-identity"),
    path("payments/", payments.Payments.as_view(), name="payments"),
    path("payments/terms/", payments.PayTermsDetail.as_view(), name="pay-terms"),
    path("payments/proposals/", payments.ProposalList.as_view(), name="proposals"),
    path("payments/<number:order>/", payments.PaymentOrderDetail.as_view(), name="payment-order"),
    path("payments/<number:order>/settle/", payments.Settle.as_view(), name="settle"),
    path("payments/<number:order>/<str:file>", payments.PaymentList.as_view(), name="payment-list"),
]

ACCOUNT = [
    path("prolific/", prolific.AccountOnProlific.as_view(), name="account-prolific"),
    path("tokens/", account.TokenList.as_view(), name="account-tokens"),
    path("tokens/<number:pk>/", account.TokenDetail.as_view(), name="account-token"),
    path("activity/", account.ActivityList.as_view(), name="account-activity"),
    path("activity.csv", account.ActivityFile.as_view(), name="account-activity-csv"),
    path("invitations/", account.Accept.as_view(), name="account-invitations"),
]

study_patterns = [
    *OVERVIEW,
    *DESIGN,
    *RATERS,
    *JUDGES,
    *RESULTS,
    *SHARE,
    *PEOPLE,
    *PROLIFIC,
    *PAYMENTS,
]

api_patterns: list[URLPattern | URLResolver] = [
    path("schema/", studies.Schema.as_view(), name="schema"),
    path("studies/", studies.StudyList.as_view(), name="studies"),
    path("studies/<study:name>/", include(study_patterns)),
    path("account/", include(ACCOUNT)),
]

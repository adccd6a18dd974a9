"""Researchers' addresses. STUDY is `slug` (its newest version) or `slug@version`."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path, register_converter
from django.urls.converters import IntConverter, StringConverter

from dashboard import api, fieldwork_views, judge_views, results_views, thresholds_views, views
from dashboard.forms import LoginForm
from survey.queries import STUDY_NAME


class StudyName(StringConverter):
    """`slug` or `slug@version`; anything else is not found without a look at the database."""

    regex = STUDY_NAME.pattern


class JudgeKey(StringConverter):
    """A version of a judge, such as `llama@2`."""

    regex = r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}@[1-9][0-9]{0,8}"


class Number(IntConverter):
    """A number that a database can look for; a longer one is not found."""

    regex = "[0-9]{1,18}"


register_converter(StudyName, "study")
register_converter(JudgeKey, "judge")
register_converter(Number, "number")

api_patterns = [
    path("schema/", api.Schema.as_view(), name="schema"),
    path("studies/", api.StudyList.as_view(), name="studies"),
    path("studies/<study:name>/", api.StudyDetail.as_view(), name="study"),
    path("studies/<study:name>/counts/", api.Counts.as_view(), name="counts"),
    path("studies/<study:name>/judges/", api.Judges.as_view(), name="judges"),
    path("studies/<study:name>/raters/", api.Raters.as_view(), name="raters"),
    path("studies/<study:name>/ratings/", api.Ratings.as_view(), name="ratings"),
    path("studies/<study:name>/wins/", api.Wins.as_view(), name="wins"),
    path("studies/<study:name>/exports/", api.Exports.as_view(), name="exports"),
    path("studies/<study:name>/exports/<str:file>", api.Export.as_view(), name="export"),
]

study_patterns = [
    path("", views.study, name="study"),
    path("counts/", views.counts, name="counts"),
    path("state/", views.state, name="state"),
    path("open/", views.opening, name="opening"),
    path("submissions/", fieldwork_views.submissions, name="submissions"),
    path("submissions/exclude/", fieldwork_views.exclude, name="exclude"),
    path("policy/", fieldwork_views.policy, name="policy"),
    path("order/", fieldwork_views.order, name="order"),
    path("order/certificate.csv", fieldwork_views.certificate, name="certificate"),
    path("pilot/", fieldwork_views.pilot, name="pilot"),
    path("gold/", judge_views.gold, name="gold"),
    path("gold/progress/", judge_views.gold_progress, name="gold-progress"),
    path("gold/score/", judge_views.score, name="score"),
    path("gold/choose/", judge_views.choose, name="choose-gold"),
    path("gold/upload/", judge_views.upload, name="upload-gold"),
    path("gold/changes/<number:run>/", judge_views.gold_changes, name="gold-changes"),
    path("gold/changes/<number:run>/state/", judge_views.run_state, name="run-state"),
    path("gold/judges/<judge:judge>/", judge_views.judge, name="judge"),
    path("gold/judges/<judge:judge>/progress/", judge_views.judge_progress, name="judge-progress"),
    path("gold/judges/<judge:judge>/retry/", judge_views.retry, name="retry"),
    path("gold/calls/<number:call>/", judge_views.call, name="call"),
    path("agreement/", views.agreement, name="agreement"),
    path("raters/", views.raters, name="raters"),
    path("raters/<number:participant>/", fieldwork_views.rater, name="rater"),
    path("thresholds/", thresholds_views.thresholds, name="thresholds"),
    path("thresholds/outcome/", thresholds_views.outcome, name="thresholds-outcome"),
    path("thresholds/use/", thresholds_views.use, name="use-thresholds"),
    path("results/", results_views.results, name="results"),
    path("results/<slug:subject>/", results_views.results, name="results"),
    path("results/<number:run>/<slug:table>.csv", results_views.table_csv, name="table"),
    path("figures/", views.figures, name="figures"),
    path("figures/<number:run>/<slug:figure>.json", views.figure, name="figure"),
    path("downloads/", views.downloads, name="downloads"),
    path("downloads/<str:file>", views.download, name="download"),
    path("analysis/", views.analysis_state, name="analysis-state"),
    path("analysis/recompute/", views.recompute, name="recompute"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.studies, name="studies"),
    path("login/", LoginView.as_view(authentication_form=LoginForm), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("account/token/", views.token, name="token"),
    path("studies/<study:name>/", include(study_patterns)),
    path("api/", include((api_patterns, "api"))),
]

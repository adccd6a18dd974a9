"""Researchers' addresses. STUDY is `slug` (its newest version) or `slug@version`."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path

from dashboard.accounts.activity_views import activity, activity_csv
from dashboard.accounts.invitation_views import invitation
from dashboard.accounts.token_views import revoke, tokens
from dashboard.accounts.urls import security_patterns
from dashboard.accounts.views import PasswordView, api_docs, prolific_account
from dashboard.api.urls import api_patterns
from dashboard.corpora import corpus_views, sample_views
from dashboard.design import content_views
from dashboard.design import locked_plan_views as plans
from dashboard.design import views as design
from dashboard.judges import agreement_views, gold_views, judge_views
from dashboard.notices import views as notices
from dashboard.overview import log_views, people_views, reachability
from dashboard.overview import views as overview
from dashboard.payments import submission_views as submissions
from dashboard.payments import views as payments
from dashboard.prolific import demographics_views as demographics
from dashboard.prolific import receiving
from dashboard.prolific import views as prolific
from dashboard.raters import rater_views, threshold_views
from dashboard.raters import views as raters
from dashboard.rehearsal import views as rehearsals
from dashboard.results import (
    figure_views,
    metrics_views,
    multiverse_views,
    perturbation_views,
    scorer_views,
    theme_views,
)
from dashboard.results import views as results
from dashboard.share import views as share
from dashboard.shared import (
    converters,  # noqa: F401  registers `study`, `judge` and `number`
    job_views,
)
from dashboard.shared.access import open_to_all

study_patterns = [
    path("", overview.study, name="study"),
    path("counts/", overview.counts, name="counts"),
    path("state/", overview.state, name="state"),
    path("open/", overview.opening, name="opening"),
    path("people/", people_views.people, name="people"),
    path(
        "people/invitations/<number:invitation>/revoke/",
        people_views.revoke_invitation,
        name="revoke-invitation",
    ),
    path("log/", log_views.log, name="log"),
    path("log.csv", log_views.log_csv, name="log-csv"),
    path("prolific/", prolific.recruiting, name="prolific"),
    path("demographics/", demographics.demographics, name="demographics"),
    path("notices/", notices.notices, name="notices"),
    path("prolific/events/", prolific.events, name="events-of-study"),
    path("prolific/submissions/", submissions.read, name="prolific-submissions"),
    path("submissions/", submissions.submissions, name="submissions"),
    path("submissions/exclude/", raters.exclude, name="exclude"),
    path("submissions/<number:submission>/", submissions.submission, name="submission"),
    path("submissions/<number:submission>/decide/", submissions.decide, name="decide"),
    path("submissions/<number:submission>/identity/", submissions.identity, name="submission-id"),
    path("payments/", payments.payments, name="payments"),
    path("payments/terms/", payments.terms, name="pay-terms"),
    path("payments/<number:order>/", payments.order, name="payment-order"),
    path("payments/<number:order>/state/", payments.order_state, name="payment-order-state"),
    path("payments/<number:order>/settle/", payments.settled, name="settle"),
    path("payments/<number:order>/<str:file>", payments.payment_list, name="payment-list"),
    path("texts/", content_views.texts, name="texts"),
    path("pages/", content_views.preview, name="preview"),
    path("pages/<slug:page>/", content_views.preview, name="preview"),
    path("versions/", content_views.versions, name="versions"),
    path("planning/", design.planning, name="planning"),
    path("policy/", design.policy, name="policy"),
    path("order/", design.order, name="order"),
    path("order/certificate.csv", design.certificate, name="certificate"),
    path("pilot/", design.pilot, name="pilot"),
    path("locked-plan/", plans.locked_plan, name="locked-plan"),
    path("locked-plan/<number:version>/<slug:form>/", plans.plan_text, name="plan-text"),
    path("rehearsal/", rehearsals.rehearsal, name="rehearsal"),
    path("gold/", gold_views.gold, name="gold"),
    path("gold/progress/", gold_views.gold_progress, name="gold-progress"),
    path("gold/score/", gold_views.score, name="score"),
    path("gold/choose/", gold_views.choose, name="choose-gold"),
    path("gold/drawn.csv", gold_views.drawn_responses, name="drawn-responses"),
    path("gold/upload/", gold_views.upload, name="upload-gold"),
    path("gold/changes/<number:run>/", gold_views.gold_changes, name="gold-changes"),
    path("gold/changes/<number:run>/state/", gold_views.run_state, name="run-state"),
    path("gold/judges/<judge:judge>/", judge_views.judge, name="judge"),
    path("gold/judges/<judge:judge>/progress/", judge_views.judge_progress, name="judge-progress"),
    path("gold/judges/<judge:judge>/retry/", judge_views.retry, name="retry"),
    path("gold/calls/<number:call>/", judge_views.call, name="call"),
    path("agreement/", agreement_views.agreement, name="agreement"),
    path("guard/", agreement_views.guard, name="guard"),
    path("raters/", raters.raters, name="raters"),
    path("raters/<number:participant>/", rater_views.rater, name="rater"),
    path("raters/<number:participant>/identity/", rater_views.identity, name="identity"),
    path("raters/<number:participant>/pages/<number:page>/", rater_views.replay, name="replay"),
    path("raters/<path:pseudonym>/", rater_views.rater_called, name="rater-called"),
    path("thresholds/", threshold_views.thresholds, name="thresholds"),
    path("thresholds/outcome/", threshold_views.outcome, name="thresholds-outcome"),
    path("thresholds/use/", threshold_views.use, name="use-thresholds"),
    path("results/", results.results, name="results"),
    path("results/multiverse/ask/", multiverse_views.ask, name="ask-multiverse"),
    path("results/metrics/compute/", metrics_views.ask_metrics, name="ask-metrics"),
    path("results/scorer/train/", scorer_views.ask_scorer, name="ask-scorer"),
    path("results/scorer/text/", scorer_views.score_text, name="score-text"),
    path("results/scorer/text/<number:text>/flag/", scorer_views.flag_text, name="flag-text"),
    path("results/scorer/flagged.csv", scorer_views.flagged_texts, name="flagged-texts"),
    path(
        "results/perturbations/perturb/",
        perturbation_views.ask_perturbations,
        name="ask-perturbations",
    ),
    path("results/themes/codes/", theme_views.add_theme, name="add-theme"),
    path("results/themes/codes/<number:code>/", theme_views.change_theme, name="change-theme"),
    path("results/themes/answers/", theme_views.code_answer, name="code-answer"),
    path("results/themes/import/", theme_views.import_codings, name="import-codings"),
    path("results/themes/codings.csv", theme_views.codings, name="codings"),
    path("results/<slug:subject>/", results.results, name="results"),
    path("results/<number:run>/<slug:table>.csv", results.table_csv, name="table"),
    path("results/<number:run>/<slug:table>.tex", share.table_latex, name="table-latex"),
    path("figures/", figure_views.figures, name="figures"),
    path("figures/<number:run>/<slug:figure>.json", figure_views.figure, name="figure"),
    path("downloads/", share.downloads, name="downloads"),
    path("downloads/<str:file>", share.download, name="download"),
    path("packages/prepare/", share.prepare, name="prepare-package"),
    path("packages/<number:package>/", share.package, name="package"),
    path("packages/<number:package>/<str:file>", share.package_file, name="package-file"),
    path("jobs/<slug:kind>/<number:job_id>/state/", job_views.job_state, name="job-state"),
    path("jobs/<slug:kind>/<number:job_id>/stop/", job_views.stop, name="stop-job"),
    path("analysis/", figure_views.analysis_state, name="analysis-state"),
    path("analysis/recompute/", figure_views.recompute, name="recompute"),
]

corpora_patterns = [
    path("", corpus_views.corpora, name="corpora"),
    path("jobs/<number:job>/state/", corpus_views.job_state, name="corpus-job-state"),
    path("jobs/<number:job>/stop/", corpus_views.stop_job, name="stop-corpus-job"),
    path("jobs/<number:job>/dismiss/", corpus_views.dismiss_job, name="dismiss-job"),
    path("jobs/<number:job>/<str:job_file>", corpus_views.job_file, name="job-file"),
    path("<slug:corpus>/", corpus_views.corpus, name="corpus"),
    path("<slug:corpus>/filter/", corpus_views.filter_corpus, name="filter-corpus"),
    path("<slug:corpus>/sample/", corpus_views.draw_sample, name="draw-sample"),
    path("<slug:corpus>/chats/", corpus_views.write_chats, name="write-chats"),
    path("<slug:corpus>/delete/", corpus_views.delete_corpus, name="delete-corpus"),
    path("<slug:corpus>/people/", corpus_views.corpus_people, name="corpus-people"),
    path("<slug:corpus>/raw.jsonl", corpus_views.raw_dialogues, name="raw-dialogues"),
    path("<slug:corpus>/<str:corpus_file>", corpus_views.corpus_file, name="corpus-file"),
]

sample_patterns = [
    path("", sample_views.sample, name="sample"),
    path("state/", sample_views.generation_state, name="generation-state"),
    path("generate/", sample_views.generate, name="generate"),
    path("stop/", sample_views.stop_generating, name="stop-generating"),
    path("responses/", sample_views.write_responses, name="write-responses"),
    path("study/", sample_views.load_study, name="load-study"),
    path("delete/", sample_views.delete_sample, name="delete-sample"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", overview.studies, name="studies"),
    path("login/", PasswordView.as_view(), name="login"),
    path("login/", PasswordView.as_view(), name="account_login"),  # as allauth calls it
    path("logout/", open_to_all(LogoutView.as_view()), name="logout"),
    path("account/security/", include(security_patterns)),
    path("reachable/<str:token>/", reachability.reachable, name="reachable"),
    path("account/tokens/", tokens, name="tokens"),
    path("account/tokens/<number:pk>/revoke/", revoke, name="revoke-token"),
    path("account/activity/", activity, name="activity"),
    path("account/activity.csv", activity_csv, name="activity-csv"),
    path("invitations/<str:secret>/", invitation, name="invitation"),
    path("account/prolific/", prolific_account, name="prolific-account"),
    path("prolific/events/<str:key>/", receiving.Events.as_view(), name="prolific-events"),
    path("studies/<study:name>/", include(study_patterns)),
    path("corpora/", include(corpora_patterns)),
    path("samples/<slug:sample>/", include(sample_patterns)),
    path("api/docs/", api_docs, name="api-docs"),
    path("api/", include((api_patterns, "api"))),
]

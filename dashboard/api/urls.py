"""The addresses of the API, room by room. STUDY is `slug` (newest version) or `slug@version`."""

from django.urls import URLPattern, URLResolver, include, path

from dashboard.api import (
    account,
    analyses,
    checks,
    corpora,
    design,
    differences,
    gold,
    identities,
    jobs,
    judges,
    notices,
    payments,
    people,
    prolific,
    raters,
    rehearsal,
    results,
    scorers,
    share,
    studies,
    themes,
)
from dashboard.shared import converters  # noqa: F401  registers `study`, `judge` and `number`

OVERVIEW = [
    path("", studies.StudyDetail.as_view(), name="study"),
    path("counts/", studies.StudyCounts.as_view(), name="counts"),
    path("live/", studies.Live.as_view(), name="live"),
    path("state/", studies.State.as_view(), name="state"),
    path("versions/", studies.VersionList.as_view(), name="versions"),
    path("differences/", studies.Differences.as_view(), name="differences"),
    path("changes/", studies.ChangeList.as_view(), name="changes"),
]

DESIGN = [
    path("texts/", design.StudyTexts.as_view(), name="texts"),
    path("pages/", design.PageList.as_view(), name="pages"),
    path("planning/", design.Planning.as_view(), name="planning"),
    path("planning/<number:plan>/stop/", design.StopPlan.as_view(), name="stop-plan"),
    path("order/", design.OrderCertificate.as_view(), name="order"),
    path("order/certificate.csv", design.CertificateFile.as_view(), name="certificate"),
    path("pilot/", design.Pilot.as_view(), name="pilot"),
    path("plans/", design.PlanList.as_view(), name="plans"),
    path("plans/<number:version>/<slug:form>/", design.PlanText.as_view(), name="plan-text"),
    path("rehearsal/", rehearsal.RehearsalFindings.as_view(), name="rehearsal"),
]

RATERS = [
    path("raters/", raters.RaterList.as_view(), name="raters"),
    # Imported names may contain slashes.
    path(
        "raters/<path:rater>/identity/", identities.RaterIdentity.as_view(), name="rater-identity"
    ),
    path("raters/<path:rater>/", raters.RaterDetail.as_view(), name="rater"),
    path("decisions/", raters.DecisionList.as_view(), name="decisions"),
    path("thresholds/", raters.Thresholds.as_view(), name="thresholds"),
    path("rules/", raters.RuleSetList.as_view(), name="rules"),
    path("ratings/", raters.RatingList.as_view(), name="ratings"),
]

JUDGES = [
    path("judges/", judges.JudgeList.as_view(), name="judges"),
    path("judges/<judge:judge>/", judges.JudgeDetail.as_view(), name="judge"),
    path("judges/<judge:judge>/calls/", judges.CallList.as_view(), name="calls"),
    path("judges/<judge:judge>/retry/", judges.Retry.as_view(), name="retry"),
    path("calls/<number:call>/", judges.CallDetail.as_view(), name="call"),
    path("gold/", gold.GoldSources.as_view(), name="gold"),
    path("gold/scores/", gold.GoldScoreList.as_view(), name="gold-scores"),
    path("gold/decisions/", gold.GoldDecisionList.as_view(), name="gold-decisions"),
    path("gold/files/", gold.GoldFiles.as_view(), name="gold-files"),
    path("gold/drawn.csv", gold.DrawnResponses.as_view(), name="drawn-responses"),
    path("gold/changes/<number:run>/", gold.GoldChanges.as_view(), name="gold-changes"),
    path("agreement/", gold.Agreement.as_view(), name="agreement"),
    path("guard/", gold.Guard.as_view(), name="guard"),
]

RESULTS = [
    path("analysis/", analyses.Analysis.as_view(), name="analysis"),
    path("analyses/", analyses.AnalysisList.as_view(), name="analyses"),
    path("analyses/<number:run>/", analyses.AnalysisDetail.as_view(), name="run"),
    path("analyses/<number:run>/stop/", analyses.StopAnalysis.as_view(), name="stop-analysis"),
    path("metrics/", analyses.Metrics.as_view(), name="metrics"),
    path("scorer/", scorers.ScorerVersions.as_view(), name="scorer"),
    path("scorer/texts/", scorers.ScoredTextList.as_view(), name="scored-texts"),
    path("perturbations/", scorers.Perturbations.as_view(), name="perturbations"),
    path("themes/", themes.Themes.as_view(), name="themes"),
    path("themes/codes/<number:code>/", themes.ThemeDetail.as_view(), name="theme"),
    path("themes/codings/", themes.Codings.as_view(), name="codings"),
    path("multiverse/", analyses.MultiverseOfAnalysis.as_view(), name="multiverse"),
    path("results/", results.SubjectList.as_view(), name="results"),
    path("results/<slug:subject>/", results.SubjectDetail.as_view(), name="subject"),
    path(
        "largest-differences/", differences.LargestDifferences.as_view(), name="largest-differences"
    ),
    path("wins/", results.StudyWins.as_view(), name="wins"),
    path("tables/", results.TableList.as_view(), name="tables"),
    path("tables/<slug:table>/", results.TableDetail.as_view(), name="table"),
    path("tables/<slug:table>.csv", results.TableCsv.as_view(), name="table-csv"),
    path("tables/<slug:table>.tex", results.TableLatex.as_view(), name="table-latex"),
    path("figures/", results.FigureList.as_view(), name="figures"),
    path("figures/<slug:figure>/", results.FigureDetail.as_view(), name="figure"),
    path("figures/<slug:figure>.svg", results.FigureSvg.as_view(), name="figure-svg"),
]

SHARE = [
    path("exports/", share.ExportList.as_view(), name="exports"),
    path("exports/<str:file>", share.ExportFile.as_view(), name="export"),
    path("packages/", share.PackageList.as_view(), name="packages"),
    path("packages/<number:package>/", share.PackageDetail.as_view(), name="package"),
    path("packages/<number:package>/stop/", share.StopPackage.as_view(), name="stop-package"),
    path("packages/<number:package>/zip/", share.PackageZip.as_view(), name="package-zip"),
    path(
        "packages/<number:package>/files/<str:file>",
        share.PackageFile.as_view(),
        name="package-file",
    ),
]

JOBS = [
    path("jobs/<slug:kind>/<number:job_id>/", jobs.JobDetail.as_view(), name="job"),
    path("jobs/<slug:kind>/<number:job_id>/stop/", jobs.StopJob.as_view(), name="stop-job"),
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
    path("prolific/places/", prolific.AddPlaces.as_view(), name="places"),
    path("prolific/earlier/", prolific.EarlierStudies.as_view(), name="earlier-studies"),
    path("prolific/wave/", prolific.WavePreview.as_view(), name="wave"),
    path("prolific/invite/", prolific.Invite.as_view(), name="invite"),
    path("prolific/events/", prolific.ProlificEvents.as_view(), name="prolific-events"),
    path("prolific/codes/", prolific.Codes.as_view(), name="codes"),
    path("prolific/submissions/", prolific.ReadSubmissions.as_view(), name="read-submissions"),
    path("demographics/", prolific.ImportDemographics.as_view(), name="demographics"),
]

PAYMENTS = [
    path("submissions/", payments.CaseList.as_view(), name="submissions"),
    path("submissions/upload/", prolific.LongLists.as_view(), name="upload"),
    path(
        "submissions/upload/<number:upload>/stop/",
        prolific.StopLongLists.as_view(),
        name="stop-upload",
    ),
    path("submissions/<number:submission>/", payments.CaseDetail.as_view(), name="submission"),
    path("submissions/<number:submission>/decide/", payments.Decide.as_view(), name="decide"),
    path(
        "submissions/<number:submission>/identity/",
        identities.SubmissionIdentity.as_view(),
        name="submission-identity",
    ),
    path("payments/", payments.Payments.as_view(), name="payments"),
    path("payments/terms/", payments.PayTermsDetail.as_view(), name="pay-terms"),
    path("payments/proposals/", payments.ProposalList.as_view(), name="proposals"),
    path("payments/orders/", payments.PaymentOrderList.as_view(), name="payment-orders"),
    path("payments/<number:order>/", payments.PaymentOrderDetail.as_view(), name="payment-order"),
    path(
        "payments/<number:order>/decisions/",
        payments.PaymentDecisionList.as_view(),
        name="payment-decisions",
    ),
    path("payments/<number:order>/settle/", payments.Settle.as_view(), name="settle"),
    path("payments/<number:order>/<str:file>", payments.PaymentList.as_view(), name="payment-list"),
]

CORPORA = [
    path("", corpora.CorpusList.as_view(), name="corpora"),
    path("jobs/<number:job>/", corpora.CorpusJobDetail.as_view(), name="corpus-job"),
    path("jobs/<number:job>/stop/", corpora.StopCorpusJob.as_view(), name="stop-corpus-job"),
    path("jobs/<number:job>/<str:job_file>", corpora.CorpusJobFile.as_view(), name="job-file"),
    path("<slug:corpus>/", corpora.CorpusDetail.as_view(), name="corpus"),
    path("<slug:corpus>/filters/", corpora.Filtering.as_view(), name="filters"),
    path("<slug:corpus>/chats/", corpora.Chats.as_view(), name="chats"),
    path("<slug:corpus>/samples/", corpora.SampleList.as_view(), name="samples"),
    path("<slug:corpus>/members/", corpora.CorpusMembers.as_view(), name="corpus-members"),
    path("<slug:corpus>/raw.jsonl", corpora.RawDialogues.as_view(), name="raw-dialogues"),
    path("<slug:corpus>/<str:corpus_file>", corpora.CorpusFile.as_view(), name="corpus-file"),
]

SAMPLES = [
    path("", corpora.SampleDetail.as_view(), name="sample"),
    path("scenarios/", corpora.ScenarioList.as_view(), name="scenarios"),
    path("generation/", corpora.GeneratedTexts.as_view(), name="generation"),
    path("stop/", corpora.StopGenerating.as_view(), name="stop-generating"),
    path("responses/", corpora.Responses.as_view(), name="responses"),
    path("study/", corpora.StudyOfSample.as_view(), name="sample-study"),
]

ACCOUNT = [
    path("prolific/", prolific.AccountOnProlific.as_view(), name="account-prolific"),
    path("tokens/", account.TokenList.as_view(), name="account-tokens"),
    path("tokens/<number:token>/", account.TokenDetail.as_view(), name="account-token"),
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
    *JOBS,
    *PEOPLE,
    *PROLIFIC,
    *PAYMENTS,
]

api_patterns: list[URLPattern | URLResolver] = [
    path("schema/", studies.Schema.as_view(), name="schema"),
    path("studies/", studies.StudyList.as_view(), name="studies"),
    path("studies/<study:name>/", include(study_patterns)),
    path("corpora/", include(CORPORA)),
    path("samples/<slug:sample>/", include(SAMPLES)),
    path("account/", include(ACCOUNT)),
]

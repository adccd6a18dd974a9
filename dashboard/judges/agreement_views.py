"""Judges: whether they agree with themselves and with people, and what filtering by them does."""

from django.http import HttpResponse

from analysis.labels import labels_of
from dashboard.judges import agreement as about_judges
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.figures import by_table, figures_of
from dashboard.shared.newest_analysis import newest_analysis
from dashboard.shared.pages import analysis_page, asked_for
from dashboard.shared.roles import Permission


@needs(Permission.READ)
def agreement(request: ResearcherRequest, name: str) -> HttpResponse:
    """Whether judges agree with themselves and with people."""
    study = study_or_404(name)
    analysis = newest_analysis(study, asked_for(request))
    labels = labels_of(study)
    stored = analysis.labelled_tables(labels, *about_judges.TABLES)
    figures = [each for each in figures_of(analysis, labels) if each.section == "Judges"]
    consistency = about_judges.with_flags(stored["judge_consistency"])
    return analysis_page(
        request,
        study,
        "agreement",
        "judges/agreement",
        analysis,
        labels=labels,
        remarks=about_judges.remarks(stored["guard_warnings"]),
        consistency=consistency if any(row["n_items"] for row in consistency) else [],
        is_flagged=any(row["flag_list"] or row["note"] for row in consistency),
        shares=about_judges.shares(stored["judge_scores_shares"]),
        uneven=about_judges.most_uneven(stored["judge_item_spread"]),
        models=stored["judge_models"].rows,
        positions=about_judges.grouped(stored["judge_positions"], "judge", "dimension"),
        pairs=about_judges.grouped(stored["judge_pairs"], "judge", "dimension"),
        pair_order=stored["judge_pair_order"].rows,
        statistics=about_judges.statistics(stored["judge_agreement"]),
        bias=about_judges.grouped(stored["judge_bias"], "judge", "dimension"),
        tests=about_judges.alt_tests(stored["alt_test"]),
        raters=about_judges.grouped(stored["alt_test_raters"], "judge", "dimension"),
        together=about_judges.with_unrated(stored["prediction_powered"]),
        figures=figures,
        drawn_of=by_table(figures),
    )


@needs(Permission.READ)
def guard(request: ResearcherRequest, name: str) -> HttpResponse:
    """How raters, wins and means change with other gold scores."""
    study = study_or_404(name)
    analysis = newest_analysis(study, asked_for(request))
    labels = labels_of(study)
    stored = analysis.labelled_tables(labels, *about_judges.GUARD)
    return analysis_page(
        request,
        study,
        "guard",
        "judges/guard",
        analysis,
        labels=labels,
        remarks=about_judges.remarks(stored["guard_warnings"]),
        funnel=about_judges.three_ways(stored["guard_funnel"], "step"),
        wins=about_judges.three_ways(stored["guard_wins"], "dimension", "scenario"),
        systems=about_judges.three_ways(stored["guard_systems"], "dimension", "model", "condition"),
        left_out=stored["guard_raters"].rows,
    )

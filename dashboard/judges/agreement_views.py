"""Judges: whether they agree with themselves and with people."""

from django.http import (
    HttpResponse,
)
from django.views.decorators.http import require_GET

from dashboard.judges import agreement as about_judges
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.figures import _figures
from dashboard.shared.newest_analysis import Analysis, newest_analysis
from dashboard.shared.pages import analysis_page, asked_for


@require_GET
@researcher_required
def agreement(request: ResearcherRequest, name: str) -> HttpResponse:
    """Whether judges agree with themselves and with people, and what filtering by them does."""
    found = study_or_404(name)
    analysis = newest_analysis(found, asked_for(request))
    stored = analysis.tables(*about_judges.TABLES)
    return analysis_page(
        request,
        found,
        "agreement",
        "judges/agreement",
        analysis,
        warnings=stored["guard_warnings"].rows,
        consistency=about_judges.with_flags(stored["judge_consistency"]),
        shares=about_judges.shares(stored["judge_scores_shares"]),
        uneven=about_judges.most_uneven(stored["judge_item_spread"]),
        models=stored["judge_models"].rows,
        statistics=about_judges.statistics(stored["judge_agreement"]),
        bias=about_judges.grouped(stored["judge_bias"], "judge", "dimension"),
        tests=about_judges.alt_tests(stored["alt_test"]),
        raters=about_judges.grouped(stored["alt_test_raters"], "judge", "dimension"),
        funnel=about_judges.three_ways(stored["guard_funnel"], "step"),
        wins=about_judges.three_ways(stored["guard_wins"], "dimension", "scenario"),
        systems=about_judges.three_ways(stored["guard_systems"], "dimension", "model", "condition"),
        left_out=stored["guard_raters"].rows,
        conditions=_conditions(analysis),
        figures=_figures(analysis, of_judges=True),
    )


def _conditions(analysis: Analysis) -> tuple[str, str]:
    """The two conditions that are compared, as the wins name them."""
    wins = analysis.tables("wins")["wins"].rows
    return (wins[0]["condition_a"], wins[0]["condition_b"]) if wins else ("", "")

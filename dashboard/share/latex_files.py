"""Tables of an analysis as LaTeX, each made on request."""

from collections.abc import Iterable, Mapping

from django.http import HttpResponse

from analysis.labels import labels_of
from analysis.models import Result
from analysis.recipe import Recipe
from analysis.recipe_sets import recipes_of
from analysis.text.cells import Table
from analysis.text.latex import Words, latex_table
from analysis.text.metric_latex import metric_latex
from analysis.text.metric_tables import METRIC_MEANS
from dashboard.results.stored import result_or_404
from dashboard.share.sharing_form import for_sharing
from survey.models import Study

#: The level of intervals that no recipe sets: of judges, and of elbows.
USUAL_LEVEL = 0.95


def latex_response(study: Study, run: int, name: str) -> HttpResponse:
    """A stored table as a LaTeX file, in the form for sharing, because papers are public.

    Raises Http404.
    """
    stored = result_or_404(study, run, Result.Kind.TABLE, name)
    content = for_sharing({name: stored.content}, study)[name]
    table = Table(name, content["columns"], content["rows"], labels_of(study))
    return HttpResponse(
        as_latex(table, levels(recipes_of(stored.run.recipe_set))),
        content_type="text/x-tex; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.tex"'},
    )


def as_latex(table: Table, of_intervals: Mapping[str, float] | None = None) -> str:
    """A table as LaTeX, with the columns that a paper prints. `of_intervals` are the `levels` of
    intervals, which are not in the table itself.

    It has all rows that its title is about. The report is short and has fewer; authors of a paper
    choose for themselves.
    """
    how = table.spec
    rows = [table.rows[row.place] for row in table if how.is_about(row)]
    if how.about and not rows:
        return f"% No table: {table.file} has no row of {how.kept}.\n"
    words = Words(f"{how.says} {how.counts}".strip(), of_intervals or {})
    if table.name == METRIC_MEANS:
        return metric_latex(table, how, words)
    return latex_table(how, table.columns, rows, words=words, aside=_of_no_reference(table))


def _of_no_reference(table: Table) -> list[str]:
    """Columns of points for a reference, where nothing was compared with one: all are zero."""
    most = "reference_points_max"
    if most not in table.columns or any(row[most] for row in table):
        return []
    return [column for column in table.columns if column.startswith("reference_")]


def levels(recipes: Iterable[Recipe]) -> dict[str, float]:
    """The level of intervals by recipe; by "" that of tables that name none, if it is sure.

    Some of these have the usual one, some that of a recipe.
    """
    by_recipe = {recipe.name: recipe.confidence for recipe in recipes}
    is_sure = set(by_recipe.values()) <= {USUAL_LEVEL}
    return by_recipe | ({"": USUAL_LEVEL} if is_sure else {})

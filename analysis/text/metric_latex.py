"""The table of metric means as LaTeX, metrics side by side as papers print them. Pure."""

from analysis.catalogue.spec import TableSpec
from analysis.text.cells import Table
from analysis.text.latex import DASH, NEW, Words, below, comments, escaped, latex_row
from analysis.text.latex_layout import SMALL, TURNED, seen
from analysis.text.metric_tables import MetricCell, MetricLine, MetricTable, metric_tables

LEFT_TO_CSV = ["n", "corpus", "note"]


def metric_latex(table: Table, how: TableSpec, words: Words) -> str:
    """As many tables on turned pages as the metrics need. `how` is the table's declaration."""
    tables = metric_tables(table, _per_table(table))
    if not tables:
        return f"% No table: {table.file} has no mean.{NEW}"
    parts = []
    for number, part in enumerate(tables, start=1):
        label = f"tab:{table.name}" + (f"-{number}" if len(tables) > 1 else "")
        parts.append(_table(part, label, how.title, words))
    text = (NEW * 2).join(parts)
    return NEW.join([*comments(table.name, text, LEFT_TO_CSV), text, ""])


def _per_table(table: Table) -> int:
    """How many metrics fit a turned page beside the names of the systems."""
    whole = next(iter(metric_tables(table, max(1, len(table.rows)))), None)
    if whole is None:
        return 1
    cells = [_text(cell) for line in whole.lines for cells in line.cells for cell in cells]
    width = max(map(seen, [*cells, *map(escaped, whole.conditions)]))
    metric = len(whole.conditions) * (width * SMALL.digit + SMALL.between)
    names = max(seen(escaped(line.system)) for line in whole.lines) * SMALL.letter
    return max(1, int((TURNED - names) // metric))


def _table(part: MetricTable, label: str, title: str, words: Words) -> str:
    n = len(part.conditions)
    starts = range(2, 2 + n * len(part.metrics), n)
    return NEW.join(
        [
            r"\begin{landscape}",
            r"\begin{table}",
            r"\centering",
            *SMALL.commands,
            rf"\caption{{{escaped(title)} ({escaped('mean ± SD')})}}",
            rf"\label{{{label}}}",
            rf"\begin{{tabular}}{{l{'r' * n * len(part.metrics)}}}",
            r"\toprule",
            latex_row(["", *(_across(n, escaped(metric)) for metric in part.metrics)]),
            " ".join(rf"\cmidrule(lr){{{start}-{start + n - 1}}}" for start in starts),
            latex_row(["Model", *[escaped(each) for each in part.conditions] * len(part.metrics)]),
            r"\midrule",
            *(_line(line, n) for line in part.lines),
            r"\bottomrule",
            r"\end{tabular}",
            *below(words.says, {}),
            r"\end{table}",
            r"\end{landscape}",
        ]
    )


def _line(line: MetricLine, n: int) -> str:
    """A line; a cell of a system in another condition goes across all."""
    cells = [_text(cell) for cells in line.cells for cell in cells]
    if line.is_across:
        cells = [_across(n, cell) for cell in cells]
    return latex_row([escaped(line.system), *cells])


def _across(n: int, text: str) -> str:
    return rf"\multicolumn{{{n}}}{{c}}{{{text}}}"


def _text(cell: MetricCell | None) -> str:
    return escaped(str(cell)) if cell else DASH

"""The blocks of README.md that `make bench` writes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.running.tables import Table

#: What is between the marks of a benchmark, which has the name of its script.
BLOCK = "<!-- bench: {name} -->\n{content}\n<!-- end -->"
PATTERN = re.compile(r"<!-- bench: (\w+) -->\n(.*?)\n?<!-- end -->", re.DOTALL)


@dataclass(frozen=True)
class Measured:
    """The tables of a version; `failed` says why it has none, `printed` is what its own script
    printed then.
    """

    version: str
    tables: Sequence[Table] = ()
    failed: str = ""
    printed: str = ""


@dataclass(frozen=True)
class Run:
    """A benchmark's run with this version and, if it is paired, an earlier one."""

    name: str
    date: str
    ours: Measured
    earlier: Measured | None = None
    arguments: Sequence[str] = field(default=())


def names(readme: str) -> list[str]:
    return [found[1] for found in PATTERN.finditer(readme)]


def written(readme: str, run: Run) -> str:
    """The README with the tables of a run. Raises ValueError if it has no block for them."""
    if run.name not in names(readme):
        raise ValueError(f"benchmarks/README.md has no block `<!-- bench: {run.name} -->`")
    block = BLOCK.format(name=run.name, content=_content(run))
    return PATTERN.sub(lambda old: block if old[1] == run.name else old[0], readme)


def _content(run: Run) -> str:
    how = f" with `{' '.join(run.arguments)}`" if run.arguments else ""
    head = f"Commit `{run.ours.version}`, {run.date}{how}"
    if run.earlier is None:
        return "\n\n".join([f"{head}.", *_tables(run.ours.tables)])
    if run.earlier.failed:
        why = f"`{run.earlier.version}` can't be measured so: {run.earlier.failed}"
        parts = [f"{head}. {why}", *_tables(run.ours.tables)]
        if run.earlier.printed:
            own = f"`{run.earlier.version}` in the same run, measured by its own script:"
            parts += [own, f"```\n{run.earlier.printed}\n```"]
        return "\n\n".join(parts)
    paired = f"{head}, and in the same run `{run.earlier.version}`, an earlier version."
    earlier = {table.title: table for table in run.earlier.tables}
    return "\n\n".join([paired, *_tables(run.ours.tables, earlier, run.earlier.version)])


def _tables(
    tables: Sequence[Table], earlier: Mapping[str, Table] | None = None, version: str = ""
) -> list[str]:
    parts = []
    for table in tables:
        parts += [f"{table.title}:", table.markdown()]
        if earlier and table.title in earlier:
            parts += [f"The same, `{version}`:", earlier[table.title].markdown()]
    return parts

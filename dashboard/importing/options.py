"""Answers that have to be options of their question. Pure."""

from collections import Counter
from dataclasses import dataclass, field

from dashboard.importing.files import TidyFile
from survey.definition.answer_options import Options
from survey.files.problems import listed
from survey.files.suggestions import escaped, nearest

#: What Prolific writes for a person who took back the consent to share an answer, and for an
#: answer that is too old: the answer is missing.
REVOKED, EXPIRED = "CONSENT_REVOKED", "DATA_EXPIRED"
#: Wrong answers that a message quotes.
QUOTED = 5


@dataclass
class WrongAnswers:
    """Answers of a column that are no options of its question, and the first line with one."""

    line: int
    counts: Counter[str] = field(default_factory=Counter)

    def refuse(self, table: TidyFile, column: str, options: Options) -> None:
        """Note one problem, with all answers and how many rows have each."""
        said = []
        for text, n in self.counts.most_common(QUOTED):
            near = nearest(text, options.options)
            meant = f"; did you mean {near!r}?" if near else ""
            said.append(f"{text!r} ({n} {'row' if n == 1 else 'rows'}{meant})")
        if more := len(self.counts) - len(said):
            said.append(f"{more} more")
        reason = (
            f"no {'options' if len(self.counts) > 1 else 'option'} of the question: "
            f"{', '.join(said)}. It has {listed(options.options)}; a mapping file can rename "
            f"answers, under values.{column}"
        )
        table.problem(self.line, column, escaped(reason))

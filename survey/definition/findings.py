"""Results of checks of a study: fine, something to change, or a reason not to open it. Pure."""

from dataclasses import dataclass

from survey.files.yaml_file import KeyPath

OK = "ok"
CHANGE = "change"
REMEMBER = "remember"
#: Opening the study for real participants would do harm.
REFUSE = "refuse"


@dataclass(frozen=True)
class StudyFinding:
    """The result of one rule: `ok`, something to `change` or to `remember`, or `refuse`.

    `key` is the path in study.yaml, `quote` a text found there; `line` is a line of responses.csv,
    or 0.
    """

    rule: str
    state: str
    text: str
    key: KeyPath = ()
    quote: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = ".".join(str(step) for step in self.key)
        return ": ".join(part for part in (self.rule, where, self.text) if part)

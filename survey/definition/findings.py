"""What checks of a study say: fine, something to change, or a reason not to open it. Pure."""

from dataclasses import dataclass

from survey.definition.yaml_file import Path_

OK = "ok"
CHANGE = "change"
REMEMBER = "remember"
#: As it is, opening the study for real people would do harm.
REFUSE = "refuse"


@dataclass(frozen=True)
class Finding:
    """What one rule says: `ok`, something to `change` or to `remember`, or `refuse`.

    `key` leads to the part of study.yaml that it is about, and `quote` stands there; `line` is one
    of responses.csv, 0 where it is about none.
    """

    rule: str
    state: str
    text: str
    key: Path_ = ()
    quote: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = ".".join(str(step) for step in self.key)
        return ": ".join(part for part in (self.rule, where, self.text) if part)

"""Numbers as people read them: rounded as the field does it, the exact value being in the CSV.

p values stand without a leading zero, to three decimals or as `< .001`; means and statistics have
two decimals, percentages one, counts a comma at thousands. Pure.
"""

from typing import Any

MINUS = "−"
EMPTY = "–"
#: A space at which no line ends.
NARROW = "\u202f"
#: Columns whose numbers need more decimals, or fewer, than the usual two.
DECIMALS = {"log_likelihood": 1, "eta_squared": 3, "omega_squared": 3, "se": 3}
#: The column whose numbers are as exact as what was printed beside them, of whatever kind.
BESIDE_PRINTED = "obtained"
#: The column with counts, means and shares below each other.
MIXED = "value"
WHOLE = {
    "df", "df1", "df2", "min", "max", "rating", "duration_seconds", "wilcoxon", "t_plus",
    *(f"{side}_wins{end}" for side in "ab" for end in ("", "_low", "_high")),
}  # fmt: skip


def p_text(p: float) -> str:
    """A p value for a table: `.004`, `< .001`, `> .999`."""
    if p < 0.001:
        return "< .001"
    if p > 0.999:
        return "> .999"
    return f"{p:.3f}".removeprefix("0")


def p_letter(text: str) -> str:
    """What stands before a p value in a sentence."""
    return f"p{NARROW}" if text[0] in "<>" else f"p{NARROW}={NARROW}"


def p_said(p: float) -> str:
    """A p value in a sentence: `p = .004`, `p < .001`, in which no line ends."""
    text = p_text(p)
    return p_letter(text) + text.replace(" ", NARROW)


def decimals(value: float, places: int = 2) -> str:
    """So many decimals, a real minus sign, and no minus before zero."""
    shown = f"{value:,.{places}f}"
    if shown.startswith("-"):
        shown = shown[1:] if not shown.strip("-0.,") else MINUS + shown[1:]
    return shown


def count(value: float) -> str:
    """A whole number."""
    return decimals(value, 0)


def tally(value: float) -> str:
    """How many, where a half is possible."""
    return degrees(value)


def noun(n: float, word: str) -> str:
    """ "scenario" of one, "scenarios" of others."""
    return word if n == 1 else f"{word}s"


def percent(value: float) -> str:
    """A percentage out of 100."""
    return f"{decimals(value, 1)}{NARROW}%"


def share(value: float) -> str:
    """A share out of 1, as a percentage."""
    return percent(100 * value)


def is_p(column: str) -> bool:
    """Whether a column holds p values: p, p_adjusted, p_equivalent, wins_p, …"""
    return column == "p" or column.startswith("p_") or column.endswith("_p")


def in_table(column: str, value: Any) -> str:
    """A cell of that column for people."""
    if value is None or value == "":
        return EMPTY
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return _rounded(column, value) if isinstance(value, float) else str(value)


def _rounded(column: str, value: float) -> str:
    if is_p(column):
        return p_text(value)
    if column.endswith("percent"):
        return decimals(value, 1)
    if column == BESIDE_PRINTED:
        return f"{value:.5g}".replace("-", MINUS)
    if column == MIXED and value.is_integer():
        return count(value)
    if column in WHOLE:
        return degrees(value)
    return small(value) if 0 < abs(value) < 0.005 else decimals(value, DECIMALS.get(column, 2))


def small(value: float) -> str:
    """What two decimals would call zero: to the first digit, if four decimals show it."""
    return next((text for n in (3, 4) if (text := decimals(value, n)).strip("−0.")), "0.00")


def degrees(value: float) -> str:
    """Degrees of freedom, or what else is mostly whole: one decimal where it is not."""
    return decimals(value, 0 if float(value).is_integer() else 1)

"""Numbers as people read them: rounded as the field does it, the exact value being in the CSV.

p values stand without a leading zero, to three decimals or as `< .001`; means and statistics have
two decimals, percentages one, counts a comma at thousands. Pure.
"""

MINUS = "−"
EMPTY = "–"
#: A space at which no line ends.
NARROW = "\u202f"


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


def digits(value: float) -> str:
    """Five digits: as exact as what was printed beside it, of whatever kind."""
    return f"{value:.5g}".replace("-", MINUS)


def small(value: float) -> str:
    """What two decimals would call zero: to the first digit, if four decimals show it."""
    return next((text for n in (3, 4) if (text := decimals(value, n)).strip("−0.")), "0.00")


def degrees(value: float) -> str:
    """Degrees of freedom, or what else is mostly whole: one decimal where it is not."""
    return decimals(value, 0 if float(value).is_integer() else 1)

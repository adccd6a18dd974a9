"""Responses as models write them, for looking at and for tests. The texts are ours."""

from itertools import cycle, islice
from pathlib import Path

SENTENCES = (
    "A walk after dinner helps more than another hour at the desk.",
    "Write down what happened, then what you thought, and only then what to do.",
    "Nobody has to decide tonight.",
    "If the landlord does not answer, a letter with a date is worth more than ten calls.",
)
PARAGRAPHS = " ".join(islice(cycle(SENTENCES), 250))
ADDRESS = "https://library.example.org/catalogue/" + "shelf-0123456789/" * 14 + "?page=7"
COLUMNS = range(1, 13)
MARKS_ABOVE = "\u0315\u0300\u0336\u0489\u034f\u0353\u032b" * 6

#: By name. Those in files are of a size to be read.
GALLERY: dict[str, str] = {
    path.stem: path.read_text(encoding="utf-8").removesuffix("\n")
    for path in sorted(Path(__file__).with_name("gallery").glob("*.txt"))
} | {
    "long": f"# A long answer\n\n{PARAGRAPHS}\n\n- {PARAGRAPHS[:400]}\n\n{PARAGRAPHS}",
    "long_address": f"See {ADDRESS} and {'w' * 300}.",
    "wide_table": "\n".join(
        [
            "|" + "|".join(f" Column {number} " for number in COLUMNS) + "|",
            "|" + "---|" * len(COLUMNS),
            "|" + "|".join(f" value {number} " for number in COLUMNS) + "|",
        ]
    ),
    "wide_maths": (
        "\\[ " + " + ".join(f"a_{{{n}}} x^{{{n}}}" for n in range(30)) + " = 0 \\]\n\nand \\("
        "" + " + ".join(f"b_{{{n}}}" for n in range(30)) + "\\) within a line."
    ),
    "zalgo": "Before.\n\n" + "".join(letter + MARKS_ABOVE for letter in "help me") + "\n\nAfter.",
    "control": (
        "bell\x07 escape\x1b[31mred\x1b[0m back\x08 tab\there \u202eright to left\u202c "
        "zero\u200bwidth\ufeff end\u2028line\x85next"
    ),
}

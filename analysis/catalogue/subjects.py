"""Where results stand: sections of the report, and pages by address. Pure."""

#: In the order of the report.
SECTIONS = (
    "Participants", "Wins", "Systems", "Contrasts", "Groups of raters", "Mixed models",
    "Rankings and choices", "Themes of open answers", "Agreement of raters", "Order", "Judges",
    "Automatic metrics", "Trained scorer", "Perturbations", "Sensitivity", "Rehearsal",
    "Printed numbers and ours", "Details", "Further tables",
)  # fmt: skip
#: Where the report has what few readers look up, and what nobody planned for.
APPENDIX, ELSEWHERE = SECTIONS[-2:]
#: The page of results itself, and the table that has its first answer.
FIRST_PAGE = "wins"
FIRST_TABLE = "contrasts"
SYSTEMS, GROUPS, MIXED_MODELS, RANKINGS = "systems", "groups", "mixed-models", "rankings"
METRICS, PRINTED = "metrics", "printed"
SCORER, PERTURBATIONS = "scorer", "perturbations"
DIFFERENCES, THEMES, FLAGS = "differences", "themes", "flags"
#: Tables of studies that record how free answers are written. Others lack them without a word.
OF_WRITING = ("flagged_writing", "without_flagged")
#: Tables of studies whose scale has two points: accept and flag. Others lack them, too.
OF_FLAGS = ("flags",)
#: Tables of studies whose raters judged responses several times. Others lack them, too.
OF_REPEATS = ("self_agreement",)
#: The page of exclusion rules, on which the multiverse is asked for.
ORDER = "order"
#: Titles of pages by address.
SUBJECTS = {
    FIRST_PAGE: "Main results",
    SYSTEMS: "Systems",
    DIFFERENCES: "Largest differences",
    GROUPS: "Rater groups",
    MIXED_MODELS: "Mixed models",
    RANKINGS: "Rankings",
    THEMES: "Themes",
    FLAGS: "Flags",
    "raters": "Rater agreement",
    ORDER: "Order and rules",
    METRICS: "Automatic metrics",
    SCORER: "Trained scorer",
    PERTURBATIONS: "Perturbations",
    PRINTED: "Printed numbers",
}

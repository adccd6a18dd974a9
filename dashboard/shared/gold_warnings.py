"""What there is to say about judges and gold scores, by the kinds in the table guard_warnings."""

#: The sentence for each kind.
IN_WORDS = {
    "reversed_scale": "A judge scores low what people rate high: its scale may be upside down.",
    "shared_chance": "Repeated scores of the gold judge are not independent.",
    "same_family": "The gold judge scores models of its own family.",
    "family_unknown": "The judge may score models of its own family: a family is not stated.",
    "raters_differ": "An alternative to the gold scores includes other raters.",
    "wins_differ": "An alternative to the gold scores has other winners.",
    "means_differ": "An alternative to the gold scores changes means of systems.",
    "ways_agree": "An alternative to the gold scores includes the same raters.",
}
#: Kinds that are no warnings.
NO_WARNING = ("ways_agree",)

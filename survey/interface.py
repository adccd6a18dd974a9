"""The version of participants' pages: how blocks are rendered and worded.

It is stored with each presentation, for what raters see is data. Increase it with every change of
what a block's page shows; earlier renderings are not kept.

1. "Someone writes" over every prompt.
2. A neutral or the study's own heading and nouns; folded instructions; dialogues as turns; a lone
   response without a number.
3. Indentation, tabs and runs of spaces as written; in Markdown, lists of one height, tables, and
   no character lost; formulas, where the study wants them; each response in its language.
"""

INTERFACE = 3

"""One file a table of the analysis: a study's answers in, rows to print out. Pure."""

"""Judges: gold scores, and whether judges agree with people."""

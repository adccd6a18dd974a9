"""Raters that a computer plays, over real HTTP, for demos, load and end-to-end tests."""

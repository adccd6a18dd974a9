"""Simulated raters, over real HTTP, for demos, load tests and end-to-end tests."""

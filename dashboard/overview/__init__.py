"""Overview: the state of a study while it runs."""

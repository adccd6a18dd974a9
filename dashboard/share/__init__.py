"""Share: files of a study for other people and programs."""

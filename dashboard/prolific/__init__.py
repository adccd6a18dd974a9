"""A study on Prolific that recruits for one of ours."""

"""Rehearsals: simulated raters are sent through a study; which planted effects are found."""

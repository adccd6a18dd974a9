"""Studies that tens of thousands of people have taken, for `participant_scale.py`."""

"""What Prolific puts into its links: ids of 24 hexadecimal digits."""

import hashlib


def prolific_id(name: str) -> str:
    """The id of a person, study or submission that a test calls `name`."""
    return hashlib.sha256(name.encode()).hexdigest()[:24]


def arrival(person: str, *, study: str = "", session: str = "") -> str:
    """The query of a participant's link, for names that `prolific_id` makes ids of."""
    names = {"PROLIFIC_PID": person, "STUDY_ID": study, "SESSION_ID": session}
    return "?" + "&".join(f"{key}={prolific_id(name)}" for key, name in names.items() if name)

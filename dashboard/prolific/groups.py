"""The participant group on Prolific that lets the people of a wave in, and nobody else.

A study names its group in a filter (`participant_group_allowlist`), and Prolific looks at the
group's members whenever somebody comes. So people can be added or removed after publishing, and
the study itself holds no ids. Prolific documents no limit to the size of a group.
"""

from typing import TYPE_CHECKING, Any

from dashboard.prolific.models import Recruitment
from dashboard.prolific.waves import Wave, WaveRefused
from survey.prolific.replies import ProlificStudy

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

ALLOWLIST = "participant_group_allowlist"


def filter_of(group: str) -> dict[str, Any]:
    """The filter of a study that lets only this group in."""
    return {"filter_id": ALLOWLIST, "selected_values": [group]}


def lets_in_only(theirs: ProlificStudy, group: str) -> bool:
    """Whether the study on Prolific still has the filter, with this group alone."""
    return any(
        (one.get("filter_id"), one.get("selected_values")) == (ALLOWLIST, [group])
        for one in theirs.filters or []
    )


def let_in(recruitment: Recruitment, wave: Wave, client: "ProlificClient") -> str:
    """Make the people of `wave` the members of the study's group: its id. The second time changes
    nothing.

    A group that an earlier request created is found by its name. Raises WaveRefused, ProlificError.
    """
    workspaces = client.workspaces()
    if not workspaces:
        raise WaveRefused("Your account on Prolific has no workspace for a participant group.")
    workspace, name = workspaces[0].id, recruitment.internal_name
    known = (one for one in client.participant_groups(workspace) if one.name == name)
    group = next(known, None) or client.create_group(name=name, workspace=workspace)
    recruitment.group = group.id
    recruitment.save(update_fields=["group"])
    client.set_group(group.id, wave.ids)
    return group.id

"""What researchers may send from the overview."""

from django import forms

from dashboard.overview.invitations import InviteOptions
from dashboard.overview.opening import StateOptions
from dashboard.overview.people import RoleOptions
from dashboard.shared.option_forms import OptionsForm


class StateForm(OptionsForm[StateOptions]):
    """The state a study is to go to, and whether it was asked twice."""

    options = StateOptions
    confirmed = forms.BooleanField(required=False)


UNKNOWN_ROLE = {"role": {"invalid_choice": "%(value)s is no role.", "required": "Choose a role."}}


class InviteForm(OptionsForm[InviteOptions]):
    """The role that an invitation gives."""

    options = InviteOptions
    messages = UNKNOWN_ROLE


class RoleForm(OptionsForm[RoleOptions]):
    """The new role of a member, or none."""

    options = RoleOptions
    messages = UNKNOWN_ROLE

"""Names of a scorer's heads, for pages and commands: they load nothing that computes."""

from collections.abc import Mapping

#: Those that can be chosen; the mean is what they are compared with.
HEAD_LABELS: Mapping[str, str] = {"ridge": "Ridge", "linear": "Published linear layer"}

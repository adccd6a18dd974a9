"""Parameters whose tests take turns: see `in_turn` in pyproject.toml."""

from typing import Any

import pytest


# pytest has no public name for what this gives.
def in_turn(*values: Any) -> Any:
    """One more case of what another parameter of the test checks at every landing."""
    return pytest.param(*values, marks=pytest.mark.in_turn)

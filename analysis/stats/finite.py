"""What no statistic takes: values without a bound."""

from typing import Any

import numpy as np
import numpy.typing as npt

#: Fourth powers of these, and sums of them, are still numbers.
LARGEST = 1e60


def refuse_boundless(values: npt.NDArray[np.floating[Any]], where: str) -> None:
    """Raises ValueError where a value is infinite or beyond ±1e60; missing ones (NaN) are none."""
    if (np.abs(values) > LARGEST).any():
        raise ValueError(f"There are infinite values, or some beyond ±{LARGEST:g}, in {where}")

"""What the environment says is read once, and refused with one line where it makes no sense."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Each starts Python anew.
pytestmark = [pytest.mark.slow, pytest.mark.embedded, pytest.mark.in_turn]

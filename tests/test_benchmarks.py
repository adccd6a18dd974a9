"""Benchmarks run as `make bench` runs them: without arguments."""

from types import ModuleType

import pytest

from benchmarks import analysis_scale, mixed_models


@pytest.mark.parametrize(
    ("benchmark", "parts"),
    [(analysis_scale, ["study", "command", "scale", "whole"]), (mixed_models, ["r"])],
)
def test_without_arguments_there_is_something_to_measure(
    benchmark: ModuleType, parts: list[str]
) -> None:
    assert benchmark.arguments([]).parts == parts
    assert benchmark.arguments(["--parts", "scale"]).parts == ["scale"]

"""Linear algebra on one thread.

The matrices of an analysis are small, and threads that share them cost more than they save: those
that wait keep their processors busy. On a machine that is busy with something else they cost fifty
times as much.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # has no stubs

P = ParamSpec("P")
Found = TypeVar("Found")


@cache
def _libraries() -> ThreadpoolController:
    """Looking for the loaded libraries takes longer than some fits."""
    return ThreadpoolController()


def on_one_thread(function: Callable[P, Found]) -> Callable[P, Found]:
    """The function, with numpy's and scipy's linear algebra on one thread while it runs."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> Found:
        with _libraries().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited

"""Memory that forked processes share."""

import gc


def share_what_is_loaded() -> None:
    """Let processes that are forked from this one share what it has loaded so far. Without this,
    Python's garbage collector writes to all of it, and each process gets a copy of its own.
    """
    gc.collect()
    gc.freeze()

"""The embedded broker: what one process puts, another gets, whole and once."""

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

import config.celery  # noqa: F401  # registers the transport, also in the processes below
from config.broker import Channel

pytestmark = pytest.mark.slow  # other processes write and read

MESSAGES = 200
PADDING = "long messages are longer only half there " * 2000


def channel_in(folder: Path) -> Channel:
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder)}
    options["control_folder"] = str(folder / "control")
    channel = Connection("filesystem://", transport_options=options).default_channel
    assert isinstance(channel, Channel)
    return channel


def put_all(folder: Path) -> None:
    channel = channel_in(folder)
    for number in range(MESSAGES):
        channel._put("work", {"number": number, "padding": PADDING})


def get_number(channel: Channel) -> int:
    return int(channel._get("work")["number"])


def bind_and_read(folder: Path, queue: str) -> None:
    for _ in range(100):
        channel = channel_in(folder)
        channel._queue_bind("tasks", queue, "", queue)
        assert [row[2] for row in channel.get_table("tasks")].count(queue) == 1


def start(function: Callable[..., None], *arguments: object) -> SpawnProcess:
    process = get_context("spawn").Process(target=function, args=arguments)
    process.start()
    return process


def test_a_reader_never_meets_half_a_message(tmp_path: Path) -> None:
    writer = start(put_all, tmp_path)
    channel = channel_in(tmp_path)
    numbers: list[int] = []
    while True:
        is_last_look = not writer.is_alive()
        try:
            numbers.append(get_number(channel))
        except Empty:
            if is_last_look:
                break
    # A folder that is written to may be listed with a newer file and without an older one.
    assert sorted(numbers) == list(range(MESSAGES))


def test_messages_are_read_in_the_order_in_which_they_were_put(tmp_path: Path) -> None:
    put_all(tmp_path)
    channel = channel_in(tmp_path)
    assert [get_number(channel) for _ in range(MESSAGES)] == list(range(MESSAGES))


def test_queues_bound_at_the_same_time_are_all_bound(tmp_path: Path) -> None:
    binders = [start(bind_and_read, tmp_path, queue) for queue in ("a", "b", "c")]
    for binder in binders:
        binder.join()
    assert [binder.exitcode for binder in binders] == [0, 0, 0]
    table = channel_in(tmp_path).get_table("tasks")
    assert sorted(row[2] for row in table) == ["a", "b", "c"]

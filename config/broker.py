"""The embedded broker: Kombu's filesystem transport, with atomic writes.

Kombu first creates a message's file and then writes it. A worker that reads in between gets an
empty file, and ends with a JSONDecodeError (celery/kombu#1551). Its table of queues has the same
problem. Here a file is written under another name and renamed, so a reader sees all of it or
nothing.
"""

import fcntl
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu import Connection
from kombu.asynchronous import Hub
from kombu.transport import filesystem
from kombu.transport.filesystem import exchange_queue_t
from kombu.utils.json import dumps
from kombu.utils.scheduling import FairCycle


def write_whole(file: Path, content: str) -> None:
    """Create or replace `file` in one step."""
    unfinished = file.with_name(f"{uuid.uuid4()}.unfinished")
    unfinished.write_text(content, encoding="utf-8")
    unfinished.replace(file)


class Channel(filesystem.Channel):
    """A channel whose readers never see a partly written file."""

    def _put(  # type: ignore[override]  # as in Kombu's own transport
        self, queue: str, payload: dict[str, Any], **kwargs: Any
    ) -> None:
        # The worker takes messages in the order of their names; the suffix gives the queue.
        name = f"{time_ns()}_{uuid.uuid4()}.{queue}.msg"
        write_whole(Path(self.data_folder_out) / name, dumps(payload))

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str | None, queue: str) -> None:
        self.control_folder.mkdir(exist_ok=True)
        bound = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._one_at_a_time():
            table = self.get_table(exchange)
            if bound not in table:
                file: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]  # no stub
                write_whole(file, dumps([bound, *table]))

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        with (self.control_folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    """Registered for `filesystem://` in `config.celery`.

    A worker reads it in its event loop, as it does Redis: its processes then have a queue each. In
    the one queue of a loop that blocks, a process that is killed while it waits would keep the lock
    for ever, and no other would get a task again.
    """

    Channel = Channel
    implements = filesystem.Transport.implements.extend(asynchronous=True)
    polling_interval: float
    cycle: FairCycle

    def register_with_event_loop(self, connection: Connection, loop: Hub) -> None:
        loop.call_repeatedly(self.polling_interval, self._deliver_waiting)

    def _deliver_waiting(self) -> None:
        with suppress(Empty):
            while True:
                self.cycle.get(self._deliver)

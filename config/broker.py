"""The embedded broker: Kombu's filesystem transport, with files that appear whole.

Kombu creates a message's file first and writes it afterwards; a worker that looks in between reads
nothing, and ends with a JSONDecodeError (celery/kombu#1551). The same goes for its table of
queues. Here a file is written under another name and renamed, which a reader sees at once or not
at all.
"""

import fcntl
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time_ns
from typing import Any

from kombu.transport import filesystem
from kombu.transport.filesystem import exchange_queue_t
from kombu.utils.json import dumps


def write_whole(file: Path, content: str) -> None:
    """Create or replace `file` in one step."""
    unfinished = file.with_name(f"{uuid.uuid4()}.unfinished")
    unfinished.write_text(content, encoding="utf-8")
    unfinished.replace(file)


class Channel(filesystem.Channel):
    """A channel whose readers never meet a file that is being written."""

    def _put(  # type: ignore[override]  # as in Kombu's own transport
        self, queue: str, payload: dict[str, Any], **kwargs: Any
    ) -> None:
        # The worker takes messages in the order of their names, and the queue's from the suffix.
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
    """Registered for `filesystem://` in `config.celery`."""

    Channel = Channel

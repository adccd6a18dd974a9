"""gunicorn's logs in the format of all others: `--logger-class` in docker-compose.yml."""

from typing import Any

from gunicorn import glogging

from config.logs import MaskingFormatter, OnceInAWhile


class GunicornLogger(glogging.Logger):  # type: ignore[misc]  # it has no annotations
    """Masks the access log and the error log, wherever they are written."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for handler in (*self.error_log.handlers, *self.access_log.handlers):
            written = handler.formatter
            handler.setFormatter(
                MaskingFormatter(written._fmt, written.datefmt) if written else MaskingFormatter()
            )
        for handler in self.error_log.handlers:
            handler.addFilter(OnceInAWhile())

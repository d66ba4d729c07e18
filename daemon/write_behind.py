"""Writes that nobody waits for: one after the other, in the order in which they were asked for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ..memory.errors import HermesError

logger = logging.getLogger(__name__)


class WriteBehind:
    """One thread that writes. What goes wrong is said in the log."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="write-behind")

    def put(self, write: Callable[[], object]) -> None:
        """Have something written soon. Any thread may call this; after the end nothing is."""
        try:
            self._pool.submit(_tried, write)
        except RuntimeError:
            logger.info("not written down: hermes has stopped")

    def close(self) -> None:
        """Wait until all is written."""
        self._pool.shutdown()


def _tried(write: Callable[[], object]) -> None:
    try:
        write()
    except HermesError as error:
        logger.warning("not written down: %s", error.message)
    except Exception:
        logger.exception("not written down")

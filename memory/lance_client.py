"""Keeps LanceDB from importing a client for REST catalogues, which hermes never has.

lancedb needs the records of ``lance_namespace_urllib3_client``, for their types, and nothing else
of it. But Python runs a package's ``__init__`` before any module in it, and this one imports a
class for each request the client can make: half of what importing LanceDB costs. So ours is put in
its place first: it has the same modules, and runs the real ``__init__`` when it is asked for
anything else. Whatever lancedb asks of it, now or in another version, it gets, sooner or later.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

CLIENT = "lance_namespace_urllib3_client"

logger = logging.getLogger(__name__)


class LatePackage(ModuleType):
    """A package whose modules can be imported before its ``__init__`` has run."""

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        assert spec.loader is not None
        assert spec.submodule_search_locations is not None
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__file__ = spec.origin
        self.__package__ = spec.name
        self.__path__ = list(spec.submodule_search_locations)
        self._running = threading.RLock()
        self._begun = False

    def __getattr__(self, name: str) -> Any:
        """Run the real ``__init__``, in this very module, for whatever it does not have."""
        # Its own modules ask in the midst of it, in the same thread; other threads wait.
        with self._running:
            if not self._begun:
                self._begun = True
                logger.info("%s is imported whole, for %s", self.__name__, name)
                try:
                    _load(self)
                except BaseException:
                    self._begun = False  # as Python does: the next one who asks tries again
                    raise
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)


def _load(package: LatePackage) -> None:
    spec = package.__spec__
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(package)


def spare(package: str = CLIENT) -> None:
    """Have the package's ``__init__`` run late. To be called before lancedb is imported."""
    if package in sys.modules:
        return
    spec = importlib.util.find_spec(package)
    if spec is None or spec.loader is None or spec.submodule_search_locations is None:
        logger.info("there is no package %s: is lancedb a version we do not know?", package)
        return
    sys.modules[package] = LatePackage(spec)

"""What LanceDB is kept from importing, and that it gets it when it asks."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.memory.lance_client import spare

PARCEL = {
    "__init__": "from parcel.api.calls import Api\nfrom parcel.models.record import Record\n",
    "models/__init__": "from parcel.models.record import Record\n",
    "models/record": "class Record: pass\n",
    "api/__init__": "",
    "api/calls": "from parcel import rest\nfrom parcel.models.record import Record\nclass Api: pass\n",
    "rest": "",
}
"""A package built like the client: its ``__init__`` imports all there is."""


@pytest.fixture
def parcel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Such a package, to be imported; return its folder."""
    for name, text in PARCEL.items():
        file = tmp_path / "parcel" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path / "parcel"
    for name in [name for name in sys.modules if name.partition(".")[0] == "parcel"]:
        del sys.modules[name]


@pytest.mark.usefixtures("parcel")
def test_a_record_is_imported_without_what_its_package_imports() -> None:
    spare("parcel")
    importlib.import_module("parcel.models")
    assert "parcel.models.record" in sys.modules
    assert "parcel.api" not in sys.modules


@pytest.mark.usefixtures("parcel")
def test_who_asks_the_package_for_more_gets_the_real_one() -> None:
    spare("parcel")
    record = importlib.import_module("parcel.models").Record
    package = importlib.import_module("parcel")
    assert package.Api is importlib.import_module("parcel.api.calls").Api
    assert package.Record is record
    assert not hasattr(package, "nothing_of_it")


@pytest.mark.usefixtures("parcel")
def test_many_threads_may_ask_at_once() -> None:
    spare("parcel")
    package = importlib.import_module("parcel")
    together = threading.Barrier(8)
    seen: list[object] = []

    def ask() -> None:
        together.wait()
        seen.append(package.Api)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(seen)) == 1


def test_what_fails_while_the_real_one_is_imported_is_raised_each_time(parcel: Path) -> None:
    (parcel / "rest.py").write_text("import nothing_of_that_name\n")
    spare("parcel")
    package = importlib.import_module("parcel")
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError, match="nothing_of_that_name"):
            _ = package.Api
    (parcel / "rest.py").write_text("mended = True\n")
    importlib.invalidate_caches()
    assert package.Api


@pytest.mark.usefixtures("parcel")
def test_a_package_imported_before_or_not_there_is_left_as_it_is() -> None:
    package = importlib.import_module("parcel")
    spare("parcel")
    assert sys.modules["parcel"] is package
    spare("parcel_of_another_version")
    assert "parcel_of_another_version" not in sys.modules

"""What is kept of the local page."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.daemon.private_file import new_secret
from hermes.daemon.web_kept import Damaged, Kept, read, write


def test_what_is_kept_is_read_again_and_is_for_our_eyes_alone(tmp_path: Path) -> None:
    path = tmp_path / "web.json"
    assert read(path) is None
    kept = Kept(25_000, new_secret())
    for _ in range(2):
        write(path, kept)
        assert read(path) == kept
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"port": 25000}',
        f'{{"port": 0, "secret": "{new_secret()}"}}',
        f'{{"port": 70000, "secret": "{new_secret()}"}}',
        '{"port": 25000, "secret": "x"}',
        '{"port": 25000, "secret": "é"}',
    ],
    ids=range(9),
)
def test_what_is_damaged_is_not_taken_for_what_was_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "web.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Damaged, match="web.json is damaged"):
        read(path)

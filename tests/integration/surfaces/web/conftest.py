"""One daemon with a memory full of councils, and one browser, for all tests of a module."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest

from hermes.daemon.paths import locate
from hermes.memory.work import Work
from hermes.tests.builders.browser import DESKTOP, Browser, browsing
from hermes.tests.builders.daemon import Daemon, running
from hermes.tests.builders.gallery import hang
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.jury import ScriptedJury

BUTTONS = """
return [...document.querySelectorAll("button")]
  .filter((button) => button.checkVisibility() && button.innerText.trim() === arguments[0]);
"""
"""Those with exactly these words, looked at all at once: the page may draw itself anew meanwhile."""


@dataclass
class Page:
    """The local page in a browser, and who is behind it."""

    browser: Browser
    daemon: Daemon
    jury: ScriptedJury
    url: str
    hung: dict[str, int] = field(default_factory=dict[str, int])
    """Numbers of the gallery's councils by name."""

    def go(self, place: str) -> None:
        """Show a place of the page, such as ``council/12``, as if it was opened there."""
        self.browser.open("about:blank")
        self.browser.open(f"{self.url}#/{place}")
        self.browser.until(lambda: self.browser.all("main h1"))

    def show(self, name: str) -> None:
        """Show a council of the gallery, or ``ask`` or ``record``."""
        self.go(
            {"ask": "council", "record": "council/record"}.get(
                name, f"council/{self.hung.get(name)}"
            )
        )

    def text(self, selector: str = "main") -> str:
        """Return what can be read there, also behind disclosures."""
        found: str = self.browser.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent).join('\\n')",
            selector,
        )
        return found

    def shows(self, text: str, selector: str = "main") -> None:
        """Wait until a text can be read."""
        self.browser.until(lambda: text in self.text(selector))

    def press(self, label: str) -> None:
        """Press the button that has exactly these words."""
        self.browser.until(lambda: self.browser.run(BUTTONS, label))
        (button,) = self.browser.run(BUTTONS, label)
        button.click()

    def ask(self, question: str) -> None:
        """Ask as a person does who knows the keys."""
        (box,) = self.browser.until(lambda: self.browser.all("#question"))
        box.clear()
        box.send_keys(question)
        self.browser.run(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
            " {key: 'Enter', ctrlKey: true, bubbles: true}))"
        )

    @property
    def number(self) -> int:
        """The number of the council that is shown."""
        return int(self.browser.driver.current_url.rpartition("/")[2])


def entered(browser: Browser, daemon: Daemon) -> str:
    """Open the page as `hermes web` does; return its address."""
    url: str = daemon.call("POST", "/v1/web")["url"]
    browser.open(url)
    return f"http://127.0.0.1:{urlsplit(url).port}/"


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory, machine: None) -> Generator[Page]:
    """The page of a daemon that remembers councils of every kind."""
    folder = tmp_path_factory.mktemp("page")
    jury = ScriptedJury(folder / "jury")
    home = folder / "home"
    home.mkdir(mode=0o700)
    work = Work(locate({"HERMES_AMBIENT_HOME": str(home)}).work)
    hung = hang(work, time.time())
    work.close()
    repo = RepoBuilder(folder / "shop")
    repo.commit({"shop.py": "print('shop')\n"}, "Begin the shop")
    with running(home, jury.settings) as daemon, browsing(folder, DESKTOP) as browser:
        daemon.index(repo.path)
        yield Page(browser, daemon, jury, entered(browser, daemon), hung)


@pytest.fixture
def shown(rooms: Page) -> Generator[Page]:
    """The same, wherever the last test left it."""
    yield rooms
    assert not (errors := rooms.browser.errors()), errors


@pytest.fixture
def page(shown: Page) -> Page:
    """The same, with nobody having said anything, at the question box of a large light screen."""
    shown.jury.hush()
    shown.browser.look(DESKTOP, "light")
    shown.show("ask")
    shown.browser.until(lambda: shown.browser.all("#question"))
    return shown


def council(daemon: Daemon, number: int) -> dict[str, Any]:
    """Return a council as the API has it."""
    found: dict[str, Any] = daemon.call("GET", f"/v1/councils/{number}")["council"]
    return found

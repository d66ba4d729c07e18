"""Real Chromium for tests: without a window, with a profile of its own, that reaches nobody but us.

Tests that start it are marked ``chromium``.
"""

from __future__ import annotations

import base64
import json
import shutil
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

T = TypeVar("T")
Scheme = Literal["light", "dark"]

DESKTOP = (1280, 800)
PHONE = (375, 740)
LOOPBACK = "127.0.0.1"
BINARY = "/usr/bin/chromium"
DRIVER = "/usr/bin/chromedriver"
"""Named, so that selenium looks for none and fetches none."""
OPTIONS = (
    "--headless",
    "--no-sandbox",  # in a container there is none
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",  # a container's is small
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-proxy-server",
    "--password-store=basic",
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {LOOPBACK}",
)


class Commands(Protocol):
    """What selenium gives no types to."""

    def execute_script(self, script: str, *args: object) -> Any: ...
    def execute_cdp_cmd(self, cmd: str, cmd_args: dict[str, object]) -> dict[str, Any]: ...
    def get_log(self, log_type: str) -> list[dict[str, Any]]: ...


class Browser:
    """A browser with one tab."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver
        self._commands: Commands = driver
        self._hosts: set[str] = set()

    def look(self, size: tuple[int, int] = DESKTOP, scheme: Scheme = "light") -> None:
        """Have a screen of this size in pixels, and a person who likes it light or dark."""
        width, height = size
        self._do(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=size == PHONE,
        )
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self._do("Emulation.setEmulatedMedia", features=features)

    def open(self, url: str) -> None:
        """Go to an address and wait until it is loaded."""
        self.driver.get(url)

    def find(self, selector: str) -> WebElement:
        """Return the first element that a CSS selector names."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> Sequence[WebElement]:
        """Return all elements that a CSS selector names."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def run(self, script: str, *values: object) -> Any:
        """Run JavaScript in the page; return what it returns, of a promise what it comes to."""
        return self._commands.execute_script(script, *values)

    def errors(self) -> list[str]:
        """Return what the console said that is wrong, since the last call."""
        return [
            f"{entry['source']}: {entry['message']}"
            for entry in self._commands.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]

    def hosts(self) -> set[str]:
        """Return every host that the page asked for anything."""
        for entry in self._commands.get_log("performance"):
            event: dict[str, Any] = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                address: str = event["params"]["request"]["url"]
                if address.startswith(("http:", "https:", "ws:", "wss:")):
                    self._hosts.add(urlsplit(address).hostname or "")
        return set(self._hosts)

    def tree(self) -> list[dict[str, Any]]:
        """Return the page as a screen reader has it: Chromium's accessibility nodes that count,
        each with its ``role``, ``name`` and ``properties``."""
        self._do("Accessibility.enable")
        found = self._do("Accessibility.getFullAXTree")
        return [
            {
                "role": node.get("role", {}).get("value", ""),
                "name": node.get("name", {}).get("value", ""),
                "properties": {
                    each["name"]: each["value"].get("value") for each in node.get("properties", ())
                },
            }
            for node in found["nodes"]
            if not node.get("ignored")
        ]

    def shoot(self, path: Path) -> Path:
        """Write a picture of the whole page (PNG), also of what is below the screen's edge; return
        where."""
        picture = self._do("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(picture["data"]))
        return path

    def until(self, look: Callable[[], T], seconds: float = 40.0) -> T:
        """Look again and again until there is something to see, and return it."""
        deadline = time.monotonic() + seconds
        while not (seen := look()):
            assert time.monotonic() < deadline, self.find("body").text
            time.sleep(0.02)
        return seen

    def _do(self, command: str, **values: object) -> dict[str, Any]:
        """Send a command of the DevTools protocol and return its result."""
        return self._commands.execute_cdp_cmd(command, values)


@contextmanager
def browsing(
    folder: Path, size: tuple[int, int] = DESKTOP, scheme: Scheme = "light"
) -> Generator[Browser]:
    """Run Chromium for the time of the block, with its profile in ``folder``. The block fails where
    the console told of something wrong that nobody asked for with `errors`, and where the page
    asked another host for anything."""
    options = ChromeOptions()
    options.binary_location = BINARY
    profile = folder / "chromium"
    for option in (*OPTIONS, f"--user-data-dir={profile}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(DRIVER))
    try:
        browser = Browser(driver)
        browser.look(size, scheme)
        yield browser
        assert not (errors := browser.errors()), errors
        assert not (others := browser.hosts() - {LOOPBACK}), others
    finally:
        driver.quit()
        shutil.rmtree(profile, ignore_errors=True)

"""The council's page when something is missing: the daemon, the cookie, models, anything asked before."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.tests.builders.browser import Browser, browsing
from hermes.tests.builders.daemon import LIGHT, Daemon, running, until
from hermes.tests.builders.jury import ScriptedJury, opinion

from .conftest import Page, council, entered

pytestmark = pytest.mark.chromium


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory, machine: None) -> Generator[Browser]:
    with browsing(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture
def browser(window: Browser) -> Generator[Browser]:
    """The browser. When a test is over its daemon is gone, and the page would wait for it."""
    yield window
    window.open("about:blank")
    for error in window.errors():  # Chromium tells of each request that was refused or not answered
        assert "Failed to load resource" in error or "ERR_" in error, error


@pytest.fixture
def jury(tmp_path: Path) -> ScriptedJury:
    return ScriptedJury(tmp_path / "jury")


def test_a_page_waits_for_its_daemon_and_catches_up(
    browser: Browser, jury: ScriptedJury, home: Path
) -> None:
    with running(home, jury.settings) as first:
        page = Page(browser, first, jury, entered(browser, first))
        page.shows("No council was asked yet. Ask the first one.", "#history")
        page.ask("Should we ship it?")
        browser.until(lambda: len(browser.all(".juror.asking")) == 3)
        jury.says("ann", opinion("PASS", "yes", "heard before the kill"))
        page.shows("heard before the kill", ".juror")
        number = page.number
        until(lambda: council(first, number)["opinions"], bool)
        first.kill()
        page.shows("The daemon is away. This page waits for it", "#banner")
        page.shows("the daemon is away", ".trouble")
    assert "heard before the kill" in page.text(".juror")  # what was known stays in sight
    jury.says("bob", opinion("PASS", "yes", "heard after the kill"))
    jury.says("cyd", opinion("PASS", "yes", "heard after the kill"))
    with running(home, jury.settings):
        browser.until(lambda: browser.all(".verdict"), 60)
        assert "3 of 3" in page.text(".numbers .agreement")
        assert "heard before the kill" in page.text(".jurors")
        browser.until(lambda: not browser.find("#banner").is_displayed())


def test_what_a_person_typed_outlives_a_daemon_that_is_away_and_a_reload(
    browser: Browser, home: Path
) -> None:
    with running(home) as first:
        page = Page(browser, first, ScriptedJury(home.parent / "nobody"), entered(browser, first))
        browser.until(lambda: browser.all("#question"))
        page.shows("No model can be asked now: rules alone judge", ".home")
        first.stop()
        page.ask("Redis or Memcached?")
        page.shows("The daemon can’t be reached", ".refusal")
        assert browser.find("#question").get_attribute("value") == "Redis or Memcached?"
    with running(home) as second:
        browser.until(lambda: not browser.find("#banner").is_displayed(), 60)
        page.daemon = second
        browser.driver.refresh()
        browser.until(lambda: browser.all("#question"))
        assert browser.find("#question").get_attribute("value") == "Redis or Memcached?"
        page.press("Ask the council")
        page.shows("No opinion: a person has to decide")
        assert "rules alone judge" in page.text(".notices")
        assert page.text(".command code") == "hermes ask 'Redis or Memcached?'"
        page.go("council/record")
        page.shows("No model is set: rules alone judge")
        page.shows("Until there are 20, a verdict is uncalibrated")
        page.shows("Nothing to propose: no juror has 2 real dissents")
        page.shows("Every juror counts 1")


def test_a_browser_that_is_signed_out_is_told_and_comes_back_by_itself(
    browser: Browser, home: Path
) -> None:
    with running(home) as daemon:
        page = Page(browser, daemon, ScriptedJury(home.parent / "nobody"), entered(browser, daemon))
        browser.until(lambda: browser.all("#question"))
        browser.driver.delete_all_cookies()
        browser.find("#words").send_keys("x")
        page.shows("This page is signed out. Run hermes web in a terminal", "#banner")
        tab = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        entered(browser, daemon)
        browser.driver.close()
        browser.driver.switch_to.window(tab)
        browser.until(lambda: not browser.find("#banner").is_displayed(), 30)
        browser.until(lambda: browser.all("#question"))


def test_a_council_that_was_stopped_says_so_and_is_asked_again(
    browser: Browser, jury: ScriptedJury, home: Path
) -> None:
    with running(home, jury.settings) as daemon:
        page = Page(browser, daemon, jury, entered(browser, daemon))
        browser.until(lambda: browser.all("#question"))
        page.ask("Should we ship it?")
        browser.until(lambda: len(browser.all(".juror.asking")) == 3)
        (job,) = [one for one in _jobs(daemon) if one["agent"] == "council"]
        daemon.call("POST", f"/v1/jobs/{job['id']}/cancel", {})
        browser.until(lambda: "It was abandoned" in page.text(), 60)
        page.press("Ask it again")
        browser.until(lambda: browser.all("#question"))
        assert browser.find("#question").get_attribute("value") == "Should we ship it?"


def _jobs(daemon: Daemon) -> list[dict[str, object]]:
    found: list[dict[str, object]] = daemon.call("GET", "/v1/jobs")["jobs"]
    return found


def test_settings_name_the_mode_and_preset_that_the_box_begins_with(
    browser: Browser, home: Path
) -> None:
    settings = LIGHT | {
        "HERMES_AMBIENT_COUNCIL__MODE": "debate",
        "HERMES_AMBIENT_COUNCIL__PRESET": "legal",
        "HERMES_AMBIENT_COUNCIL__PRESETS": '{"legal": {"Licence": "Judge what licences allow."}}',
    }
    with running(home, settings) as daemon:
        entered(browser, daemon)
        browser.until(lambda: browser.all("#mode"))
        chosen: list[str] = browser.run(
            "return ['mode', 'preset'].map((id) =>"
            " document.getElementById(id).selectedOptions[0].textContent)"
        )
        assert chosen == ["debate – 3 judges, 2 rounds of debate", "legal – Licence"]

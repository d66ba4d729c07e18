"""The council's page as a person uses it: ask, watch, read the verdict, say how it turned out."""

from __future__ import annotations

import threading

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from hermes.tests.builders.daemon import until
from hermes.tests.builders.jury import opinion

from .conftest import Page, council

pytestmark = pytest.mark.chromium


def test_a_council_is_asked_watched_and_learnt_from(page: Page) -> None:
    browser, jury = page.browser, page.jury
    page.ask("Kubernetes or one server for the shop?")
    browser.until(lambda: len(browser.all(".juror.asking")) == 3)
    assert page.text("main h1") == "Kubernetes or one server for the shop?"
    assert "is asked" in page.text(".juror")

    jury.says("ann", opinion("PASS", "one server", "forty orders a day"))
    browser.until(lambda: len(browser.all(".juror.spoke")) == 1)
    assert "forty orders a day" in page.text(".juror.spoke")
    assert len(browser.all(".juror.asking")) == 2
    jury.says("bob", opinion("WARN", "Kubernetes", "we will grow", confidence=0.6))
    jury.says("cyd", "I would rather not say.")  # no opinion: repaired, asked anew, replaced
    page.shows("takes the seat", ".juror.away")
    assert "juror.sh dee" in page.text(".juror.away")
    jury.says("dee", opinion("WARN", "Kubernetes", "all the others do it", confidence=0.6))
    page.shows("A debate, round 1: they hold 2 positions")
    jury.says("ann", opinion("PASS", "one server", "forty orders a day"), debate=True)
    jury.says("bob", opinion("WARN", "Kubernetes", "we will grow", confidence=0.6), debate=True)
    jury.says(
        "dee", opinion("PASS", "one server", "nobody here has run a cluster at night"), debate=True
    )

    browser.until(lambda: browser.all(".verdict"))
    assert "The verdict of council" in page.text("#announcer")
    assert "one server" in page.text(".verdict .carries")
    assert "2 of 3" in page.text(".numbers .agreement")
    assert "sure" in page.text(".numbers .claimed")
    assert "%" in page.text(".numbers .calibrated strong")  # 25 outcomes are known
    assert "⇄ Kubernetes → one server" in page.text(".juror .shift")
    assert "dee" in page.text(".juror:has(.badge.changed) .who")
    assert "took a seat" in page.text(".juror:has(.badge.changed) .who")
    assert page.text(".juror.away .who").startswith("juror.sh cyd")

    dissent = browser.find("details.dissent")
    assert not dissent.get_attribute("open")
    assert "we will grow" not in dissent.text
    dissent.find_element("css selector", "summary").click()
    assert "we will grow" in dissent.text
    asked = page.number

    page.go("council/record")
    page.shows("25 verdicts with a known outcome")
    suggested = page.text(".reflect .carries")
    assert "Raise ollama:gemma2:9b on operations from ×1 to ×1.25" in suggested
    assert page.text(".reflect li").count("it was right") == 2
    page.press("Approve")
    page.shows("Approved: ollama:gemma2:9b counts ×1.25 on operations")
    page.shows("×1.25", "table")
    before = page.text(".legend")

    page.go(f"council/{asked}")
    browser.until(lambda: browser.all(".outcome-panel"))
    browser.find("#note").send_keys("it still runs")
    page.press("right")
    page.shows("was right on general", ".outcome-panel")
    assert council(page.daemon, asked)["outcome"] == "right"
    assert council(page.daemon, asked)["note"] == "it still runs"
    page.shows("right", f'#history a[href="#/council/{asked}"]')
    page.go("council/record")
    page.shows("26 verdicts with a known outcome")
    page.shows("Brier", ".legend")
    assert page.text(".legend") != before

    page.press("Take back")  # the weight
    page.shows("taken back", "table")
    page.go(f"council/{asked}")
    browser.until(lambda: browser.all(".outcome-panel"))
    page.press("Take it back")
    page.shows("it is not known how it turned out")
    until(lambda: council(page.daemon, asked)["outcome"], lambda outcome: outcome is None)


def test_everything_is_reached_with_the_keyboard_alone(page: Page) -> None:
    browser = page.browser
    page.jury.all_say("PASS")
    page.jury.says("bob", opinion("WARN", "yes", "look at the log first"))

    def active() -> str:
        found: str = browser.run(
            "const e = document.activeElement; return e.labels?.[0]?.textContent ||"
            " e.getAttribute('aria-label') || e.textContent || e.tagName"
        )
        return found.strip()

    def press(*keys: str) -> None:
        chain = ActionChains(browser.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def tab_to(what: str, most: int = 40) -> None:
        for _ in range(most):
            press(Keys.TAB)
            width = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
            assert width != "none", active()
            if active().startswith(what):
                return
        raise AssertionError(f"{what} is not reached; the last was {active()}")

    browser.until(lambda: active() == "What needs judging?")  # one can type at once
    press("Can we delete the old exports?")
    tab_to("How it is judged")
    press(Keys.ENTER)
    tab_to("mode")
    press(Keys.ESCAPE)
    assert active() == "How it is judged"
    assert not browser.find("details.how").get_attribute("open")
    browser.find("#question").send_keys(Keys.CONTROL, Keys.ENTER)
    browser.until(lambda: browser.all(".verdict"))
    assert active() == "Can we delete the old exports?"  # not stolen by the verdict
    tab_to("All it said")
    press(Keys.ENTER)
    assert "Reasons" in page.text("details.all[open]") or "Position" in page.text(".all[open]")
    press(Keys.ESCAPE)
    assert not browser.all("details.all[open]")
    tab_to("mixed")
    press(Keys.SPACE)
    browser.until(lambda: browser.find(".result.mixed").get_attribute("aria-pressed") == "true")
    tab_to("Take it back")
    press(Keys.ENTER)
    browser.until(lambda: browser.find(".result.mixed").get_attribute("aria-pressed") == "false")
    assert active() == "right"
    tab_to("Replay")
    press(Keys.ENTER)
    page.shows("The same result under the stored rules")
    tab_to("Search the questions")
    press("Mongo ledger")
    browser.until(lambda: len(browser.all("#history li")) == 1)
    tab_to("Postgres or Mongo for the ledger?")
    press(Keys.ENTER)
    page.shows("Postgres or Mongo for the ledger?", "h1")
    browser.until(lambda: active() == "Postgres or Mongo for the ledger?")


def test_reload_back_and_forward_show_what_the_address_names(page: Page) -> None:
    browser = page.browser
    first, second = page.hung["ledger"], page.hung["stopped"]
    for number in (first, second):
        browser.until(lambda: browser.all(f'#history a[href="#/council/{number}"]'))  # noqa: B023
        browser.find(f'#history a[href="#/council/{number}"]').click()
        browser.until(lambda: page.number == number and browser.all(".verdict"))  # noqa: B023
    title = page.text("h1")
    assert browser.find("#history a[aria-current]").text.startswith("Is it safe to merge")
    browser.driver.back()
    page.shows("Postgres or Mongo for the ledger?", "h1")
    browser.driver.forward()
    page.shows(title, "h1")
    browser.driver.refresh()
    page.shows(title, "h1")
    browser.until(lambda: "FAIL" in browser.driver.title)
    browser.open(f"{page.url}#/nonsense")
    browser.until(lambda: browser.driver.current_url.endswith("#/council"))
    page.go("council/777")
    page.shows("There is no council 777")
    (complaint,) = browser.errors()  # the browser tells of every 404
    assert "councils/777" in complaint


def test_two_tabs_may_ask_at_once_and_each_shows_its_own(page: Page) -> None:
    browser = page.browser
    driver = browser.driver
    first = driver.current_window_handle
    page.ask("Should we ship the first?")
    browser.until(lambda: len(browser.all(".juror.asking")) == 3)
    driver.switch_to.new_window("tab")
    second = driver.current_window_handle
    try:
        page.show("ask")
        browser.until(lambda: browser.all("#question"))
        page.ask("Should we ship the second?")
        browser.until(lambda: len(browser.all(".juror.asking")) == 3)
        page.jury.all_say("PASS")
        browser.until(lambda: browser.all(".verdict"))
        assert page.text("h1") == "Should we ship the second?"
        number = page.number
        driver.switch_to.window(first)
        browser.until(lambda: browser.all(".verdict"))
        assert page.text("h1") == "Should we ship the first?"
        assert page.number != number
        page.shows("Should we ship the second?", "#history")
        # What is said in one is seen in the other.
        driver.switch_to.window(second)
        page.go(f"council/{number}")
        driver.switch_to.window(first)
        page.go(f"council/{number}")
        browser.until(lambda: browser.all(".outcome-panel"))
        page.press("wrong")
        driver.switch_to.window(second)
        browser.until(lambda: browser.all('.result.wrong[aria-pressed="true"]'))
    finally:
        driver.switch_to.window(second)
        driver.close()
        driver.switch_to.window(first)


def test_a_council_asked_elsewhere_appears_and_is_followed_live(page: Page) -> None:
    browser = page.browser
    ran = threading.Thread(
        target=lambda: page.daemon.hermes("council", "should we ship the third?")
    )
    ran.start()
    page.shows("should we ship the third?sitting now", "#history li:first-child")
    browser.until(lambda: browser.all("#history li:first-child a"))
    page.jury.says("bob", opinion("PASS", "yes", "heard before the page looked"))
    number = until(lambda: page.daemon.call("GET", "/v1/councils")["councils"][0]["id"], bool)
    until(lambda: council(page.daemon, number)["opinions"], bool)
    browser.find("#history li:first-child a").click()
    page.shows("heard before the page looked", ".juror.spoke")
    browser.until(lambda: len(browser.all(".juror.asking")) == 2)
    page.jury.all_say("PASS")
    browser.until(lambda: browser.all(".verdict"))
    page.shows("needs a human", "#history li:first-child")
    ran.join(60)


def test_a_question_for_a_fact_is_sent_to_ask_and_no_question_is_told(page: Page) -> None:
    page.ask("why did we drop redis' lists?")
    page.shows("That asks for a fact, not for a judgment", ".refusal")
    assert page.text(".command code") == r"hermes ask 'why did we drop redis'\'' lists?'"
    assert page.browser.find("#question").get_attribute("value") == "why did we drop redis' lists?"
    page.browser.find("#question").clear()
    page.press("Ask the council")
    page.shows("Council about what?", ".refusal")
    assert page.browser.driver.current_url.endswith("#/council")


def test_what_is_staged_can_be_judged_with_a_file_and_a_preset(page: Page) -> None:
    browser = page.browser
    page.jury.all_say("PASS")
    browser.find("details.how summary").click()
    browser.find("#preset").send_keys("security")
    browser.find("#mode").send_keys("quick")
    browser.find("#change").send_keys("what is staged")
    page.press("Ask the council")
    page.shows("Nothing is staged", ".refusal")
    browser.find("#change").send_keys("a pull")
    browser.find("#pull").send_keys("482")
    page.press("Ask the council")
    page.shows("482", ".refusal")
    browser.find("#change").send_keys("no change")
    page.ask("Is it safe to log this?")
    browser.until(lambda: browser.all(".verdict"))
    found = council(page.daemon, page.number)
    assert (found["preset"], found["mode"], len(found["jury"])) == ("security", "quick", 1)

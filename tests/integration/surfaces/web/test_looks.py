"""Every state of the council's page, as anybody may have it: small, dark, enlarged, read out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from hermes.tests.builders.browser import DESKTOP, Scheme
from hermes.tests.builders.gallery import HOSTILE

from .conftest import Page

pytestmark = pytest.mark.chromium

STATES = {
    "ledger": "WARN",
    "unlike": "DISAGREE",
    "stopped": "FAIL",
    "agreed": "PASS",
    "alike": "Unanimous: needs a human check",
    "by_rules": "Unanimous: needs a human check",
    "nobody": "No opinion: a person has to decide",
    "hostile": "WARN",
    "huge": "WARN",
    "abandoned": "It was abandoned",
}
PLACES = (*STATES, "ask", "record")
SMALL = (360, 740)
ENLARGED = (640, 400)
"""What is left of a screen of 1280 by 800 at 200 %."""

CONTRAST = """
const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
const rgba = (colour) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
const behind = (element) => {
  if (!element) return [255, 255, 255, 1];
  const own = rgba(getComputedStyle(element).backgroundColor);
  return own[3] === 1 ? own : over(own, behind(element.parentElement));
};
const found = [];
let seen = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest(".unseen, noscript, option")) continue;
  const style = getComputedStyle(element);
  const back = behind(element);
  const ink = over(rgba(element instanceof SVGElement ? style.fill : style.color), back);
  const [low, high] = [light(ink), light(back)].sort((a, b) => a - b);
  const ratio = (high + 0.05) / (low + 0.05);
  seen += 1;
  if (ratio < 4.5) found.push([ratio.toFixed(2), element.className?.baseVal ?? element.className, walker.currentNode.data.slice(0, 40)]);
}
return seen > 40 ? found : [`only ${seen} texts`];
"""
OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true;"
TOO_WIDE = """
const most = document.documentElement.clientWidth;
return [document.documentElement, ...document.body.querySelectorAll("*")]
  .filter((e) => e.checkVisibility() && !e.closest(".wide, .unseen, .skip"))
  .filter((e) => e.getBoundingClientRect().right > most + 1)
  .map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`);
"""
HEADINGS = """
return [...document.querySelectorAll("main :is(h1, h2, h3, h4)")].map((h) => Number(h.tagName[1]));
"""
CONTROLS = {
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "spinbutton",
    "disclosure triangle",
}


@pytest.mark.parametrize("name", PLACES)
def test_each_state_says_what_it_is_small_and_enlarged_and_to_who_listens(
    shown: Page, name: str
) -> None:
    browser = shown.browser
    browser.look(DESKTOP)
    shown.show(name)
    _settle(shown, name)
    shown.shows(STATES.get(name, ""))
    browser.run(OPEN_ALL)
    for size in (SMALL, ENLARGED):
        browser.look(size)
        assert browser.run(TOO_WIDE) == []
    tree = browser.tree()
    assert [one for one in tree if one["role"] in CONTROLS and not one["name"]] == []
    roles = [one["role"] for one in tree]
    for role in ("banner", "navigation", "main", "complementary"):
        assert roles.count(role) == 1, role
    levels: list[int] = browser.run(HEADINGS)
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_all_text_stands_out_from_what_is_behind_it_light_and_dark(shown: Page) -> None:
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for name in PLACES:
        shown.show(name)
        _settle(shown, name)
        shown.browser.run(OPEN_ALL)
        for scheme in schemes:
            shown.browser.look(DESKTOP, scheme)
            assert shown.browser.run(CONTRAST) == [], (name, scheme)


def test_three_numbers_are_kept_apart_and_read_out(page: Page) -> None:
    page.show("ledger")
    dial = page.browser.until(lambda: page.browser.find(".dial")).get_attribute("aria-label")
    assert dial is not None
    assert dial.startswith("calibrated ")
    assert "agreement 100%, claimed 70%" in dial
    assert "near, of 25 outcomes" in page.text(".numbers .calibrated")
    assert "3 of 3" in page.text(".numbers .agreement")
    assert "as they say themselves, from 55% to 85%" in page.text(".numbers .claimed")


def test_who_changed_and_who_gave_in_who_was_away_and_what_was_left_out_is_told(
    page: Page,
) -> None:
    page.show("ledger")
    page.shows("⇄ Mongo → Postgres for this reason, which it had not given before")
    assert "that is conformity, and counts half from then on" in page.text(".juror .shift")
    assert "no answer within 180 s; mistral:7b (Razor) takes the seat" in page.text(".juror.away")
    assert "left out for length: ledger/fixtures.json" in page.text(".notices")
    assert "go to openrouter.ai" in page.text(".notices")
    assert "7,080 tokens in, 960 out" in page.text(".cost")
    assert "no evidence cited" in page.text(".finding.significant")
    assert "→ Restore last night’s backup" in page.text(".finding.significant")
    assert page.text("details.evidence").count("council 1") == 1


def test_a_minority_is_not_hidden_and_long_names_stay_whole(page: Page) -> None:
    page.show("stopped")
    page.shows("minority", ".finding.minor")
    assert page.browser.find(".finding.minor").is_displayed()
    assert "ExtraordinarilyLongModuleNameFactoryBuilder.py" in page.text(".finding.note")
    assert "Dissent: PASS, WARN (3 jurors)" in page.text(".dissent summary")


def test_hostile_text_stays_text(page: Page) -> None:
    page.show("hostile")
    page.shows("WARN")
    page.browser.run(OPEN_ALL)
    assert page.browser.run("return window.hacked") is None
    assert page.browser.all("main img, main script, main b") == []
    assert "<img src=x onerror=" in page.text("h1")
    assert page.text().count("<script>") >= 12
    assert "\u202e" in HOSTILE
    assert "\u202e" not in page.browser.run("return document.documentElement.textContent")


def test_fifty_thousand_characters_are_taken_and_told_apart_from_the_question(page: Page) -> None:
    page.jury.all_say("WARN")
    text = ("The queue holds a row for each event. " * 1_315) + "\n\nShould we keep the queue?"
    assert len(text) > 49_900
    page.browser.run("document.getElementById('question').value = arguments[0]", text)
    page.press("Ask the council")
    page.browser.until(lambda: page.browser.all(".verdict"))
    assert page.text("h1") == "Should we keep the queue?"


def test_a_verdict_is_read_aloud_where_the_browser_has_a_voice(page: Page) -> None:
    page.show("unlike")
    page.shows("DISAGREE")
    assert not page.browser.find(".aloud").is_displayed()  # it has none
    page.browser.run(
        """
        const said = (window.heard = []);
        const speech = {
          getVoices: () => [{}],
          speak: (utterance) => said.push(utterance),
          cancel: () => said.push("cancel"),
        };
        Object.defineProperty(window, "speechSynthesis", {value: speech, configurable: true});
        """
    )
    page.browser.run("location.hash = `#/council/${arguments[0]}`", page.hung["stopped"])
    page.shows("FAIL")
    page.press("Read aloud")
    said: list[Any] = page.browser.run(
        "return window.heard.filter((one) => one.text).map((one) => one.text)"
    )
    assert said[0] == "Is it safe to merge the backfill of account balances?"
    assert "A critical finding: The table is locked for minutes while people pay." in said
    page.press("Stop reading")
    assert page.browser.run("return window.heard.at(-1)") == "cancel"
    page.browser.run("delete window.speechSynthesis")


def test_search_says_what_it_found_and_older_ones_are_a_click_away(page: Page) -> None:
    browser = page.browser
    browser.until(lambda: len(browser.all("#history li")) == 30)
    page.press("Show older ones")
    browser.until(lambda: len(browser.all("#history li")) > 33)
    browser.find("#words").send_keys("release 2")
    page.shows("questions have these words", "#history .hint")
    found = [one.text.splitlines()[0] for one in browser.all("#history li")]
    assert "Should we ship release 21?" in found
    browser.find("#words").send_keys(" nowhere")
    page.shows("No question that a council was asked has these words.", "#history .hint")
    assert browser.all("#history li") == []


def test_a_proposal_can_be_dismissed_and_a_weight_set_by_hand(page: Page) -> None:
    browser = page.browser
    page.show("record")
    page.shows("Raise ollama:gemma2:9b", ".reflect")
    page.press("Dismiss")
    page.shows("Dismissed: weights stay as they are.", ".reflect")
    browser.until(lambda: "gemma2" not in page.text(".reflect"))
    browser.find("#who").find_element("xpath", "ancestor::details/summary").click()
    browser.find("#who").send_keys("hermes3:8b")
    browser.find("#about").send_keys("security")
    page.press("Set")
    page.shows("×1.5", "table")
    page.press("Take back")
    page.shows("taken back", "table")


def _settle(page: Page, name: str) -> None:
    """Wait until a place shows all it has."""
    last = {"ask": ".home > .hint a", "record": ".reflect .card, .card.reflect p"}.get(name)
    page.browser.until(lambda: page.browser.all(last or "main .body > *"))

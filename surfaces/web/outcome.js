// How a verdict turned out, as a person says it; and the verdict made again from what is stored.

import { call } from "./api.js";
import { announce, el, fill } from "./dom.js";
import { mark } from "./marks.js";
import { refusal } from "./refusal.js";
import { seatName } from "./words.js";

const RESULTS = ["right", "wrong", "mixed"];
const HOW = new Map([
  [1, "right"],
  [0, "wrong"],
]);

/** Returns the panel with its buttons; `take` shows what another tab or the command line said. */
export function outcomePanel(council, onChange) {
  let { outcome, note } = council;
  const path = `/v1/councils/${council.id}/outcome`;
  const answered = el("div", { "aria-live": "polite" });
  const noteBox = el("input", {
    type: "text",
    id: "note",
    maxlength: 2000,
    dir: "auto",
    placeholder: "a note, if you like",
  });
  const buttons = RESULTS.map((result) =>
    el(
      "button",
      { type: "button", class: `result ${result}`, onclick: () => record(result) },
      mark(result),
      result,
    ),
  );
  const save = el(
    "button",
    { type: "button", class: "quiet", onclick: () => record(outcome) },
    "Save the note",
  );
  const back = el("button", { type: "button", class: "quiet", onclick: takeBack }, "Take it back");
  const element = el(
    "section",
    { class: "outcome-panel" },
    el("h3", {}, "How did it turn out?"),
    el("div", { class: "row", role: "group", "aria-label": "How it turned out" }, buttons),
    el("label", { class: "field", for: "note" }, el("span", {}, "note"), noteBox),
    el("div", { class: "row" }, save, back),
    answered,
  );

  async function record(result) {
    await act(async () => {
      const { scores } = await call("POST", path, { result, note: noteBox.value.trim() });
      take(result, noteBox.value.trim());
      const lines = scores.map(
        (one) => `${seatName(one.juror)} was ${HOW.get(one.value) ?? "half right"} on ${one.topic}`,
      );
      fill(
        answered,
        el(
          "p",
          { class: "hint" },
          `Noted. ${lines.join("; ")}. `,
          el("a", { href: "#/council/record" }, "What that taught"),
        ),
      );
    });
  }

  async function takeBack() {
    await act(async () => {
      await call("DELETE", path);
      take(null, "");
      fill(answered, el("p", { class: "hint" }, "Taken back: it is not known how it turned out."));
      buttons[0].focus();
    });
  }

  async function act(what) {
    try {
      await what();
      onChange();
    } catch (error) {
      fill(answered, refusal(error));
    }
  }

  function take(result, text) {
    outcome = result;
    note = text;
    buttons.forEach((button, place) =>
      button.setAttribute("aria-pressed", String(RESULTS[place] === result)),
    );
    if (document.activeElement !== noteBox) noteBox.value = text;
    save.hidden = back.hidden = result === null;
  }

  take(outcome, note);
  const differs = (other) => other.outcome !== outcome || other.note !== note;
  return { element, take: (other) => differs(other) && take(other.outcome, other.note) };
}

/** Returns a button that makes the verdict again from what is stored, and says whether it is the same. */
export function replayButton(number, place) {
  return el(
    "button",
    { type: "button", class: "quiet", onclick: () => replay(number, place) },
    "Replay",
  );
}

async function replay(number, place) {
  try {
    const found = await call("GET", `/v1/councils/${number}/replay`);
    const text = found.same
      ? `The same result under the stored rules (${found.rules}): ${found.verdict.words}.`
      : `Rules ${found.rules} say ${found.verdict.words}; the verdict was made by rules ${found.stored_rules}.`;
    fill(place, el("p", { class: "hint" }, text));
    announce(text);
  } catch (error) {
    fill(place, refusal(error));
  }
}

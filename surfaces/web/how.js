// How a question is judged: mode, preset, and from which change and files.

import { Refused } from "./api.js";
import { el } from "./dom.js";
import { count } from "./words.js";

const MOST_TEXT = 900_000;
const CHANGES = {
  none: { words: "no change, the question alone", body: () => ({}) },
  staged: { words: "what is staged", body: () => ({ diff: "" }) },
  range: { words: "a range of commits", body: (range) => ({ diff: range }) },
  pull: { words: "a pull request", body: (_, pull) => ({ pull: pull || null }) },
};

/** Returns the disclosure, and what of a request is chosen in it. */
export function howBox({ modes, presets, mode, preset }, repos) {
  const modeChoice = el(
    "select",
    { id: "mode" },
    modes.map((one) => el("option", { value: one.name }, `${one.name} – ${inWords(one)}`)),
  );
  modeChoice.value = mode;
  const presetChoice = el(
    "select",
    { id: "preset" },
    presets.map((one) =>
      el("option", { value: one.name }, `${one.name} – ${one.perspectives.join(", ")}`),
    ),
  );
  presetChoice.value = preset;
  const change = el(
    "select",
    { id: "change" },
    Object.entries(CHANGES).map(([name, { words }]) => el("option", { value: name }, words)),
  );
  const range = named("range of commits", { id: "range", type: "text", value: "main..HEAD" });
  const pull = named("number of the pull request", { id: "pull", type: "number", min: 1 });
  const look = () => {
    range.hidden = change.value !== "range";
    pull.hidden = change.value !== "pull";
  };
  change.addEventListener("change", look);
  look();
  const files = el("input", { id: "files", type: "file", multiple: true });
  const box = el(
    "details",
    { class: "how" },
    el("summary", {}, "How it is judged"),
    el(
      "div",
      { class: "fields" },
      el("label", { class: "field" }, el("span", {}, "mode"), modeChoice),
      el("label", { class: "field" }, el("span", {}, "seen as"), presetChoice),
      repos.length > 0 &&
        el(
          "div",
          { class: "field" },
          el("label", { for: "change" }, "a change"),
          change,
          range,
          pull,
        ),
      el("label", { class: "field" }, el("span", {}, "files or logs"), files),
    ),
  );
  const value = async () => ({
    mode: modeChoice.value,
    preset: presetChoice.value,
    ...CHANGES[change.value].body(range.value.trim(), pull.valueAsNumber),
    files: await Promise.all([...files.files].map(read)),
  });
  return { box, value };
}

function named(name, given) {
  return el("input", { "aria-label": name, spellcheck: "false", autocapitalize: "off", ...given });
}

function inWords({ seats, rounds, families }) {
  const judges = count(seats, "judge");
  const debate =
    rounds === 0 ? "" : rounds === 1 ? ", a debate on a split" : `, ${rounds} rounds of debate`;
  return `${judges}${families > 2 ? " of different families" : ""}${debate}`;
}

async function read(file) {
  if (file.size > MOST_TEXT) {
    throw new Refused({
      error: `${file.name} is too large`,
      hint: "hand it to `hermes council --file`, which takes more",
    });
  }
  const text = await file.text();
  if (text.slice(0, 8_000).includes("\0")) {
    throw new Refused({
      error: `${file.name} is no text`,
      hint: "judges read texts, diffs and logs",
    });
  }
  return { path: file.name, text };
}

// Who may sit, how much each counts by topic, and the changes that a person made, each to be undone.

import { call } from "./api.js";
import { announce, el, fill, said } from "./dom.js";
import { mark } from "./marks.js";
import { refusal } from "./refusal.js";
import { ago, count, duration, exactly, seatName, topic } from "./words.js";

/** Returns the section about weights; `onChange` is told when a person changed one. */
export function weightsSection({ weights, changes }, jurors, onChange) {
  const answered = el("div", { "aria-live": "polite" });
  const act = async (method, path, body) => {
    try {
      const { text } = await call(method, path, body);
      announce(text);
      onChange(text);
    } catch (error) {
      fill(answered, refusal(error));
    }
  };
  return el(
    "section",
    { "aria-labelledby": "weights" },
    el("h2", { id: "weights", tabindex: "-1" }, "How much each counts"),
    weights.length
      ? table(
          "Weights by juror and topic",
          ["juror", "topic", "counts", "because"],
          weights.map((one) => [
            said(seatName(one.juror)),
            said(topic(one.topic)),
            el("strong", {}, `×${one.weight.toFixed(2)}`),
            said(one.basis, "span", { class: "hint" }),
          ]),
        )
      : el(
          "p",
          { class: "hint" },
          "Every juror counts 1: no outcome is known yet, and nothing was set. Tell how a verdict turned out, and who was right counts more.",
        ),
    changes.length > 0 && [
      el("h3", {}, "Set by hand"),
      table(
        "Changes by hand",
        ["juror", "topic", "factor", "why", ""],
        changes.map((one) => [
          said(seatName(one.juror)),
          said(topic(one.topic)),
          `×${one.factor}`,
          el(
            "span",
            { class: "hint" },
            said(one.why),
            ", ",
            el("span", { title: exactly(one.at) }, ago(one.at)),
          ),
          one.undone
            ? el("span", { class: "hint" }, "taken back")
            : el(
                "button",
                {
                  type: "button",
                  class: "quiet",
                  "aria-label": `Take back ×${one.factor} of ${seatName(one.juror)} on ${topic(one.topic)}`,
                  onclick: () => act("DELETE", `/v1/council/learn/${one.id}`),
                },
                "Take back",
              ),
        ]),
      ),
    ],
    setting(jurors, (lesson) => act("POST", "/v1/council/learn", { lesson })),
    answered,
  );
}

function setting(jurors, set) {
  const names = [...new Set(jurors.map((one) => one.name))];
  const who = el("input", {
    type: "text",
    id: "who",
    list: "known-jurors",
    required: true,
    placeholder: "hermes3:8b",
    autocomplete: "off",
  });
  const about = el("input", {
    type: "text",
    id: "about",
    placeholder: "security",
    autocomplete: "off",
  });
  const factor = el("input", {
    type: "number",
    id: "factor",
    min: 0.1,
    max: 10,
    step: 0.05,
    value: 1.5,
    required: true,
  });
  const form = el(
    "form",
    { class: "fields" },
    el(
      "datalist",
      { id: "known-jurors" },
      names.map((name) => el("option", { value: name })),
    ),
    el("label", { class: "field" }, el("span", {}, "juror"), who),
    el("label", { class: "field" }, el("span", {}, "topic"), about),
    el("label", { class: "field" }, el("span", {}, "factor"), factor),
    el("button", { type: "submit" }, "Set"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    set(`${who.value} | ${about.value.trim() || "*"} | ${factor.value}`);
  });
  return el("details", {}, el("summary", {}, "Set a weight by hand"), form);
}

/** Returns the section about who may sit. */
export function pool(jurors) {
  return el(
    "section",
    { "aria-labelledby": "pool" },
    el("h2", { id: "pool" }, "Who may sit"),
    jurors.length
      ? el("ul", { class: "jurors" }, jurors.map(member))
      : el(
          "p",
          { class: "hint" },
          "No model is set: rules alone judge, and say so. ",
          el("code", {}, "hermes config explain council.jurors"),
          " tells how to name some.",
        ),
  );
}

function member(one) {
  const trust = Object.entries(one.trust).map(
    ([name, weight]) => `${topic(name)} ×${weight.toFixed(2)}`,
  );
  const record = one.of
    ? `right ${Number(one.right.toFixed(1))} of ${Number(one.of.toFixed(1))}`
    : "no outcome yet";
  const took = one.councils
    ? `${duration(one.seconds)} and ${Math.round(one.tokens_in + one.tokens_out).toLocaleString("en")} tokens an answer, ${count(one.councils, "answer")}`
    : "";
  return el(
    "li",
    { class: `juror ${one.away ? "away" : "there"}` },
    mark(one.away ? "away" : "right"),
    el(
      "div",
      { class: "who" },
      said(seatName(one.name), "strong"),
      el("span", { class: "perspective" }, one.family || "family unknown"),
    ),
    el("div", { class: "state" }, el("span", { class: "word" }, one.away ? "away" : "there")),
    one.away && said(one.away, "p", { class: "why" }),
    el("p", { class: "hint" }, [record, ...trust, took].filter(Boolean).join(" · ")),
  );
}

function table(caption, heads, rows) {
  return el(
    "div",
    { class: "wide", role: "region", "aria-label": caption, tabindex: "0" },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, caption),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((head) => (head ? el("th", { scope: "col" }, head) : el("td", {}))),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row) =>
          el(
            "tr",
            {},
            row.map((cell) => el("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}

// All councils, the newest first, with a search over their questions.

import { call } from "./api.js";
import { el, fill, said } from "./dom.js";
import { mark } from "./marks.js";
import { ago, brief, exactly } from "./words.js";

const PAGE = 30;
const MOST = 500;
const PAUSE = 200;

/** The list and its search box. `element` is shown; `refresh` reads it anew. */
export class History {
  #words = "";
  #limit = PAGE;
  #current = null;
  #rows = new Map();
  #asked = 0;
  #timer = 0;
  #list = el("ol", { class: "councils" });
  #note = el("p", { class: "hint", "aria-live": "polite" });
  #more = el(
    "button",
    { type: "button", class: "quiet", onclick: () => this.#show(this.#limit + PAGE) },
    "Show older ones",
  );

  constructor() {
    const box = el("input", {
      type: "search",
      id: "words",
      placeholder: "Search the questions",
      "aria-label": "Search the questions",
    });
    box.addEventListener("input", () => {
      this.#words = box.value;
      this.#limit = PAGE;
      this.refresh(PAUSE);
    });
    this.element = el("div", { class: "history" }, box, this.#note, this.#list, this.#more);
    this.#more.hidden = true;
    setInterval(() => this.#tick(), 30_000);
  }

  /** Reads the list again, after so many milliseconds; several calls meanwhile are one. */
  refresh(after = 0) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#read(), after);
  }

  /** Marks one council as the one that is shown. */
  mark(number) {
    this.#current = number;
    for (const [id, row] of this.#rows) current(row.item, id === number);
  }

  #show(limit) {
    this.#limit = Math.min(MOST, limit);
    this.refresh();
  }

  async #read() {
    const asked = ++this.#asked;
    const query = new URLSearchParams({ words: this.#words, limit: this.#limit });
    let councils;
    try {
      ({ councils } = await call("GET", `/v1/councils?${query}`));
    } catch (error) {
      this.onTrouble?.(error);
      return;
    }
    if (asked !== this.#asked) return; // somebody typed on
    const items = councils.map((one) => this.#item(one));
    const shown = new Set(councils.map((one) => one.id));
    for (const id of this.#rows.keys()) if (!shown.has(id)) this.#rows.delete(id);
    if (
      items.length !== this.#list.children.length ||
      items.some((item, n) => item !== this.#list.children[n])
    ) {
      fill(this.#list, items);
    }
    fill(this.#note, note(councils.length, this.#words));
    this.#note.hidden = councils.length > 0 && !this.#words;
    this.#more.hidden = councils.length < this.#limit || this.#limit >= MOST;
  }

  // A row that says the same stays the same element: who stands on it with the keyboard, stays there.
  #item(one) {
    const text = JSON.stringify(one);
    const known = this.#rows.get(one.id);
    if (known?.text === text) return known.item;
    const item = known?.item ?? el("li");
    fill(item, row(one));
    this.#rows.set(one.id, { text, item });
    current(item, one.id === this.#current);
    return item;
  }

  #tick() {
    for (const time of this.#list.querySelectorAll("time"))
      time.textContent = ago(Number(time.dataset.at));
  }
}

function current(item, is) {
  const link = item.querySelector("a");
  if (is) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

function row(one) {
  if (one.problem) {
    return el(
      "a",
      { href: `#/council/${one.id}` },
      mark("damaged"),
      said(brief(one.question, 200), "span", { class: "question" }),
      el("span", { class: "meta" }, "damaged"),
    );
  }
  const state = one.state ?? one.progress;
  const side = one.side && one.side !== one.state && !VOTES.has(one.side) ? one.side : "";
  return el(
    "a",
    { href: `#/council/${one.id}` },
    mark(state),
    said(brief(one.question, 200), "span", { class: "question" }),
    el(
      "span",
      { class: "meta" },
      el("span", { class: `word ${state}` }, WORDS[state] ?? state),
      side && [" ", said(brief(side, 60))],
      " · ",
      el("time", { "data-at": one.asked, title: exactly(one.asked) }, ago(one.asked)),
      one.outcome && el("span", { class: "outcome" }, mark(one.outcome), ` ${one.outcome}`),
    ),
  );
}

const VOTES = new Set(["PASS", "WARN", "FAIL", "DISAGREE", "ABSTAIN"]);
const WORDS = { NEEDS_HUMAN: "needs a human", running: "sitting now" };

function note(found, words) {
  if (found)
    return words
      ? `${found === 1 ? "one question has" : `${found} questions have`} these words`
      : "";
  return words
    ? "No question that a council was asked has these words."
    : "No council was asked yet. Ask the first one.";
}

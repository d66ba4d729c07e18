// The question box: what to judge, and behind a disclosure how, and from which evidence.

import { Away, Refused, SignedOut, call } from "./api.js";
import { el, fill } from "./dom.js";
import { howBox } from "./how.js";
import { refusal } from "./refusal.js";
import { ask } from "./sittings.js";

const KEPT = "hermes.question";
const PLACE = "hermes.repository";

/** Returns the form. `onAsked` is told the number of a council as soon as it has one. */
export async function askBox(onAsked) {
  const [repos, choices] = await Promise.all([
    call("GET", "/v1/repos").then((found) => found.repos),
    call("GET", "/v1/council/choices"),
  ]);
  const question = el("textarea", {
    id: "question",
    name: "question",
    rows: 3,
    maxlength: 100_000,
    placeholder: "Postgres or Mongo for the ledger?",
    "aria-describedby": "question-help",
    spellcheck: "true",
    dir: "auto",
  });
  question.value = sessionStorage.getItem(KEPT) ?? "";
  const place = whereBox(repos);
  const how = howBox(choices, repos);
  const said = el("div", { class: "answered", role: "alert" });
  const step = el("p", { class: "step", "aria-live": "polite" });
  const button = el("button", { type: "submit", class: "primary" }, "Ask the council");
  const form = el(
    "form",
    { class: "ask", "aria-label": "Ask a council" },
    el("h1", {}, el("label", { for: "question" }, "What needs judging?")),
    question,
    el(
      "p",
      { id: "question-help", class: "hint" },
      "A choice, or a yes or no: “is it safe …?”, “should we …?”, “A or B?”",
    ),
    el("div", { class: "row" }, place.box, button, el("kbd", { "aria-hidden": "true" }, keys())),
    how.box,
    step,
    said,
  );
  question.addEventListener("input", () => sessionStorage.setItem(KEPT, question.value));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    fill(said);
    try {
      const body = { question: question.value, ...place.value(), ...(await how.value()) };
      const sitting = await ask(body, (text) => fill(step, `${text} …`));
      sessionStorage.removeItem(KEPT);
      onAsked(sitting.number);
    } catch (error) {
      fill(step);
      fill(said, refusal(told(error), question.value));
      question.focus();
    } finally {
      button.disabled = false;
    }
  });
  return form;
}

/** Keeps a question for the box that is shown next. */
export function prefill(question) {
  sessionStorage.setItem(KEPT, question);
}

function told(error) {
  if (error instanceof Refused) return error;
  if (error instanceof SignedOut)
    return new Refused({
      error: "this page is signed out",
      hint: "run `hermes web` in a terminal",
    });
  if (error instanceof Away)
    return new Refused({
      error: "the daemon can’t be reached",
      hint: "your question is kept here; ask again in a moment",
    });
  throw error;
}

function keys() {
  return navigator.platform.startsWith("Mac") ? "⌘ ↵" : "Ctrl ↵";
}

function whereBox(repos) {
  if (repos.length < 2) {
    return { box: null, value: () => (repos.length ? { repo: repos[0].id } : {}) };
  }
  const choice = el(
    "select",
    { id: "place" },
    el("option", { value: "" }, "all that hermes remembers"),
    repos.map((repo) => el("option", { value: repo.id }, repo.name)),
  );
  const known = localStorage.getItem(PLACE) ?? repos[0].id;
  choice.value = repos.some((repo) => repo.id === known) ? known : "";
  choice.addEventListener("change", () => localStorage.setItem(PLACE, choice.value));
  return {
    box: el("label", { class: "field" }, el("span", {}, "about"), choice),
    value: () => (choice.value ? { repo: choice.value } : {}),
  };
}

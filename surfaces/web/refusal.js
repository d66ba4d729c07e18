// What is shown where something was refused: what is wrong, what to do, and a command to copy.

import { el } from "./dom.js";

/** Returns a note about an error; of a question that wants a fact, the command that looks it up. */
export function refusal(error, question = "") {
  const asks = error.code === "no_judgment";
  return el(
    "div",
    { class: "refusal" },
    el("p", { class: "what" }, sentence(error.message)),
    asks
      ? [
          el("p", {}, "Memory may know it. In a terminal:"),
          command(`hermes ask ${quoted(question.trim().replaceAll(/\s+/g, " "))}`),
        ]
      : error.hint && el("p", {}, sentence(error.hint)),
  );
}

/** Returns a command with a button that copies it. */
export function command(text) {
  const button = el("button", { type: "button", class: "quiet" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Can’t copy: select it";
    }
  });
  return el("p", { class: "command" }, el("code", {}, text), button);
}

// No shell reads anything into what stands in single quotes.
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Reads a verdict aloud with the browser's own voice, where it has one.

import { el } from "./dom.js";
import { percent, seatName } from "./words.js";

const LONGEST = 220;

/** Returns a button that reads the text and stops; it stays hidden until the browser has a voice. */
export function readAloud(text) {
  const speech = window.speechSynthesis;
  const button = el(
    "button",
    { type: "button", class: "quiet aloud", "aria-pressed": "false" },
    "Read aloud",
  );
  button.hidden = true;
  if (!speech) return button;
  const look = () => (button.hidden = speech.getVoices().length === 0);
  look();
  speech.addEventListener?.("voiceschanged", look);
  const over = () => {
    button.setAttribute("aria-pressed", "false");
    button.textContent = "Read aloud";
  };
  button.addEventListener("click", () => {
    const speaking = button.getAttribute("aria-pressed") === "true";
    speech.cancel();
    if (speaking) return over();
    button.setAttribute("aria-pressed", "true");
    button.textContent = "Stop reading";
    const parts = sentences(text);
    parts.forEach((part, place) => {
      const utterance = new SpeechSynthesisUtterance(part);
      utterance.onerror = over;
      if (place === parts.length - 1) utterance.onend = over;
      speech.speak(utterance);
    });
  });
  return button;
}

/** Ends whatever is being read. */
export function hush() {
  window.speechSynthesis?.cancel();
}

/** Returns what is read of a council. */
export function spoken({ question, verdict, opinions }) {
  const { agreement, claimed, probability } = verdict;
  const last = new Map(opinions.map((one) => [one.seat, one]));
  const against = verdict.sides.filter((side) => verdict.dissent.includes(side.label));
  return [
    question,
    `The verdict: ${verdict.words.toLowerCase()}. ${verdict.side && verdict.side !== verdict.vote ? verdict.side : ""}`,
    verdict.decision,
    `${agreement.agreeing} of ${agreement.of} agree.`,
    claimed && `They say they are ${percent(claimed.mean)} sure.`,
    probability
      ? `Verdicts like this were right ${percent(probability.value)} of the time.`
      : "How often such verdicts are right is not known yet.",
    ...against.map(
      (side) =>
        `${side.seats.map(seatName).join(" and ")} would say ${side.label}: ${side.reasons.join("; ")}.`,
    ),
    ...verdict.findings.map(({ finding }) => `A ${finding.severity} finding: ${finding.title}.`),
    against.length === 0 && last.size > 1 ? "Nobody stands against it." : "",
  ]
    .filter(Boolean)
    .join("\n");
}

// Browsers cut long utterances off in the middle: each sentence is one of its own.
function sentences(text) {
  return text
    .split(/\n+|(?<=[.?!;])\s+/)
    .flatMap((part) => part.match(new RegExp(`.{1,${LONGEST}}(?:\\s|$)|\\S+`, "gs")) ?? [])
    .map((part) => part.trim())
    .filter(Boolean);
}

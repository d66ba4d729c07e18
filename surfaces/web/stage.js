// What is said of a council while it sits, to those who look and those who listen.

import { el, said } from "./dom.js";
import { count, seatName } from "./words.js";

/** Returns where it stands: the rounds and why there is another, and what hinders. */
export function staged(sitting) {
  const rounds = sitting.rounds.filter((one) => one.round > 1);
  const settled = [...sitting.seats.values()].some((one) => one.state === "settled");
  const judges = sitting.council?.jury.length;
  return [
    el(
      "p",
      { class: "step" },
      sitting.rounds.length === 0
        ? `${sitting.step} …`
        : judges
          ? `${count(judges, "judge")}, none sees another`
          : "rules alone judge",
    ),
    rounds.map((one) =>
      el(
        "p",
        { class: "round" },
        el("strong", {}, `A debate, round ${one.round - 1}: `),
        said(one.why),
      ),
    ),
    settled &&
      el("p", { class: "round" }, "The rest can’t change who wins, so they are not waited for."),
    sitting.trouble && el("p", { class: "trouble" }, sitting.trouble),
  ];
}

/** Returns what those who do not see the chips are told of a step; empty for most. */
export function heard(event) {
  if (event.type === "heard") return `${seatName(event.seat)}: ${event.vote}`;
  if (event.type === "away") return `${seatName(event.seat)} gave no opinion`;
  if (event.type === "round" && event.round > 1) return `a debate: ${event.why}`;
  return "";
}

/** Returns what they are told at the end. */
export function ended({ id, verdict, progress }) {
  if (!verdict) return `Council ${id} is ${progress}`;
  return `The verdict of council ${id}: ${verdict.words}. ${verdict.decision}`;
}

// Shapes: each state and severity has one of its own, so that colour is never all that tells them apart.

import { draw } from "./dom.js";

const LINES = {
  PASS: ["M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18z", "M8 12.4l2.8 2.8L16 9.6"],
  WARN: ["M12 3.6L21.4 20H2.6z", "M12 10v4.6", "M12 17.2v.2"],
  FAIL: ["M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3z", "M9 9l6 6", "M15 9l-6 6"],
  DISAGREE: ["M10 6L4 12l6 6", "M14 6l6 6l-6 6"],
  NEEDS_HUMAN: [
    "M12 4a3.6 3.6 0 1 1 0 7.2A3.6 3.6 0 0 1 12 4z",
    "M4.6 20.4c.6-4 3.6-6 7.4-6s6.8 2 7.4 6z",
  ],
  ABSTAIN: ["M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18z", "M8 12h8"],
  waiting: ["M6 12h.2", "M12 12h.2", "M18 12h.2"],
  asking: ["M12 3a9 9 0 0 1 9 9"],
  running: ["M12 3a9 9 0 0 1 9 9"],
  away: ["M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18z", "M5.7 18.3L18.3 5.7"],
  settled: ["M5 5v14", "M9 7l8 5l-8 5z"],
  abandoned: ["M5 5h14v14H5z", "M9 12h6"],
  damaged: ["M5 5h14v14H5z", "M12 8.6v4.4", "M12 16v.2"],
  right: ["M5 12.6l4.6 4.6L19 7.4"],
  wrong: ["M6 6l12 12", "M18 6L6 18"],
  mixed: ["M5 9.5c2.4-2.4 4.6-2.4 7 0s4.6 2.4 7 0", "M5 15.5c2.4-2.4 4.6-2.4 7 0s4.6 2.4 7 0"],
  critical: ["M12 3l9 9l-9 9l-9-9z", "M12 8v4.6", "M12 15.6v.2"],
  significant: ["M12 3.6L21.4 20H2.6z"],
  minor: ["M12 5a7 7 0 1 1 0 14a7 7 0 0 1 0-14z"],
  note: ["M12 11a1 1 0 1 1 0 2a1 1 0 0 1 0-2z"],
};

const GLOSSES = {
  PASS: "Go ahead",
  WARN: "Go ahead with care",
  FAIL: "Don’t",
  DISAGREE: "The evidence points both ways",
  ABSTAIN: "No opinion",
};

/** Returns the shape of a state, a vote, a severity or an outcome; the words beside it say the same. */
export function mark(name) {
  const paths = (LINES[name] ?? LINES.ABSTAIN).map((d) => draw("path", { d }));
  return draw("svg", { class: `mark ${name}`, viewBox: "0 0 24 24", "aria-hidden": "true" }, paths);
}

/** Returns what a vote says to do. */
export function gloss(vote) {
  return GLOSSES[vote] ?? vote;
}

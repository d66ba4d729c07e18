// The confidence dial: three rings for three numbers that mean different things, never one for all.

import { draw } from "./dom.js";
import { percent } from "./words.js";

const RINGS = [
  { name: "calibrated", radius: 52 },
  { name: "agreement", radius: 39 },
  { name: "claimed", radius: 28 },
];

/** Returns the dial. Shares are between 0 and 1; null where there is none. */
export function dial(shares) {
  const spoken = RINGS.map(
    ({ name }) => `${name} ${shares[name] === null ? LACKING[name] : percent(shares[name])}`,
  );
  return draw(
    "svg",
    { class: "dial", viewBox: "0 0 128 128", role: "img", "aria-label": spoken.join(", ") },
    RINGS.map((ring) => [
      track(ring, shares[ring.name]),
      shares[ring.name] !== null && arc(ring, shares[ring.name]),
    ]),
    draw(
      "text",
      { x: 64, y: 64, "text-anchor": "middle", "dominant-baseline": "central" },
      shares.calibrated === null ? "?" : percent(shares.calibrated),
    ),
  );
}

const LACKING = { calibrated: "uncalibrated", agreement: "none", claimed: "not said" };

function track({ name, radius }, share) {
  const state = share === null ? "lacking" : "";
  return draw("circle", { class: `track ${name} ${state}`, cx: 64, cy: 64, r: radius });
}

function arc({ name, radius }, share) {
  const round = 2 * Math.PI * radius;
  return draw("circle", {
    class: `arc ${name}`,
    cx: 64,
    cy: 64,
    r: radius,
    transform: "rotate(-90 64 64)",
    "stroke-dasharray": `${round * share} ${round}`,
  });
}

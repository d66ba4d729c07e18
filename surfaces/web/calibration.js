// How what verdicts said came true: a reliability diagram, its numbers, and the same as a table.

import { draw, el } from "./dom.js";
import { count, percent } from "./words.js";

const SIZE = 220;
const EDGE = 34;
const WORDS = {
  agreement: "how many agreed",
  claimed: "how sure they said they were",
  calibrated: "what outcomes had taught by then",
};

/** Returns the section about calibration. */
export function calibration({ outcomes, enough, said }) {
  const shown = said.filter((one) => one.n > 0);
  return el(
    "section",
    { class: "calibration", "aria-labelledby": "calibration" },
    el("h2", { id: "calibration" }, "Did it come true?"),
    el(
      "p",
      { class: "outcomes" },
      el("strong", {}, count(outcomes, "verdict")),
      " with a known outcome. ",
      outcomes < enough
        ? `Until there are ${enough}, a verdict is uncalibrated: nobody knows yet how often such verdicts are right.`
        : "New verdicts say how often such as they were right.",
    ),
    outcomes < enough &&
      el("progress", {
        max: enough,
        value: outcomes,
        "aria-label": "outcomes until verdicts are calibrated",
      }),
    shown.length > 0 && [
      el(
        "div",
        { class: "plot" },
        diagram(shown),
        el("ul", { class: "legend" }, shown.map(legend)),
      ),
      el("details", {}, el("summary", {}, "The same as a table"), shown.map(table)),
    ],
  );
}

function legend({ name, n, brier, error }) {
  return el(
    "li",
    {},
    draw(
      "svg",
      { viewBox: "-8 -8 16 16", class: `point ${name}`, "aria-hidden": "true" },
      point(name, 5),
    ),
    el("strong", {}, name),
    el(
      "span",
      { class: "hint" },
      ` ${WORDS[name] ?? ""}: Brier ${brier.toFixed(3)}, off by ${percent(error)} on average, ${count(n, "verdict")}`,
    ),
  );
}

function diagram(series) {
  const at = (share) => EDGE + share * SIZE;
  const up = (share) => EDGE + (1 - share) * SIZE;
  const whole = SIZE + 2 * EDGE;
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return draw(
    "svg",
    {
      class: "reliability",
      viewBox: `0 0 ${whole} ${whole}`,
      role: "img",
      "aria-label": spoken(series),
    },
    draw("path", { class: "diagonal", d: `M${at(0)} ${up(0)}L${at(1)} ${up(1)}` }),
    draw("path", { class: "axis", d: `M${at(0)} ${up(1)}V${up(0)}H${at(1)}` }),
    ticks.map((tick) => [
      draw("text", { x: at(tick), y: up(0) + 15, "text-anchor": "middle" }, percent(tick)),
      draw("text", { x: at(0) - 5, y: up(tick) + 4, "text-anchor": "end" }, percent(tick)),
    ]),
    draw(
      "text",
      { class: "title", x: at(0.5), y: up(0) + 30, "text-anchor": "middle" },
      "what was said",
    ),
    draw("text", { class: "title", x: at(0), y: up(1) - 12, "text-anchor": "middle" }, "came true"),
    series.map(({ name, rows }) =>
      rows.map((row) => {
        const size = 3 + Math.min(6, Math.sqrt(row.n)); // who rests on more is larger
        return draw(
          "g",
          { class: `point ${name}`, transform: `translate(${at(row.said)} ${up(row.came)})` },
          draw("title", {}, `${name}: ${inWords(row)}`),
          point(name, size),
          draw("text", { x: 0, y: -size - 3, "text-anchor": "middle" }, String(row.n)),
        );
      }),
    ),
  );
}

// Each number has a shape of its own.
function point(name, size) {
  if (name === "agreement") return draw("circle", { r: size });
  if (name === "claimed")
    return draw("path", { d: `M${-size} ${-size}h${2 * size}v${2 * size}h${-2 * size}z` });
  return draw("path", { d: `M0 ${-size * 1.3}L${size * 1.3} 0L0 ${size * 1.3}L${-size * 1.3} 0z` });
}

function inWords(row) {
  return `${percent(row.said)} was said, ${percent(row.came)} came true, of ${count(row.n, "verdict")}`;
}

function spoken(series) {
  return series.map(({ name, rows }) => `${name}: ${rows.map(inWords).join("; ")}`).join(". ");
}

function table({ name, rows }) {
  return el(
    "table",
    {},
    el("caption", {}, name),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ["between", "said", "came true", "verdicts"].map((head) =>
          el("th", { scope: "col" }, head),
        ),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          {},
          el("td", {}, `${percent(row.low)}–${percent(row.high)}`),
          el("td", {}, percent(row.said)),
          el("td", {}, percent(row.came)),
          el("td", {}, row.n),
        ),
      ),
    ),
  );
}

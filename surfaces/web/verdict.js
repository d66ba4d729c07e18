// The head of a verdict: its state in words and as a shape, what it says to do, and three numbers.

import { dial } from "./dial.js";
import { el, said } from "./dom.js";
import { gloss, mark } from "./marks.js";
import { count, percent, seatName } from "./words.js";

/** Returns the state, what carries, and the decision. */
export function head({ verdict, target, summary }) {
  const carries = headline(verdict);
  const words = summary?.text || (verdict.decision !== carries && verdict.decision);
  return el(
    "header",
    { class: `verdict ${verdict.state}` },
    el(
      "p",
      { class: "state-line" },
      mark(verdict.state),
      el("strong", {}, sentence(verdict.words)),
    ),
    carries && said(carries, "p", { class: "carries" }),
    verdict.state === "DISAGREE" &&
      verdict.side &&
      el(
        "p",
        { class: "hint" },
        "Most weight is on ",
        said(verdict.side),
        `, ${percent(verdict.agreement.share)} of it:`,
      ),
    words && said(words, "p", { class: "decision" }),
    summary?.text && el("p", { class: "hint" }, "phrased by ", said(summary.model)),
    target && el("p", { class: "hint" }, "about ", said(target)),
  );
}

function headline({ state, vote, side, sides }) {
  const isVote = side === vote || side === "";
  if (state === "NEEDS_HUMAN") {
    if (vote === "ABSTAIN") return "";
    return isVote ? `All say: ${gloss(vote).toLowerCase()}` : side;
  }
  if (state === "DISAGREE") return `Split: ${sides.map(({ label }) => label).join(" or ")}`;
  return isVote ? gloss(vote) : side;
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the dial, and beside it the three numbers with their names and what each means. */
export function numbers({ verdict }) {
  const { agreement, claimed, probability } = verdict;
  const rows = [
    ["calibrated", "Calibrated", ...calibrated(probability)],
    [
      "agreement",
      "Agreement",
      `${agreement.agreeing} of ${agreement.of}`,
      agreement.of ? `who voted; ${percent(agreement.share)} of the weight` : "nobody voted",
    ],
    [
      "claimed",
      "Claimed",
      claimed ? `${percent(claimed.mean)} sure` : "not said",
      claimed ? `as they say themselves${range(claimed)}` : "nobody says how sure",
    ],
  ];
  return el(
    "div",
    { class: "numbers" },
    dial({
      calibrated: probability ? probability.value : null,
      agreement: agreement.of ? agreement.share : null,
      claimed: claimed ? claimed.mean : null,
    }),
    el(
      "dl",
      {},
      rows.map(([name, title, value, meaning]) =>
        el(
          "div",
          { class: name },
          el("dt", {}, el("span", { class: `swatch ${name}`, "aria-hidden": "true" }), title),
          el("dd", {}, el("strong", {}, value), el("span", { class: "hint" }, meaning)),
        ),
      ),
    ),
  );
}

function calibrated(probability) {
  if (!probability) return ["uncalibrated", "too few verdicts with a known outcome to say"];
  const { value, near, n, topic } = probability;
  const about = topic ? ` on ${topic}` : "";
  if (!near)
    return [
      percent(value),
      `an estimate: of ${count(n, "outcome")}${about} none had about as much support`,
    ];
  return [
    percent(value),
    `of verdicts with as much support were right: ${near} near, of ${count(n, "outcome")}${about}`,
  ];
}

function range({ low, high }) {
  return percent(low) === percent(high) ? "" : `, from ${percent(low)} to ${percent(high)}`;
}

/** Returns the rules that decided, in words. */
export function why({ verdict }) {
  return el(
    "section",
    {},
    el("h3", {}, "Why"),
    el(
      "ul",
      { class: "plain" },
      verdict.why.map((text) => said(text, "li")),
    ),
  );
}

/** Returns who stands against the verdict and why, one click away; of a split all sides, open. */
export function dissent({ verdict }) {
  const split = verdict.state === "DISAGREE";
  const sides = verdict.sides.filter((side) => split || verdict.dissent.includes(side.label));
  if (verdict.vote === "ABSTAIN") return null;
  if (!sides.length) return el("p", { class: "hint" }, "Nobody stands against it.");
  const names = sides.map((side) => side.label).join(", ");
  const heads = sides.flatMap((side) => side.seats).length;
  const summary = split ? `The sides: ${names}` : `Dissent: ${names} (${count(heads, "juror")})`;
  return el(
    "details",
    { class: "dissent", open: split },
    el("summary", {}, said(summary)),
    sides.map((side) =>
      el(
        "div",
        { class: "side" },
        el(
          "h3",
          {},
          said(side.label),
          el(
            "span",
            { class: "hint" },
            ` ${percent(side.share)} of the weight${side.confident ? ", held with high confidence" : ""}`,
          ),
        ),
        el("p", { class: "hint" }, said(side.seats.map(seatName).join(", "))),
        el(
          "ul",
          {},
          side.reasons.map((text) => said(text, "li")),
        ),
      ),
    ),
  );
}

// Each juror as a chip: it turns while a council sits, and tells afterwards who said what and why.

import { el, fill, said } from "./dom.js";
import { gloss, mark } from "./marks.js";
import { count, duration, percent, seat, seatName } from "./words.js";

const OVER = new Set(["spoke", "stands"]);

/** The chips of a council that sits. `show` takes what is known of each seat. */
export class Chips {
  #items = new Map();
  element = el("ul", { class: "jurors", "aria-label": "Jurors" });

  show(seats) {
    for (const one of seats) {
      const known = this.#items.get(one.seat) ?? { item: el("li"), state: "" };
      const turned = known.state !== "" && known.state !== one.state && OVER.has(one.state);
      known.item.className = `juror ${one.state}${turned ? " turned" : ""}`;
      known.state = one.state;
      known.since = one.since;
      fill(known.item, live(one));
      if (!this.#items.has(one.seat)) this.element.append(known.item);
      this.#items.set(one.seat, known);
    }
    this.tick();
  }

  /** Says how long each has been at it. */
  tick() {
    for (const { item, since } of this.#items.values()) {
      const time = item.querySelector(".elapsed");
      const seconds = Math.floor((Date.now() - since) / 1000);
      if (time) time.textContent = seconds > 0 ? `${seconds} s` : "";
    }
  }
}

function live(one) {
  const last = one.heard.at(-1);
  const spoke = OVER.has(one.state) && last;
  const shape = spoke ? last.vote : one.state;
  return [
    mark(shape),
    who(one.seat, [
      one.inPlaceOf && badge(`in place of ${seatName(one.inPlaceOf)}`),
      one.heard.length > 1 && one.heard[0].vote !== last.vote && badge("⇄ changed", "changed"),
    ]),
    el("div", { class: "state" }, spoke ? spoken(last, "") : standing(one)),
    one.state === "asking" && one.tries.map((what) => el("p", { class: "try" }, `${what}`)),
    spoke && reason(last),
    (one.state === "away" || one.state === "stands") && el("p", { class: "why" }, why(one)),
  ];
}

function standing(one) {
  const words = {
    waiting: "waits",
    asking: one.round > 1 ? "thinks again" : "is asked",
    settled: "not waited for",
    away: "away",
  };
  return [
    el("span", { class: "word" }, words[one.state] ?? one.state),
    one.state === "asking" && el("span", { class: "elapsed", "aria-hidden": "true" }),
  ];
}

function why({ why: text, replacedBy }) {
  return replacedBy ? `${text}; ${seatName(replacedBy)} takes the seat` : text;
}

/** Returns who said what in a council that is over, each with all that it said behind a disclosure. */
export function whoSaidWhat(council) {
  const verdict = council.verdict ?? { weights: {}, absent: [], shifts: [] };
  const bySeat = Map.groupBy(council.opinions, (one) => one.seat);
  const items = [];
  for (const [name, opinions] of bySeat) {
    const last = opinions.at(-1);
    if (last.vote === "ABSTAIN" && last.juror.provider === "rule") continue; // told among what is not counted
    const shifts = verdict.shifts.filter((one) => one.seat === name);
    items.push(juror(name, opinions, shifts, verdict));
  }
  for (const one of verdict.absent) {
    const { provider, model, perspective } = one.juror;
    const name = `${provider}:${model}${perspective ? `/${perspective}` : ""}`;
    items.push(
      el(
        "li",
        { class: "juror away" },
        mark("away"),
        who(name, []),
        el("div", { class: "state" }, el("span", { class: "word" }, "away")),
        el("p", { class: "why" }, why({ why: one.why, replacedBy: one.replaced_by })),
      ),
    );
  }
  return el("ul", { class: "jurors" }, items);
}

function juror(name, opinions, shifts, verdict) {
  const last = opinions.at(-1);
  const weight = verdict.weights[`${last.juror.provider}:${last.juror.model}`];
  const counts =
    weight && Math.abs(weight.value - 1) >= 0.05
      ? `counts ×${Number(weight.value.toPrecision(2))}`
      : "";
  const replaced = verdict.absent.find((one) => one.replaced_by === name);
  const tags = [
    replaced && badge("took a seat"),
    shifts.length > 0 && badge("⇄ changed", "changed"),
    shifts.some((one) => !one.reason) && badge("conformity", "conformity"),
    last.juror.provider === "rule" && badge("a rule, no model"),
  ];
  return el(
    "li",
    { class: "juror spoke" },
    mark(last.vote),
    who(name, tags),
    el("div", { class: "state" }, spoken(last, counts)),
    reason(last),
    shifts.map((one) => shift(one, last)),
    el(
      "details",
      { class: "all" },
      el("summary", {}, "All it said"),
      opinions.map((one) => whole(one, opinions.length > 1)),
      weight?.basis &&
        el(
          "p",
          { class: "hint" },
          `counts ×${Number(weight.value.toPrecision(2))}: ${weight.basis}`,
        ),
    ),
  );
}

function who(name, tags) {
  const { name: model, perspective } = seat(name);
  return el(
    "div",
    { class: "who" },
    said(model, "strong"),
    perspective && el("span", { class: "perspective" }, perspective),
    tags,
  );
}

function badge(text, kind = "") {
  return el("span", { class: `badge ${kind}` }, text);
}

function spoken(one, counts) {
  return [
    el("span", { class: `word ${one.vote}`, title: gloss(one.vote) }, one.vote),
    one.vote !== "ABSTAIN" && el("span", { class: "sure" }, `${percent(one.confidence)} sure`),
    counts && el("span", { class: "counts" }, counts),
    one.seconds >= 0.1 && el("span", { class: "took" }, duration(one.seconds)),
  ];
}

function reason(one) {
  const text = (one.insight || one.reasons?.[0] || "").replace(/^by rule: /, "");
  const position = one.position.trim();
  const plain = ["", one.vote.toLowerCase(), text.toLowerCase()].includes(position.toLowerCase());
  if (plain && !text) return null;
  return el(
    "p",
    { class: "reason" },
    !plain && said(`“${position}”`, "q"),
    !plain && text && " ",
    text && said(text),
  );
}

function shift(one, last) {
  const [before, after] = [one.side_before || one.before, one.side_after || one.after];
  const change = before === after ? `holds ${after}, gives up a finding` : `${before} → ${after}`;
  if (!one.reason)
    return el(
      "p",
      { class: "shift" },
      said(`⇄ ${change}`, "strong"),
      " without a new reason: that is conformity, and counts half from then on",
    );
  if (one.reason === last.insight)
    return el(
      "p",
      { class: "shift" },
      said(`⇄ ${change}`, "strong"),
      " for this reason, which it had not given before",
    );
  return el("p", { class: "shift" }, said(`⇄ ${change}`, "strong"), ": ", said(one.reason));
}

function whole(one, rounds) {
  const list = (title, texts) =>
    texts.length > 0 && [
      el("h4", {}, title),
      el(
        "ul",
        {},
        texts.map((text) => said(text, "li")),
      ),
    ];
  return el(
    "div",
    { class: "opinion" },
    rounds &&
      el(
        "h4",
        { class: "round" },
        one.round === 1 ? "First, by itself" : `Debate, round ${one.round - 1}`,
        ` – ${one.vote}, ${percent(one.confidence)} sure`,
      ),
    one.position && el("p", {}, "Position: ", said(one.position)),
    one.insight && el("p", {}, "Decides it: ", said(one.insight)),
    list("Reasons", one.reasons),
    one.decision && el("p", {}, "Recommends: ", said(one.decision)),
    list(
      "Findings",
      one.findings.map((each) => `${each.severity}: ${each.title}`),
    ),
    list("Would have helped", one.missing),
    el(
      "p",
      { class: "hint" },
      [
        duration(one.seconds),
        one.tokens_in > 0 &&
          `${count(one.tokens_in, "token")} in, ${one.tokens_out.toLocaleString("en")} out`,
      ]
        .filter(Boolean)
        .join(" · "),
    ),
  );
}

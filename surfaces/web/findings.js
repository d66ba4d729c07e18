// What jurors found, by severity; what was missing; and what the council was shown.

import { el, said } from "./dom.js";
import { mark } from "./marks.js";
import { count, listing, seatName } from "./words.js";

const NAMED = 5;
/** All rules as one juror beside models. */
const CHECKS = "rule:checks";

/** Returns all findings, the most severe first. One of a minority is shown like all others. */
export function findings({ verdict }) {
  if (!verdict.findings.length) return null;
  const against = new Set(
    verdict.sides
      .filter((side) => verdict.dissent.includes(side.label))
      .flatMap((side) => side.seats),
  );
  const few = (raised) =>
    verdict.state !== "DISAGREE" &&
    raised.seats.length > 0 &&
    raised.seats.every((name) => against.has(name));
  return section(
    `Findings (${verdict.findings.length})`,
    el(
      "ul",
      { class: "findings" },
      verdict.findings.map((raised) => finding(raised, few(raised))),
    ),
  );
}

function finding(
  { finding: { title, severity, evidence, recommendation }, seats, withdrawn },
  minority,
) {
  return el(
    "li",
    { class: `finding ${severity}` },
    el(
      "p",
      { class: "what" },
      mark(severity),
      el("strong", { class: "severity" }, severity),
      " ",
      said(title),
      minority && el("span", { class: "badge" }, "minority"),
    ),
    recommendation && el("p", { class: "recommended" }, "→ ", said(recommendation)),
    withdrawn &&
      el("p", { class: "shift" }, "Given up in the debate without a new reason, so it stands."),
    el(
      "p",
      { class: "hint" },
      evidence.length > 0
        ? evidence.map((ref, place) => [place > 0 && " ", reference(ref)])
        : el("span", { class: "uncited" }, "no evidence cited"),
      seats.length > 0 && [" · ", said(seats.map(seatName).join(", "))],
    ),
  );
}

/** Returns what jurors would have wanted to see. */
export function missing({ verdict }) {
  return (
    verdict.missing.length > 0 &&
    section(
      "Missing evidence",
      el(
        "ul",
        {},
        verdict.missing.map((text) => said(text, "li")),
      ),
    )
  );
}

/** Returns whose answers do not count, and why. */
export function notCounted({ verdict, opinions }) {
  const rules = verdict.abstained.filter((name) => name.startsWith("rule:"));
  const silent = rules.filter((name) => name !== CHECKS);
  const checks = rules.includes(CHECKS) && opinions.find((one) => one.seat === CHECKS);
  const texts = [
    ...verdict.duplicates,
    ...(checks ? [`rules, which have no vote here: ${checks.insight.replace(/^by rule: /, "")}`] : []),
    ...(silent.length
      ? [
          `${count(silent.length, "rule")} had nothing to say to this (${silent.map((name) => name.slice(5)).join(", ")})`,
        ]
      : []),
    ...(verdict.undecided.length
      ? [`${listing(verdict.undecided.map(seatName))}: the position could not be told`]
      : []),
  ];
  return (
    texts.length > 0 &&
    section(
      "Not counted",
      el(
        "ul",
        {},
        texts.map((text) => said(text, "li")),
      ),
    )
  );
}

/** Returns what a person should know before trusting it: what leaves, what was left out. */
export function notices({ notices: told, left_out: out }) {
  if (!told.length && !out.length) return null;
  const cut = out.map((text) => said(`left out for length: ${text}`, "li"));
  return el(
    "div",
    { class: "notices" },
    el(
      "ul",
      {},
      told.map((text) => said(text, "li")),
      cut.slice(0, NAMED),
    ),
    cut.length > NAMED &&
      el(
        "details",
        {},
        el("summary", {}, `and ${cut.length - NAMED} more left out`),
        el("ul", {}, cut.slice(NAMED)),
      ),
  );
}

/** Returns the evidence of the packet, behind a disclosure. */
export function evidence({ evidence: pieces, touched, prior }) {
  const parts = [
    pieces.length && count(pieces.length, "piece", "pieces"),
    touched.length && count(touched.length, "changed file"),
    prior.length && `${count(prior.length, "thing")} of the past`,
  ].filter(Boolean);
  if (!parts.length)
    return el("p", { class: "hint" }, "Judged from the question alone: memory held nothing on it.");
  return el(
    "details",
    { class: "evidence" },
    el("summary", {}, `Judged from ${listing(parts)}`),
    prior.length > 0 && [el("h4", {}, "Of the past"), el("ul", {}, prior.map(past))],
    touched.length > 0 && [
      el("h4", {}, "Changed files"),
      el(
        "ul",
        {},
        touched.map((one) =>
          el("li", {}, said(one.path, "code"), ` ${one.kind}, +${one.added} −${one.removed}`),
        ),
      ),
    ],
    pieces.length > 0 && [
      el("h4", {}, "Evidence"),
      el(
        "ul",
        {},
        pieces.map((one) =>
          el(
            "li",
            {},
            `${one.kind} `,
            said(one.ref, "code"),
            el("span", { class: "hint" }, ` ${count(one.characters, "character")}`),
          ),
        ),
      ),
    ],
  );
}

function past({ kind, ref, at, title }) {
  return el("li", {}, `${kind} `, reference(ref), at && ` of ${at}`, ": ", said(title));
}

/** Returns what is cited; an earlier council can be gone to. */
function reference(ref) {
  const number = /^council (\d{1,15})$/.exec(ref)?.[1];
  return number ? el("a", { href: `#/council/${number}` }, ref) : said(ref, "code");
}

/** Returns a part of a council under its heading. */
export function section(title, ...children) {
  return el("section", {}, el("h3", {}, title), ...children);
}

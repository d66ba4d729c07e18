// One change of a weight that past dissents suggest, with its evidence; a person approves or dismisses it.

import { call } from "./api.js";
import { announce, el, fill, said } from "./dom.js";
import { mark } from "./marks.js";
import { refusal } from "./refusal.js";

/** Returns the card. `onChange` is told when weights are others. */
export async function reflectCard(onChange) {
  const body = el("div", {});
  const card = el(
    "section",
    { class: "card reflect", "aria-labelledby": "reflect" },
    el("h2", { id: "reflect", tabindex: "-1" }, "What dissents suggest"),
    body,
  );

  async function look() {
    const { proposal, why, hint } = await call("POST", "/v1/council/reflect");
    if (proposal) fill(body, proposed(proposal, answer));
    else
      fill(
        body,
        el("p", {}, `Nothing to propose: ${why}.`),
        hint && said(hint, "p", { class: "hint" }),
      );
  }

  async function answer(number, way) {
    try {
      const found = await call("POST", `/v1/council/proposals/${number}/${way}`);
      const text =
        way === "approve" ? `Approved: ${found.text}.` : "Dismissed: weights stay as they are.";
      await look();
      body.prepend(el("p", { class: "noted" }, text));
      announce(text);
      card.querySelector("h2").focus();
      onChange();
    } catch (error) {
      body.append(refusal(error));
    }
  }

  await look();
  return card;
}

function proposed({ id, text, evidence }, answer) {
  return [
    said(text, "p", { class: "carries" }),
    el(
      "ul",
      { class: "plain" },
      evidence.map((one) =>
        el(
          "li",
          {},
          mark(one.right ? "right" : "wrong"),
          el("a", { href: `#/council/${one.council}` }, `council ${one.council}`),
          one.right ? ", it was right: " : ", it was wrong: ",
          said(one.reason),
        ),
      ),
    ),
    el(
      "div",
      { class: "row" },
      el(
        "button",
        { type: "button", class: "primary", onclick: () => answer(id, "approve") },
        "Approve",
      ),
      el("button", { type: "button", onclick: () => answer(id, "dismiss") }, "Dismiss"),
    ),
  ];
}

// Where a council is asked: the question box, and who would judge.

import { call } from "./api.js";
import { askBox } from "./ask.js";
import { el, fill } from "./dom.js";
import { count, listing, seatName } from "./words.js";

/** The view. It has the shape of all views: `open`, `close`, `refresh`. */
export class AskView {
  element = el("article", { class: "home" });

  async open() {
    const jury = el("p", { class: "hint" });
    this.element.append(await askBox((number) => (location.hash = `#/council/${number}`)), jury);
    if (!matchMedia("(pointer: coarse)").matches) this.element.querySelector("textarea").focus();
    const { jurors } = await call("GET", "/v1/council/jurors");
    fill(jury, sits(jurors));
  }

  close() {}

  async refresh() {}
}

function sits(jurors) {
  const there = jurors.filter((one) => !one.away);
  const more = el("a", { href: "#/council/record" }, "who may sit");
  if (!there.length)
    return ["No model can be asked now: rules alone judge, and say so (", more, ")."];
  const away = jurors.length - there.length;
  return [
    `Judges: ${listing(there.map((one) => seatName(one.name)))}${away ? `; ${count(away, "juror")} away` : ""} (`,
    more,
    ").",
  ];
}

// The track record: what dissents suggest, how verdicts came true, who counts how much, who may sit.

import { call } from "./api.js";
import { calibration } from "./calibration.js";
import { el, fill } from "./dom.js";
import { reflectCard } from "./reflect.js";
import { pool, weightsSection } from "./weights.js";

/** The view. It has the shape of all views: `open`, `close`, `refresh`. */
export class RecordView {
  element = el("article", { class: "record" }, el("h1", {}, "Track record"));
  #parts = { reflect: el("div"), calibration: el("div"), weights: el("div"), pool: el("div") };
  #seen = "";

  async open() {
    this.element.append(
      el(
        "p",
        { class: "lead" },
        "Outcomes teach what voting can’t: who tends to be right, and how far a verdict can be trusted.",
      ),
      ...Object.values(this.#parts),
    );
    await this.#read();
    const card = await reflectCard(() => this.#read());
    fill(this.#parts.reflect, card);
  }

  close() {}

  async refresh() {
    await this.#read();
  }

  async #read() {
    const [told, found, { jurors }] = await Promise.all([
      call("GET", "/v1/council/calibration"),
      call("GET", "/v1/council/weights"),
      call("GET", "/v1/council/jurors"),
    ]);
    const seen = JSON.stringify([told, found, jurors]);
    if (seen === this.#seen) return; // whoever stands in a form is not disturbed
    this.#seen = seen;
    fill(this.#parts.calibration, calibration(told));
    fill(
      this.#parts.weights,
      weightsSection(found, jurors, () => this.#changed()),
    );
    fill(this.#parts.pool, pool(jurors));
  }

  async #changed() {
    await this.#read();
    this.#parts.weights.querySelector("h2").focus();
  }
}

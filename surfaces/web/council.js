// One council: while it sits, its jurors and rounds as they come; then its verdict card.

import { Refused, call } from "./api.js";
import { prefill } from "./ask.js";
import { announce, el, fill, said } from "./dom.js";
import { evidence, findings, missing, notCounted, notices, section } from "./findings.js";
import { Chips, whoSaidWhat } from "./jurors.js";
import { outcomePanel, replayButton } from "./outcome.js";
import { command, refusal } from "./refusal.js";
import { follow } from "./sittings.js";
import { hush, readAloud, spoken } from "./speech.js";
import { ended, heard, staged } from "./stage.js";
import { dissent, head, numbers, why } from "./verdict.js";
import { ago, brief, count, duration, exactly, seatName } from "./words.js";

const LONG = 110;
const SHORT = 240;

/** The view of one council. `open` fills it, `close` lets go of it, `refresh` looks again. */
export class CouncilView {
  #title = el("div");
  #body = el("div", { class: "body" });
  element = el("article", { class: "council" }, this.#title, this.#body);
  #number;
  #sitting = null;
  #outcome = null;
  #onChange;
  #ending = new AbortController();

  constructor(number, onChange) {
    this.#number = number;
    this.#onChange = onChange;
  }

  /** Reads the council; one that sits is followed. Throws what the API throws, but for Refused. */
  async open() {
    let council;
    try {
      ({ council } = await call("GET", `/v1/councils/${this.#number}`));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fill(this.#title, el("h1", {}, `Council ${this.#number}`));
      fill(
        this.#body,
        refusal(error),
        el("p", {}, el("a", { href: "#/council" }, "Ask a council")),
      );
      return;
    }
    if (this.#ending.signal.aborted) return;
    // Filled once: the heading keeps the focus when the verdict comes.
    fill(this.#title, title(council));
    if (council.progress === "running") this.#follow(council);
    else this.#card(council);
  }

  close() {
    hush();
    this.#ending.abort();
  }

  /** Looks whether something was said elsewhere: how it turned out, or that it goes on. */
  async refresh() {
    if (this.#sitting) return;
    const { council } = await call("GET", `/v1/councils/${this.#number}`);
    this.#outcome?.take(council);
  }

  #follow(council) {
    const sitting = follow(this.#number);
    sitting.council ??= council;
    this.#sitting = sitting;
    document.title = `sitting: ${brief(council.question, 60)} – hermes`;
    const chips = new Chips();
    const stage = el("div", { class: "stage" });
    fill(
      this.#body,
      meta(council),
      notices(council),
      stage,
      el("h2", { class: "unseen" }, "Jurors"),
      chips.element,
    );
    const show = () => {
      fill(stage, staged(sitting));
      chips.show(sitting.seats.values());
    };
    show();
    const clock = setInterval(() => chips.tick(), 1_000);
    const until = { signal: this.#ending.signal };
    sitting.addEventListener(
      "step",
      ({ detail }) => {
        show();
        const told = heard(detail);
        if (told) announce(told);
      },
      until,
    );
    sitting.addEventListener(
      "done",
      () => {
        clearInterval(clock);
        this.#sitting = null;
        this.#card(sitting.council);
        announce(ended(sitting.council));
        this.#onChange();
      },
      until,
    );
    this.#ending.signal.addEventListener("abort", () => clearInterval(clock));
  }

  #card(council) {
    const { verdict } = council;
    document.title = `${verdict ? verdict.words : council.progress}: ${brief(council.question, 60)} – hermes`;
    if (!verdict) {
      fill(this.#body, meta(council), withoutVerdict(council));
      return;
    }
    const replayed = el("div", { "aria-live": "polite" });
    this.#outcome = verdict.vote === "ABSTAIN" ? null : outcomePanel(council, this.#onChange);
    fill(
      this.#body,
      meta(council),
      el(
        "div",
        { class: "card" },
        el("h2", { class: "unseen" }, "Verdict"),
        head(council),
        verdict.vote === "ABSTAIN" ? nobody(council) : numbers(council),
        dissent(council),
      ),
      notices(council),
      spoke(council) && section("Who said what", debated(council), whoSaidWhat(council)),
      why(council),
      findings(council),
      missing(council),
      notCounted(council),
      this.#outcome?.element,
      section(
        "Evidence and cost",
        evidence(council),
        el("p", { class: "hint cost" }, cost(council)),
        council.report && el("p", { class: "hint" }, "report: ", said(council.report, "code")),
      ),
      el(
        "div",
        { class: "row" },
        readAloud(spoken(council)),
        replayButton(council.id, replayed),
        copyButton(council),
        askAgain(council),
      ),
      replayed,
    );
  }
}

function title({ question }) {
  const short = brief(question, SHORT);
  const whole = question.trim().replaceAll(/\s+/g, " ");
  return [
    said(short, "h1", { class: short.length > LONG ? "long" : "" }),
    whole !== short &&
      el(
        "details",
        { class: "whole" },
        el("summary", {}, `The whole question, ${count(question.length, "character")}`),
        said(question, "div", { class: "text" }),
      ),
  ];
}

function meta({ id, mode, preset, asked }) {
  return el(
    "p",
    { class: "hint" },
    `Council ${id} · ${mode} · ${preset} · `,
    el("time", { title: exactly(asked) }, ago(asked)),
  );
}

function debated({ rounds, verdict }) {
  if (rounds < 2) return null;
  const changed = new Set(verdict.shifts.map((one) => one.seat)).size;
  return el(
    "p",
    { class: "hint" },
    `${count(rounds - 1, "round")} of debate: ${changed ? `${count(changed, "juror")} changed` : "nobody changed"}.`,
  );
}

function spoke({ opinions, verdict }) {
  return opinions.some((one) => one.vote !== "ABSTAIN") || (verdict?.absent.length ?? 0) > 0;
}

function withoutVerdict(council) {
  return [
    el(
      "div",
      { class: "refusal" },
      el(
        "p",
        { class: "what" },
        "It was abandoned: whoever held it was stopped, so there is no verdict.",
      ),
      el(
        "p",
        {},
        spoke(council) ? "What was said until then is kept below." : "Nobody had spoken yet.",
      ),
    ),
    el("div", { class: "row" }, askAgain(council)),
    spoke(council) && section("Who said what", whoSaidWhat(council)),
  ];
}

function nobody({ question }) {
  return el(
    "div",
    {},
    el(
      "p",
      {},
      "No juror could judge it. The track record says who may sit and why they are away; more evidence helps rules too. What memory holds on it:",
    ),
    command(`hermes ask '${brief(question, 200).replaceAll("'", "'\\''")}'`),
  );
}

function askAgain({ question }) {
  return el(
    "button",
    {
      type: "button",
      class: "quiet",
      onclick: () => {
        prefill(question);
        location.hash = "#/council";
      },
    },
    "Ask it again",
  );
}

function copyButton({ markdown }) {
  const button = el("button", { type: "button", class: "quiet" }, "Copy as Markdown");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(markdown);
    button.textContent = "Copied";
    announce("copied");
  });
  return button;
}

function cost(council) {
  const { models, tokens_in: read, tokens_out: written, seconds } = council.cost;
  return [
    council.mode,
    council.preset,
    models.length ? models.map(seatName).join(", ") : "by rules, without a model",
    models.length
      ? `${read.toLocaleString("en")} tokens in, ${written.toLocaleString("en")} out`
      : "",
    duration(seconds),
    `rules ${council.verdict.rules}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

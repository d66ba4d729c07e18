// Councils that sit: how far each of them is, kept from the steps that the daemon streams.

import { Away, Refused, SignedOut, stream } from "./api.js";

const SOONEST = 1_000;
const LATEST = 8_000;

/** One council while it sits. `seats` has, in their order, who was asked and what became of it. */
export class Sitting extends EventTarget {
  number = null;
  council = null;
  step = "gathering evidence";
  rounds = [];
  seats = new Map();
  trouble = "";
  done = false;

  /** Takes one step, and tells whoever looks (an event `step`; at the end `done`). */
  take(event) {
    STEPS[event.type]?.call(this, event);
    this.trouble = "";
    this.dispatchEvent(new CustomEvent(this.done ? "done" : "step", { detail: event }));
  }

  /** Says that it can't be followed right now. */
  lost(why) {
    this.trouble = why;
    this.dispatchEvent(new CustomEvent("step", { detail: { type: "trouble" } }));
  }

  /** Begins anew: a stream tells all from the beginning. */
  reset() {
    this.rounds = [];
    this.seats = new Map();
  }

  change(name, more) {
    const known = this.seats.get(name) ?? { seat: name, state: "waiting", tries: [], heard: [] };
    this.seats.set(name, { ...known, since: Date.now(), ...more });
  }
}

const STEPS = {
  step(event) {
    this.step = event.text;
  },
  numbered(event) {
    this.number = event.id;
    this.step = "giving seats";
  },
  opened(event) {
    this.council = event.council;
    for (const juror of event.council.jury) this.change(juror.seat, {});
  },
  round(event) {
    this.rounds.push({ round: event.round, why: event.why });
    for (const name of event.seats) {
      if (this.seats.get(name)?.state !== "asking") this.change(name, { state: "waiting" });
    }
  },
  asking(event) {
    this.change(event.seat, { state: "asking", round: event.round, tries: [] });
  },
  trying(event) {
    const tries = [...(this.seats.get(event.seat)?.tries ?? []), event.what];
    this.change(event.seat, { state: "asking", round: event.round, tries });
  },
  heard(event) {
    const before = this.seats.get(event.seat)?.heard ?? [];
    this.change(event.seat, { state: "spoke", round: event.round, heard: [...before, event] });
  },
  away(event) {
    const held = this.seats.get(event.seat)?.heard.length > 0;
    this.change(event.seat, {
      state: held ? "stands" : "away",
      round: event.round,
      why: event.why,
      replacedBy: event.replaced_by,
    });
    if (event.replaced_by) this.change(event.replaced_by, { inPlaceOf: event.seat });
  },
  settled(event) {
    for (const name of event.seats) this.change(name, { state: "settled", round: event.round });
  },
  done(event) {
    this.council = event.council;
    this.done = true;
  },
};

const sittings = new Map();

/**
 * Asks a council. Returns the sitting as soon as it has a number; it is followed from then on. Throws
 * Refused, Away or SignedOut where none came about.
 */
export async function ask(body, onStep) {
  const sitting = new Sitting();
  // Hanging up before the council has its job would end it: the stream is read on.
  const events = stream("POST", "/v1/councils", body);
  while (sitting.number === null) {
    const { value, done } = await events.next();
    if (done) throw new Away("the answer broke off");
    sitting.take(value);
    onStep(sitting.step);
  }
  sittings.set(sitting.number, sitting);
  drive(sitting, events);
  return sitting;
}

/** Returns a council that sits, from its beginning; it is followed until it is over. */
export function follow(number) {
  const known = sittings.get(number);
  if (known && !known.done) return known;
  const sitting = new Sitting();
  sitting.number = number;
  sitting.step = "taking seats";
  sittings.set(number, sitting);
  drive(sitting, watched(number));
  return sitting;
}

/** Reads the steps to the end, over restarts of the daemon. */
async function drive(sitting, events) {
  let wait = SOONEST;
  while (!sitting.done) {
    try {
      for await (const event of events) {
        sitting.take(event);
        wait = SOONEST;
      }
    } catch (error) {
      if (error instanceof SignedOut) break; // it is followed anew once the browser is let in
      if (error.code === "no_such_id") return sitting.lost("it was forgotten");
      if (!(error instanceof Away || error instanceof Refused)) throw error;
      sitting.lost(error instanceof Refused ? error.message : "the daemon is away");
    }
    if (sitting.done) break;
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(LATEST, wait * 1.5);
    events = anew(sitting);
  }
  if (sittings.get(sitting.number) === sitting) sittings.delete(sitting.number);
}

async function* anew(sitting) {
  let first = true;
  for await (const event of watched(sitting.number)) {
    if (first) sitting.reset();
    first = false;
    yield event;
  }
}

function watched(number) {
  return stream("GET", `/v1/councils/${number}/watch`);
}

// Follows the daemon's journal: what happens elsewhere is seen here, and a daemon that went away is
// noticed, and found again. Numbers of the journal only grow, so nothing is missed in between.

import { Away, SignedOut, call } from "./api.js";

const TOPICS = ["job", "council"];
const SOONEST = 300;
const LATEST = 8_000;

/** What is known of the daemon: `live`, `away`, or `out` (this browser is signed out). */
export class Journal {
  state = "live";
  #newest = null;
  #source = null;
  #timer = 0;
  #wait = SOONEST;
  #onEntry;
  #onState;

  /** Has `onEntry` told of each entry, and `onState` of each change of what is known. */
  constructor(onEntry, onState) {
    this.#onEntry = onEntry;
    this.#onState = onState;
  }

  /** Begins, and rests while nobody looks: a browser has few connections to one place. */
  begin() {
    document.addEventListener("visibilitychange", () => this.#turn());
    // A page that comes back by the back button must not show what it knew then.
    window.addEventListener("pageshow", (event) => event.persisted && this.#turn());
    this.#turn();
  }

  /** Is told by others that the daemon did not answer; finds out which of the two it is. */
  doubt(error) {
    if (error instanceof SignedOut) this.#say("out");
    else if (error instanceof Away && this.state === "live") this.#lost();
  }

  #turn() {
    clearTimeout(this.#timer);
    this.#close();
    if (document.visibilityState === "visible") this.#look();
  }

  async #look() {
    try {
      // A signed out browser can't be told from a broken stream by EventSource: we ask first.
      const { newest } = await call("GET", "/v1/journal?limit=1");
      this.#newest = Math.min(this.#newest ?? newest, newest);
    } catch (error) {
      this.#say(error instanceof SignedOut ? "out" : "away");
      this.#later();
      return;
    }
    if (document.visibilityState !== "visible") return; // it was left meanwhile
    this.#follow();
    this.#say("live");
  }

  #follow() {
    const query = new URLSearchParams([
      ["after", this.#newest],
      ...TOPICS.map((topic) => ["topic", topic]),
    ]);
    this.#close();
    const source = new EventSource(`/v1/journal/follow?${query}`);
    for (const topic of TOPICS) source.addEventListener(topic, (event) => this.#heard(event));
    source.addEventListener("gap", () => this.#onEntry({ topic: "gap", fields: {} }));
    source.addEventListener("open", () => (this.#wait = SOONEST));
    source.addEventListener("error", () => source === this.#source && this.#lost());
    this.#source = source;
  }

  #heard(event) {
    const entry = JSON.parse(event.data);
    this.#newest = entry.number;
    this.#onEntry(entry);
  }

  #lost() {
    this.#close();
    this.#later();
  }

  #later() {
    if (document.visibilityState !== "visible") return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), this.#wait);
    this.#wait = Math.min(LATEST, this.#wait * 1.5);
  }

  #close() {
    this.#source?.close();
    this.#source = null;
  }

  #say(state) {
    if (state === this.state) return;
    const before = this.state;
    this.state = state;
    this.#onState(state, before);
  }
}

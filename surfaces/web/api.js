// The daemon's API: one answer, or a stream of objects as they come. Nothing else is ever contacted.

/** The daemon said no, in words for a person: what is wrong, and what to do. */
export class Refused extends Error {
  constructor({ error, hint = "", code = "" }) {
    super(error);
    this.hint = hint;
    this.code = code;
  }
}

/** The daemon can't be reached: it is down, restarts, or the connection broke. */
export class Away extends Error {}

/** The daemon does not know this browser, or no longer. */
export class SignedOut extends Error {}

/** Sends one request; returns the object it is answered with. Throws Refused, Away, SignedOut. */
export async function call(method, path, body) {
  const answer = await sent(method, path, body);
  try {
    return await answer.json();
  } catch {
    throw new Away("the answer broke off");
  }
}

/**
 * Sends one request; yields each object of its answer as it comes. An object of type `error` is thrown
 * as Refused. Ends after the last object; throws Away where the answer breaks off before it.
 */
export async function* stream(method, path, body, signal) {
  const answer = await sent(method, path, body, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  let last = "";
  try {
    for (;;) {
      const { value, done } = await read(reader);
      if (done) break;
      const lines = (held + value).split("\n");
      held = lines.pop();
      for (const line of lines) {
        const event = JSON.parse(line);
        if (event.type === "error") throw new Refused(event);
        last = event.type;
        yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  if (last !== "done") throw new Away("the answer broke off");
}

async function read(reader) {
  try {
    return await reader.read();
  } catch (error) {
    throw new Away(error.message);
  }
}

async function sent(method, path, body, signal) {
  const asked = { method, signal, cache: "no-store", credentials: "same-origin" };
  if (method !== "GET") {
    asked.headers = { "content-type": "application/json" };
    asked.body = JSON.stringify(body ?? {});
  }
  let answer;
  try {
    answer = await fetch(path, asked);
  } catch (error) {
    throw new Away(error.message);
  }
  if (answer.ok) return answer;
  if (answer.status === 401) throw new SignedOut("signed out");
  throw await problem(answer);
}

async function problem(answer) {
  try {
    const found = await answer.json();
    if (typeof found.error === "string") return new Refused(found);
  } catch {
    // not our daemon's words
  }
  return new Away(`the answer was ${answer.status}`);
}

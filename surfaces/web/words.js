// Numbers, times and names as people read them; the same as on the command line.

/** Returns e.g. `1 file` or `1,482 commits`. */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Returns a share between 0 and 1 as e.g. `67%`. */
export function percent(share) {
  return `${Math.round(100 * share)}%`;
}

/** Returns e.g. `120 ms`, `4.2 s`, `48 s`, `3 min`, `5 h`, `2 days`. */
export function duration(seconds) {
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 10) return `${Number(seconds.toPrecision(2))} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`;
  return count(Math.round(seconds / 86_400), "day");
}

/** Returns e.g. `just now` or `4 min ago`, given a time in seconds since 1970. */
export function ago(then) {
  const passed = Date.now() / 1000 - then;
  return passed < 1 ? "just now" : `${duration(passed)} ago`;
}

/** Returns a time in seconds since 1970 as the person's own calendar and clock have it. */
export function exactly(then) {
  return new Date(then * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Returns the text on one line, cut to so many characters. */
export function brief(text, most) {
  const line = text.trim().replaceAll(/\s+/gu, " ");
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}

/** Returns e.g. `a, b and c`. */
export function listing(parts) {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

const PERSPECTIVE = /^[A-Z]\w*$/;

/**
 * Returns a seat in two parts, `name` and `perspective`: a model by its name, a program without its
 * folders.
 */
export function seat(text) {
  let [provider, rest] = parted(text, ":");
  let perspective = "";
  const slash = rest.lastIndexOf("/");
  if (slash > 0 && PERSPECTIVE.test(rest.slice(slash + 1))) {
    perspective = rest.slice(slash + 1);
    rest = rest.slice(0, slash);
  }
  if (provider === "rule") return { name: `rule: ${rest}`, perspective };
  if (provider === "command") {
    const [program, more] = parted(rest, " ");
    rest = `${program.slice(program.lastIndexOf("/") + 1)}${more ? ` ${more}` : ""}`;
  }
  return { name: rest || text, perspective };
}

/** Returns a seat as one text. */
export function seatName(text) {
  const { name, perspective } = seat(text);
  return perspective ? `${name} (${perspective})` : name;
}

function parted(text, by) {
  const place = text.indexOf(by);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + by.length)];
}

/** Returns a topic as people read it. */
export function topic(name) {
  return name === "*" || name === "" ? "every topic" : name;
}

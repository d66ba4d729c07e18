// Elements out of plain values. Whatever came from elsewhere becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

// Controls (but newline and tab) and bidirectional overrides: text may not reorder what stands around it.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text without anything that could steer how it is shown. */
export function clean(text) {
  return String(text).replaceAll("\r\n", "\n").replace(CONTROLS, "\ufffd");
}

/**
 * Returns an element. `given` has attributes by name; `onclick` and its like take functions, and what
 * is null or false is left out. Children are elements, texts, or lists of both; null is left out.
 */
export function el(tag, given = {}, ...children) {
  return built(document.createElement(tag), given, children);
}

/** The same for a part of a drawing. */
export function draw(tag, given = {}, ...children) {
  return built(document.createElementNS(SVG, tag), given, children);
}

function built(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : clean(value));
  }
  element.append(...nodes(children));
  return element;
}

/** Puts children in the place of those an element has. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (child instanceof Node ? child : document.createTextNode(clean(child))));
}

/** Text that somebody else wrote: it has a direction of its own and breaks where it must. */
export function said(text, tag = "span", given = {}) {
  return el(tag, { dir: "auto", ...given, class: `said ${given.class ?? ""}`.trim() }, text);
}

/** Tells those who do not see the page; what they are doing is not interrupted. */
export function announce(text) {
  document.getElementById("announcer").textContent = clean(text);
}

/** Puts the focus on a heading, so that reading goes on from there. */
export function readFrom(heading) {
  heading.setAttribute("tabindex", "-1");
  heading.focus({ preventScroll: false });
}

// The page: which view the address names, and what holds for all of them.

import { Away, SignedOut } from "./api.js";
import { CouncilView } from "./council.js";
import { announce, el, fill, readFrom } from "./dom.js";
import { History } from "./history.js";
import { AskView } from "./home.js";
import { Journal } from "./journal.js";
import { RecordView } from "./record.js";
import { refusal } from "./refusal.js";

const SOON = 250;

/** Addresses and their views. */
const ROUTES = [
  {
    path: /^#\/council\/(\d{1,15})$/,
    name: "council",
    title: "Council",
    view: (found) => new CouncilView(Number(found[1]), changed),
    number: (found) => Number(found[1]),
  },
  {
    path: /^#\/council\/record$/,
    name: "record",
    title: "Track record",
    view: () => new RecordView(),
  },
  { path: /^#\/council$/, name: "ask", title: "Council", view: () => new AskView() },
];
const FIRST = "#/council";

const main = document.getElementById("main");
const banner = document.getElementById("banner");
const history = new History();
const journal = new Journal(heard, stateChanged);
let view = null;
let refreshing = 0;

function changed() {
  history.refresh();
}

/** Shows what the address names. Where the person came by a link, reading goes on at its heading. */
async function show(moved) {
  const hash = location.hash || FIRST;
  const route = ROUTES.find(({ path }) => path.test(hash));
  if (!route) {
    location.replace(FIRST);
    return;
  }
  const found = route.path.exec(hash);
  view?.close();
  const opened = (view = route.view(found));
  document.body.dataset.view = route.name;
  document.title = `${route.title} – hermes`;
  history.mark(route.number?.(found) ?? null);
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.getAttribute("href") === hash;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  fill(main, opened.element);
  try {
    await opened.open();
  } catch (error) {
    if (view !== opened) return;
    trouble(error);
  }
  if (view !== opened || !moved) return;
  window.scrollTo({ top: 0 });
  const heading = opened.element.querySelector("h1");
  if (heading && !opened.element.contains(document.activeElement)) readFrom(heading);
}

function trouble(error) {
  if (error instanceof Away || error instanceof SignedOut) {
    journal.doubt(error);
    fill(main, el("p", { class: "hint" }, "This shows as soon as the daemon is there."));
  } else if (typeof error.hint === "string") {
    fill(main, refusal(error));
  } else throw error;
}

/** Something happened in the daemon: looks again, once for what comes in a burst. */
function heard({ topic, fields }) {
  if (topic === "job" && fields.agent !== "council") return;
  history.refresh(SOON);
  clearTimeout(refreshing);
  refreshing = setTimeout(async () => {
    try {
      await view.refresh();
    } catch (error) {
      journal.doubt(error);
    }
  }, SOON);
}

function stateChanged(state, before) {
  banner.hidden = state === "live";
  banner.className = state;
  fill(banner, BANNERS[state]?.() ?? []);
  if (state !== "live") {
    announce(banner.textContent);
    return;
  }
  announce("the daemon is there again");
  history.refresh();
  // What was shown may have changed meanwhile; what a person types is left alone.
  if (before === "out" || !main.querySelector("h1")) show(false);
  else view.refresh().catch((error) => journal.doubt(error));
}

const BANNERS = {
  away: () => [
    "The daemon is away. This page waits for it and catches up by itself; ",
    el("code", {}, "hermes up"),
    " starts it.",
  ],
  out: () => [
    "This page is signed out. Run ",
    el("code", {}, "hermes web"),
    " in a terminal, and it opens again.",
  ],
};

history.onTrouble = (error) => journal.doubt(error);
document.getElementById("history").append(history.element);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const open = event.target.closest?.("details[open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names a view
  main.focus();
});
window.addEventListener("hashchange", () => show(true));
history.refresh();
journal.begin();
show(false);

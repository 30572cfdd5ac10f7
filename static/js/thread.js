// The thread: follow an answer that grows unless the reader scrolled up, count its seconds, and open sources.
const NEAR = 80;
let following = true;

const thread = () => document.getElementById("thread");
const sources = () => document.getElementById("sources");

function scroller() {
  const own = thread();
  return own && getComputedStyle(own).overflowY === "auto" ? own : document.scrollingElement;
}

const distance = (box) => box.scrollHeight - box.scrollTop - box.clientHeight;

function toEnd() {
  const box = scroller();
  if (box && following) box.scrollTop = box.scrollHeight;
}

function watchScrolling() {
  following = distance(scroller()) < NEAR;
}

function begin() {
  const own = thread();
  if (!own || own.dataset.watched) return;
  own.dataset.watched = "yes";
  own.addEventListener("scroll", watchScrolling, { passive: true });
  new MutationObserver(() => document.querySelector("[aria-busy=true]") && toEnd()).observe(
    document.getElementById("turns"),
    { childList: true, subtree: true, characterData: true },
  );
  const wanted = location.hash && document.getElementById(location.hash.slice(1));
  if (!wanted) toEnd();
}

// ── Seconds so far ──────────────────────────────────────────────────────────────────────────────
const began = new WeakMap();
const seconds = new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

setInterval(() => {
  for (const clock of document.querySelectorAll("[data-since]")) {
    if (!began.has(clock)) began.set(clock, Math.min(Date.parse(clock.dataset.since), Date.now()));
    clock.textContent = `${seconds.format((Date.now() - began.get(clock)) / 1000)} ${clock.dataset.unit}`;
  }
}, 200);

// ── Sources ─────────────────────────────────────────────────────────────────────────────────────
function current(href) {
  for (const chip of document.querySelectorAll(".thread .cite")) {
    if (chip.getAttribute("href") === href) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
}

/** Fetch the pane of `href`. Without the fragment, which htmx would scroll to after us. */
const fetchPane = (href) => htmx.ajax("GET", href.split("#")[0], { target: "#sources", swap: "outerHTML" });

async function open(href) {
  await fetchPane(href);
  const pane = sources();
  if (!pane) return;
  pane.dataset.open = "";
  document.getElementById("room")?.removeAttribute("data-closed");
  current(href);
  history.replaceState(history.state, "", href);
  document.getElementById("here")?.scrollIntoView({ block: "center" });
}

/** A page that came with a source open, by a link or a reload, shows its passage as a click would. */
function arrive() {
  if (!location.hash.startsWith("#source-")) return;
  current(location.pathname + location.search + location.hash);
  document.getElementById("here")?.scrollIntoView({ block: "center" });
}

if (document.readyState === "complete") arrive();
else addEventListener("load", () => requestAnimationFrame(arrive));

function close() {
  const pane = sources();
  delete pane.dataset.open;
  document.getElementById("room").dataset.closed = "";
  current("");
  history.replaceState(history.state, "", location.pathname);
}

document.addEventListener("click", (event) => {
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target.closest(".thread a.cite, .thread a[data-sources]");
  if (link) {
    event.preventDefault();
    open(link.getAttribute("href")).then(() => {
      const summary = document.querySelector("#sources details[open] > summary, #sources summary");
      summary?.focus({ preventScroll: true });
    });
    return;
  }
  if (event.target.closest("[data-close-sources]")) {
    event.preventDefault();
    close();
    return;
  }
  // A source that is still folded has its text on the server.
  const summary = event.target.closest("#sources details[data-href] > summary");
  const source = summary?.parentElement;
  if (source && !source.open && !source.querySelector(".here")) {
    event.preventDefault();
    open(source.dataset.href).then(() => document.querySelector(`#${source.id} > summary`)?.focus());
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && sources()?.contains(document.activeElement)) {
    event.preventDefault();
    close();
  }
});

// When an answer is there, its sources take the pane, unless the reader has one open.
document.addEventListener("htmx:oobAfterSwap", (event) => {
  const reply = event.target; // the new one; detail.target is the one it took the place of
  if (!reply?.matches?.(".reply") || reply.querySelector("[aria-busy=true]")) return;
  const link = reply.querySelector("a[data-sources]");
  if (link && sources() && !("open" in sources().dataset)) {
    fetchPane(link.getAttribute("href"));
  }
});

// A new question is followed again.
document.addEventListener("htmx:afterSwap", (event) => {
  begin();
  if (event.detail.target?.id === "turns") {
    following = true;
    if (sources()) delete sources().dataset.open;
    toEnd();
  }
});

begin();

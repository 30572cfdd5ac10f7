// Nothing typed is lost: a draft on the server two seconds after the last key and on leaving, a copy in this browser
// until the server has it. Saving that fails says so and leaves everything as it is.

const DRAFT_MS = 2000;
const LARGE_DRAFT_MS = 20_000;
const COPY_MS = 400;
const LARGE = 1e6;
const KEEPALIVE = 60_000; // bytes that a browser sends while it leaves
const KEY = "writing:";
let draftTimer = 0;
let copyTimer = 0;
let sending = null;
let saving = false;
let serial = 0;
let kept = 0;

const form = () => document.getElementById("edit");
const key = (one) => KEY + one.dataset.copy;
const names = ["name", "description", "folder", "category", "priority", "tags", "abstract", "overview", "content"];
const values = (one) => Object.fromEntries(names.filter((name) => one.elements[name]).map((name) => [name, one.elements[name].value]));
const waits = () => Boolean(document.querySelector("[data-draft-waits]"));

function state(one, text, bad = false) {
  const line = one.querySelector("[data-draft-state]");
  line.textContent = text;
  line.classList.toggle("bad", bad);
}

function copy() {
  clearTimeout(copyTimer);
  const one = form();
  if (!one || one.elements.content.value.length > LARGE) return; // more than a browser keeps
  try {
    localStorage.setItem(key(one), JSON.stringify(values(one)));
  } catch {
    // Full or forbidden: the draft on the server is what counts.
  }
}

function forget(one) {
  clearTimeout(copyTimer);
  try {
    localStorage.removeItem(key(one));
  } catch {
    // Nothing was kept there.
  }
}

async function keep(leaving = false) {
  clearTimeout(draftTimer);
  const one = form();
  if (!one?.dataset.draft || saving || serial === kept || waits()) return;
  const now = serial;
  const body = new FormData(one);
  const size = (one.elements.content.value.length + (one.elements.overview?.value.length ?? 0)) * 3 + 4000;
  sending?.abort();
  sending = leaving ? null : new AbortController();
  try {
    const options = { method: "POST", body, headers: { "HX-Request": "true" }, signal: sending?.signal };
    const answer = await fetch(one.dataset.draft, { ...options, keepalive: leaving && size < KEEPALIVE });
    if (!answer.ok) throw new Error(String(answer.status));
    const { at } = await answer.json();
    kept = now;
    if (form() !== one) return;
    if (serial === now) forget(one);
    state(one, at ? one.dataset.kept.replace("{time}", at) : "");
    if (at && one.dataset.resume) history.replaceState(history.state, "", one.dataset.resume);
  } catch (error) {
    if (error.name !== "AbortError" && form() === one) state(one, one.dataset.notKept, true);
  }
}

function changed(event) {
  const one = form();
  if (one?.contains(event.target) && names.includes(event.target.name)) typed(one);
}

function typed(one) {
  serial += 1;
  clearTimeout(copyTimer);
  copyTimer = setTimeout(copy, COPY_MS);
  clearTimeout(draftTimer);
  const wait = one.elements.content.value.length > LARGE ? LARGE_DRAFT_MS : DRAFT_MS;
  draftTimer = setTimeout(keep, wait);
}
document.addEventListener("input", changed);
document.addEventListener("change", changed);

function leave() {
  if (!form() || serial === kept) return;
  copy();
  keep(true);
}
addEventListener("pagehide", leave);
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leave());
document.addEventListener("focusout", (event) => {
  const one = form();
  if (one?.contains(event.target) && !one.contains(event.relatedTarget)) keep();
});

// Saving: no draft after it. What comes back with both versions, or with the text of a deleted skill, is shown.
// (htmx names what an event was sent to; who asked is in the request.)
const isOurs = (event) => event.detail.requestConfig?.elt?.id === "edit";
document.addEventListener("htmx:beforeRequest", (event) => {
  if (!isOurs(event)) return;
  saving = true;
  clearTimeout(draftTimer);
  sending?.abort();
  copy();
});
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!isOurs(event)) return;
  const { xhr } = event.detail;
  const ours = xhr.responseText.includes('id="writing"');
  if (ours) event.detail.shouldSwap = true;
  if (ours || xhr.status === 401) event.detail.isError = false; // the answer says what to do
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (!isOurs(event)) return;
  const { xhr } = event.detail;
  const { elt } = event.detail.requestConfig;
  saving = xhr.status === 204; // then the page goes
  if (saving) {
    kept = serial;
    forget(elt);
  } else if (!xhr.responseText?.includes('id="writing"')) {
    state(elt, elt.dataset.lost, true);
    draftTimer = setTimeout(keep, DRAFT_MS);
  }
});

/** What this browser kept because the server did not get it, if it says something else than the form. */
function copied(one) {
  try {
    const found = JSON.parse(localStorage.getItem(key(one)) ?? "null");
    const now = values(one);
    const differs = found && names.some((name) => name in now && name in found && found[name].trim() !== now[name].trim());
    return differs ? found : null;
  } catch {
    return null;
  }
}

function offer() {
  const notice = document.querySelector("[data-copy-waits]");
  const one = form();
  const found = one && notice && copied(one);
  if (!found || document.querySelector(".notice[role=alert]")) return;
  notice.hidden = false;
  notice.querySelector("[data-copy-take]").addEventListener("click", () => {
    notice.hidden = true;
    for (const name of names.filter((name) => name in found && one.elements[name])) one.elements[name].value = found[name];
    one.elements.content.dispatchEvent(new Event("input", { bubbles: true }));
    one.elements.content.focus();
  });
  notice.querySelector("[data-copy-drop]").addEventListener("click", () => {
    notice.hidden = true;
    forget(one);
  });
}
offer();
// What was typed before this ran, or put back by the browser, counts too.
const early = form();
const isTyped = (field) => field && "defaultValue" in field && field.value !== field.defaultValue;
if (early && names.some((name) => isTyped(early.elements[name]))) typed(early);

// [[ offers skills by name: arrows choose, Enter or Tab takes, Escape closes the list and nothing else.
import { areaOf, composing, editorOf, insert, isArea } from "./area.js";

const OPEN = /(?:\[\[|【【)([^[\]【】|\n]{0,100})$/;
const WAIT_MS = 120;
const LOOKED_AT = 110;
const COPIED = ["boxSizing", "width", "paddingTop", "paddingRight", "paddingBottom", "paddingLeft", "borderTopWidth"]
  .concat(["borderRightWidth", "borderBottomWidth", "borderLeftWidth", "font", "lineHeight", "letterSpacing", "tabSize"])
  .concat(["direction", "textAlign", "wordBreak", "overflowWrap"]);
let waiting = 0;
let asking = null;

const listOf = (area) => area.parentElement.querySelector("[role=listbox]");
const options = (area) => [...listOf(area).children];
const isOpen = (area) => !listOf(area).hidden;

/** What is typed after [[ before the caret; null where nothing is to be completed. */
function typed(area) {
  if (area.selectionStart !== area.selectionEnd) return null;
  return area.value.slice(Math.max(area.selectionStart - LOOKED_AT, 0), area.selectionStart).match(OPEN);
}

function close(area) {
  clearTimeout(waiting);
  asking?.abort();
  listOf(area).hidden = true;
  area.removeAttribute("aria-activedescendant");
  area.removeAttribute("aria-controls");
}

function choose(area, index) {
  const all = options(area);
  const at = (index + all.length) % all.length;
  all.forEach((option, n) => option.setAttribute("aria-selected", String(n === at)));
  area.setAttribute("aria-activedescendant", all[at].id);
  all[at].scrollIntoView({ block: "nearest" });
}

/** Where the caret is in the text area, in pixels: measured on a copy of the lines before it. */
function caretPlace(area) {
  const copy = document.createElement("div");
  const style = getComputedStyle(area);
  for (const name of COPIED) copy.style[name] = style[name];
  Object.assign(copy.style, { position: "absolute", visibility: "hidden", whiteSpace: "pre-wrap", top: "0", left: "0" });
  const from = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
  const before = area.value.slice(0, from).split("\n").length - 1;
  const line = parseFloat(style.lineHeight) || 20;
  // A long text is not copied whole: lines above are counted where they don't wrap.
  copy.textContent = before > 2000 ? area.value.slice(from, area.selectionStart) : area.value.slice(0, area.selectionStart);
  const mark = document.createElement("span");
  mark.textContent = "\u200b";
  copy.append(mark);
  area.parentElement.append(copy);
  const above = before > 2000 ? before * line : 0;
  const place = { top: mark.offsetTop + above + line - area.scrollTop, left: mark.offsetLeft };
  copy.remove();
  return place;
}

function show(area, html) {
  const list = listOf(area);
  list.innerHTML = html;
  if (!list.children.length) return close(area);
  list.hidden = false;
  const place = caretPlace(area);
  list.style.top = `${Math.max(Math.min(place.top, area.clientHeight), 0)}px`;
  list.style.left = `${Math.max(Math.min(place.left, area.clientWidth - list.offsetWidth), 0)}px`;
  area.setAttribute("aria-controls", list.id);
  choose(area, 0);
}

async function ask(area) {
  const found = typed(area);
  if (!found) return close(area);
  asking?.abort();
  asking = new AbortController();
  try {
    const address = `${editorOf(area).dataset.names}?q=${encodeURIComponent(found[1])}`;
    const answer = await fetch(address, { signal: asking.signal, headers: { "HX-Request": "true" } });
    const html = answer.ok ? await answer.text() : "";
    if (document.activeElement === area && typed(area)?.[1] === found[1]) show(area, html);
  } catch (error) {
    // Without an answer nothing is offered; what is typed stays.
    if (error.name !== "AbortError") close(area);
  }
}

function take(area, option) {
  const found = typed(area);
  const { written } = option.dataset;
  close(area);
  if (!found || !written) return;
  const start = area.selectionStart - found[0].length;
  const after = area.value.slice(area.selectionStart).match(/^(?:\]\]|】】)/)?.[0].length ?? 0;
  insert(area, written, { start, end: area.selectionStart + after });
}

function changed(event) {
  if (!isArea(event.target) || event.isComposing) return;
  const area = event.target;
  clearTimeout(waiting);
  if (typed(area)) waiting = setTimeout(() => ask(area), WAIT_MS);
  else if (isOpen(area)) close(area);
}
document.addEventListener("input", changed);
document.addEventListener("compositionend", changed);

document.addEventListener(
  "keydown",
  (event) => {
    const area = event.target;
    if (!isArea(area) || composing(event) || !isOpen(area)) return;
    const all = options(area);
    const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (event.key === "Escape") close(area);
    else if (event.key === "ArrowDown") choose(area, at + 1);
    else if (event.key === "ArrowUp") choose(area, at - 1);
    else if (plain && (event.key === "Enter" || event.key === "Tab") && at >= 0) take(area, all[at]);
    else {
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) close(area);
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);

// A click takes without the text area losing the caret.
document.addEventListener("pointerdown", (event) => event.target.closest("[data-written]") && event.preventDefault());
document.addEventListener("click", (event) => {
  const option = event.target.closest("[data-written]");
  if (option) take(areaOf(editorOf(option)), option);
});
document.addEventListener("focusout", (event) => isArea(event.target) && isOpen(event.target) && close(event.target));

// Keys while writing: Ctrl/⌘-S saves, B I K format, Enter goes on with a list, Tab indents inside one.
// Tab elsewhere leaves the field as ever; after Escape it does so in lists too.
import { composing, eachLine, editorOf, insert, isArea } from "./area.js";
import { act } from "./toolbar.js";

const ITEM = /^(\s*(?:> ?)*)([-*+]|\d{1,9}[.)])( +)(\[[ xX]\] +)?/;
const QUOTE = /^(\s*(?:> ?)+)/;
const INDENT = "    ";
let leaving = false;

const lineBefore = (area) => area.value.slice(area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, area.selectionStart);

function inList(area) {
  const start = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
  return ITEM.test(area.value.slice(start, start + 200));
}

function next(marker) {
  const number = marker.match(/^(\d+)([.)])$/);
  return number ? `${Number(number[1]) + 1}${number[2]}` : marker;
}

/** Go on with the list or quote that the caret is in, or end it where its last item is empty. */
function goOn(area) {
  if (area.selectionStart !== area.selectionEnd) return false;
  const line = lineBefore(area);
  const item = line.match(ITEM);
  const quote = item ? null : line.match(QUOTE);
  const head = item?.[0] ?? quote?.[0];
  if (!head) return false;
  if (line.length === head.length && !/\S/.test(area.value.slice(area.selectionStart).split("\n", 1)[0])) {
    insert(area, "", { start: area.selectionStart - head.length, end: area.selectionStart });
    return true;
  }
  insert(area, item ? `\n${item[1]}${next(item[2])}${item[3]}${item[4] ? "[ ] " : ""}` : `\n${quote[1]}`);
  return true;
}

function shift(area, back) {
  eachLine(area, (line) => (back ? line.replace(/^(?: {1,4}|\t)/, "") : line.trim() ? INDENT + line : line));
}

function save() {
  const button = document.querySelector("#edit [data-save]");
  if (button) button.form.requestSubmit(button);
  return Boolean(button);
}

function written(event) {
  const area = event.target;
  const control = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  const action = control && { b: "bold", i: "italic", k: "link" }[event.key.toLowerCase()];
  if (action) {
    act(editorOf(area), action);
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "Enter" && !event.shiftKey) return goOn(area);
  if (event.key === "Escape") return (leaving = true);
  if (event.key === "Tab" && !leaving && inList(area)) {
    shift(area, event.shiftKey);
    return true;
  }
  return false;
}

// Before the page's own keys, which would take Ctrl-K and Escape.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.defaultPrevented || composing(event)) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s") {
      if (save()) event.preventDefault();
      return;
    }
    if (!isArea(event.target)) return;
    if (written(event)) event.preventDefault();
    if (event.key !== "Escape" && event.key !== "Tab" && event.key !== "Shift") leaving = false;
  },
  true,
);
document.addEventListener("focusin", () => (leaving = false));

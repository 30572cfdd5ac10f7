// The preview: htmx asks for it; of a long text only what is around the caret is sent. Counters. Scrolling in step.
import { areaOf, editorOf, isArea } from "./area.js";

const WHOLE = 200_000;
const AROUND = 30_000;
const COUNTED = 50_000;
const CJK = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g;

const pane = (area) => editorOf(area).querySelector(".shown");

/** The stretch around the caret, from an empty line to an empty line where there are some. */
function around({ value, selectionStart }) {
  const from = Math.max(selectionStart - AROUND, 0);
  const to = Math.min(selectionStart + AROUND, value.length);
  const first = from && value.indexOf("\n\n", from);
  const last = value.lastIndexOf("\n\n", to);
  const start = first >= 0 && first < selectionStart ? first : from;
  return value.slice(start, to < value.length && last > selectionStart ? last : to);
}

document.addEventListener("htmx:configRequest", (event) => {
  const area = event.detail.elt;
  if (!isArea(area)) return;
  if (!pane(area).checkVisibility()) {
    event.preventDefault();
    return;
  }
  const { parameters } = event.detail;
  parameters.skill = area.form.dataset.writing;
  if (area.value.length > WHOLE) Object.assign(parameters, { content: around(area), part: "1" });
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-show]");
  const editor = editorOf(button);
  if (!editor) return;
  const { show } = button.dataset;
  editor.classList.toggle("previewing", show === "preview");
  for (const one of button.parentElement.children) one.setAttribute("aria-pressed", String(one === button));
  if (show === "preview") htmx.trigger(areaOf(editor), "preview");
  else areaOf(editor).focus();
});

/** About how many tokens `text` has: Chinese letters two for three, others four to one. Of a long text by its start. */
export function tokens(text) {
  const start = text.slice(0, COUNTED);
  const wide = start.match(CJK)?.length ?? 0;
  const counted = wide / 1.5 + (start.length - wide) / 4;
  return Math.round(text.length > COUNTED ? (counted * text.length) / COUNTED : counted);
}

const number = (n) => n.toLocaleString(document.documentElement.lang);

function count(field, into) {
  const form = document.querySelector("[data-characters]");
  if (!into || !form) return;
  const { value } = field;
  const sentence = form.dataset.characters.replace("{n}", number(value.length)).replace("{tokens}", number(tokens(value)));
  into.textContent = value ? sentence : "";
}

function countAll() {
  for (const editor of document.querySelectorAll("[data-editor]")) count(areaOf(editor), editor.querySelector("[data-count]"));
  for (const into of document.querySelectorAll("[data-count-of]")) count(document.getElementById(into.dataset.countOf), into);
}

document.addEventListener("input", (event) => {
  if (isArea(event.target)) count(event.target, editorOf(event.target).querySelector("[data-count]"));
  else if (event.target.id) count(event.target, document.querySelector(`[data-count-of="${CSS.escape(event.target.id)}"]`));
});

// Roughly in step: the same share of the way down.
function follow(area) {
  const shown = pane(area);
  const way = area.scrollHeight - area.clientHeight;
  if (way > 0) shown.scrollTop = (area.scrollTop / way) * (shown.scrollHeight - shown.clientHeight);
}
document.addEventListener("scroll", (event) => isArea(event.target) && follow(event.target), true);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target?.id === "shown") follow(areaOf(editorOf(event.detail.target)));
  else countAll();
});
countAll();

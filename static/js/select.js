// Choosing rows of the list: x and Shift-X, clicks and Shift-clicks, Ctrl-A; the bar that does something to them all,
// and dragging all of them. The form #many works without this; its checkboxes are in the rows.
import { refresh, post } from "./refresh.js";
import { openPicker } from "./picker.js";
import { typing } from "./keys.js";
import { say, sayHeader, words } from "./toast.js";

const form = () => document.getElementById("many");
const boxes = () => [...document.querySelectorAll("input[name=skill][form=many]:not(:disabled)")];
const chosen = () => boxes().filter((box) => box.checked);
const takesAll = () => form()?.querySelector("input[name=all]")?.checked ?? false;
const total = () => Number(form().querySelector("input[name=count]").value);
const count = () => (takesAll() ? total() : chosen().length);
let last = null;

function draw() {
  const bar = form();
  if (!bar) return;
  const all = boxes();
  const some = chosen();
  const every = document.querySelector("[data-all]");
  if (takesAll() && some.length < all.length) bar.querySelector("input[name=all]").checked = false;
  every.checked = all.length > 0 && some.length === all.length;
  every.indeterminate = some.length > 0 && !every.checked;
  bar.classList.toggle("is-on", some.length > 0);
  bar.querySelector("[data-count]").textContent = count().toLocaleString(document.documentElement.lang);
}

function set(wanted, checked) {
  for (const box of wanted) box.checked = checked;
  draw();
}

/** From the box touched last to this one, all like this one. */
function range(to) {
  const all = boxes();
  const [from, until] = [all.indexOf(last), all.indexOf(to)].sort((a, b) => a - b);
  if (from >= 0) set(all.slice(from, until + 1), to.checked);
}

function clear() {
  last = null;
  const all = form()?.querySelector("input[name=all]");
  if (all) all.checked = false;
  set(boxes(), false);
}

document.addEventListener("click", (event) => {
  const box = event.target.closest?.("input[name=skill][form=many]");
  if (box) {
    if (event.shiftKey && last) range(box);
    last = box;
  }
  if (event.target.closest?.("#many [data-clear]")) clear();
  // The row's own Move takes the whole selection along when the row is part of it.
  const move = event.target.closest?.("tr [data-picker]");
  if (move?.closest("tr").querySelector("input[name=skill]")?.checked) {
    event.preventDefault();
    event.stopImmediatePropagation();
    form().querySelector("[name=action][value=move]").click();
  }
}, true);

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-all]")) set(boxes(), event.target.checked);
  else if (event.target.matches("#many input[name=all]") && event.target.checked) set(boxes(), true);
  else if (event.target.matches("input[name=skill]")) draw();
  else if (event.target.matches("#many input[name=all]")) draw();
});

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || typing(event.target) || document.querySelector("dialog[open]")) return;
  const row = document.querySelector("[data-list] [aria-current=true]");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "a" && !event.shiftKey && !event.altKey) {
    if (!form() || !boxes().length) return;
    event.preventDefault();
    set(boxes(), true);
  } else if (event.key === "X" && event.shiftKey && row) {
    const box = row.querySelector("input[name=skill]:not(:disabled)");
    if (!box) return;
    event.preventDefault();
    box.checked = !box.checked;
    if (last) range(box);
    last = box;
    draw();
  } else if (event.key === "m" && !event.ctrlKey && !event.metaKey && !event.altKey && form() && count()) {
    event.preventDefault();
    form().querySelector("[name=action][value=move]")?.click();
  } else if (event.key === "Escape" && form()?.classList.contains("is-on") && !document.querySelector(":popover-open")) {
    event.preventDefault();
    clear();
  }
}, true);

// Enter in a field of the bar presses the button beside it, not the first one of the form.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || !event.target.matches?.("#many .panel input")) return;
  event.preventDefault();
  event.target.closest(".panel").querySelector("[name=action]").click();
});

function body() {
  const data = new FormData(form());
  if (takesAll()) data.delete("skill");
  return data;
}

document.addEventListener("submit", async (event) => {
  if (event.target !== form() || event.submitter?.hasAttribute("formaction")) return;
  event.preventDefault();
  const button = event.submitter;
  if (button?.value === "move") return openPicker(form().dataset.picker, body());
  const data = body();
  data.set("action", button.value);
  button.closest(":popover-open")?.hidePopover();
  button.setAttribute("aria-busy", "true");
  const response = await post(form().getAttribute("action"), data);
  button.removeAttribute("aria-busy");
  const said = sayHeader(response.headers.get("HX-Trigger"));
  if (response.ok) await refresh();
  else if (!said) say(words("failed"), { tone: "error" });
});

// A row that is chosen is dragged with all that are: drag.js posts the folder to the row's data-move.
document.addEventListener("dragstart", (event) => {
  const row = event.target.closest?.("tr[data-move]");
  if (!row) return;
  const isOne = !row.querySelector("input[name=skill]")?.checked;
  const bar = form();
  if (!isOne && bar) {
    const data = new URLSearchParams();
    for (const [name, value] of body()) if (["skill", "all", "filters", "count"].includes(name)) data.append(name, value);
    data.set("action", "move");
    row.dataset.one = row.dataset.move;
    row.dataset.move = `${bar.getAttribute("action")}?${data}`;
  }
  const image = document.createElement("div");
  image.className = "drag-count";
  const many = isOne ? 1 : count();
  image.textContent = many === 1 ? bar.dataset.dragOne : bar.dataset.dragMany.replace("{n}", many.toLocaleString(document.documentElement.lang));
  document.body.append(image);
  event.dataTransfer.setDragImage(image, -12, -8);
  setTimeout(() => image.remove());
});
document.addEventListener("dragend", (event) => {
  const row = event.target.closest?.("tr[data-one]");
  if (!row) return;
  row.dataset.move = row.dataset.one;
  delete row.dataset.one;
});

document.addEventListener("list-drawn", draw);
document.addEventListener("htmx:afterSwap", draw);
addEventListener("pageshow", draw);

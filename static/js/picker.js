// The choice of a folder as a dialog: arrows and Enter choose, typing narrows, Escape closes only it.
import { refresh, post } from "./refresh.js";
import { say, sayHeader, words } from "./toast.js";

const choices = (dialog) => [...dialog.querySelectorAll("[role=option]")];

function mark(dialog, option) {
  for (const other of choices(dialog)) other.setAttribute("aria-selected", String(other === option));
  const input = dialog.querySelector("[role=combobox]");
  if (!option) return input.removeAttribute("aria-activedescendant");
  option.id ||= `choice-${choices(dialog).indexOf(option)}`;
  input.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function keydown(dialog, event) {
  if (event.isComposing) return;
  const all = choices(dialog);
  const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
  const steps = { ArrowDown: Math.min(at + 1, all.length - 1), ArrowUp: Math.max(at - 1, 0) };
  if (event.key in steps) mark(dialog, all[steps[event.key]]);
  else if (event.key === "Enter" && event.target.matches("[role=combobox]")) (all[at] ?? all[0])?.click();
  else return;
  event.preventDefault();
}

async function send(dialog, event) {
  event.preventDefault();
  const body = new FormData(event.target, event.submitter);
  dialog.setAttribute("aria-busy", "true");
  const response = await post(event.target.getAttribute("action"), body);
  dialog.removeAttribute("aria-busy");
  const said = sayHeader(response.headers.get("HX-Trigger"));
  if (!response.ok) return said || say(words("failed"), { tone: "error" });
  dialog.close();
  return refresh();
}

/** Catch what is typed until the dialog is there; returns a function that ends it and gives the text. */
function typedMeanwhile() {
  let text = "";
  const listen = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length === 1) text += event.key;
    else if (event.key === "Backspace") text = text.slice(0, -1);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", listen, true);
  return () => {
    removeEventListener("keydown", listen, true);
    return text;
  };
}

function show(html, typed) {
  document.getElementById("picker")?.remove();
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const dialog = document.adoptNode(parsed.querySelector("dialog"));
  const opener = document.activeElement;
  document.body.append(dialog);
  htmx.process(dialog);
  dialog.addEventListener("keydown", (event) => keydown(dialog, event));
  dialog.addEventListener("submit", (event) => send(dialog, event));
  dialog.addEventListener("htmx:afterSwap", () => mark(dialog, choices(dialog)[0]));
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (opener?.isConnected) opener.focus({ preventScroll: true });
  });
  dialog.showModal();
  mark(dialog, choices(dialog)[0]);
  if (!typed) return;
  const input = dialog.querySelector("[role=combobox]");
  input.value = typed;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Open the dialog that `address` answers with; `body` (FormData) says what is to be moved, where it is many. */
export async function openPicker(address, body = null) {
  const headers = { "HX-Request": "true" };
  const typed = typedMeanwhile();
  try {
    const response = body ? await post(address, body) : await fetch(address, { headers });
    const html = await response.text();
    const said = sayHeader(response.headers.get("HX-Trigger"));
    if (response.ok) show(html, typed());
    else if (!said) say(words("failed"), { tone: "error" });
  } finally {
    typed();
  }
}

// The page of the same choice, for who came to it by its address.
const page = document.querySelector("div.picker");
page?.addEventListener("keydown", (event) => keydown(page, event));
page?.addEventListener("htmx:afterSwap", () => mark(page, choices(page)[0]));

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-picker]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  openPicker(link.href);
});

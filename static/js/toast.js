// Toasts: what was done, for a few seconds, with a way back. Errors stay until they are closed.
const region = document.getElementById("toasts");
const blank = document.getElementById("toast");
const SECONDS = 6;
const UNDO_SECONDS = 10;
const MOST = 3;

/** The key u undoes what was done last. */
function latest() {
  const all = [...region.querySelectorAll("[data-undo] button")];
  all.forEach((button, n) => (button.dataset.key = n === all.length - 1 ? "u" : ""));
}

function lifetime(toast) {
  if (toast.matches(".error, .warning")) return 0;
  return toast.querySelector("[data-undo], a") ? UNDO_SECONDS : SECONDS;
}

function start(toast) {
  latest();
  const seconds = lifetime(toast);
  let timer = 0;
  const hold = () => clearTimeout(timer);
  const run = () => {
    hold();
    if (seconds) timer = setTimeout(() => toast.remove(), seconds * 1000);
  };
  toast.addEventListener("pointerenter", hold);
  toast.addEventListener("focusin", hold);
  toast.addEventListener("pointerleave", run);
  toast.addEventListener("focusout", run);
  toast.querySelector("[data-dismiss]").addEventListener("click", () => toast.remove());
  run();
}

/** Show `text`. `tone`: "", "success", "warning", "error". `undo`: an address to POST to. `href`, `label`: a link. */
export function say(text, { tone = "success", undo = "", href = "", label = "" } = {}) {
  if (!region || !text) return;
  for (const shown of region.querySelectorAll("[data-toast]")) {
    if (shown.querySelector("p").textContent === text) shown.remove();
  }
  const toast = blank.content.firstElementChild.cloneNode(true);
  if (tone) toast.classList.add(tone);
  toast.querySelector("p").textContent = text;
  const form = toast.querySelector("[data-undo]");
  if (undo) form.action = undo;
  else form.remove();
  const link = toast.querySelector("[data-link]");
  if (href) {
    link.href = href;
    link.textContent = label || href;
  } else link.remove();
  const wrong = tone === "error" || tone === "warning";
  toast.querySelector(wrong ? "[data-fine]" : "[data-wrong]").remove();
  region.append(toast);
  while (region.children.length > MOST) region.firstElementChild.remove();
  start(toast);
}

/** The sentence that the template keeps for `name` (data-… on the region), in the page's language. */
export const words = (name) => region?.dataset[name] ?? "";

/** Say what an answer's HX-Trigger header carries; whether there was anything. For requests that htmx does not make. */
export function sayHeader(header) {
  const said = JSON.parse(header ?? "{}").toasts ?? [];
  for (const one of said) say(one.text, one);
  return said.length > 0;
}

region?.querySelectorAll("[data-toast]").forEach(start);
document.addEventListener("toast", (event) => say(event.detail.text, event.detail));
document.addEventListener("toasts", (event) => event.detail.value.forEach((one) => say(one.text, one)));

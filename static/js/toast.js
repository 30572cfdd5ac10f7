// Toasts: what was done, for a few seconds, with a way back. Events: `toast` {text, tone, undo}.
const region = document.getElementById("toasts");
const blank = document.getElementById("toast");
const SECONDS = 6;
const UNDO_SECONDS = 10;

function start(toast) {
  const seconds = toast.querySelector("[data-undo]") ? UNDO_SECONDS : toast.matches(".error, .warning") ? 0 : SECONDS;
  let timer = 0;
  const run = () => { if (seconds) timer = setTimeout(() => toast.remove(), seconds * 1000); };
  const hold = () => clearTimeout(timer);
  toast.addEventListener("pointerenter", hold);
  toast.addEventListener("focusin", hold);
  toast.addEventListener("pointerleave", run);
  toast.addEventListener("focusout", run);
  toast.querySelector("[data-dismiss]")?.addEventListener("click", () => toast.remove());
  run();
}

export function say(text, { tone = "", undo = "" } = {}) {
  if (!region || !blank) return;
  const toast = blank.content.firstElementChild.cloneNode(true);
  if (tone) toast.classList.add(tone);
  toast.querySelector("p").textContent = text;
  const form = toast.querySelector("[data-undo]");
  if (undo) form.action = undo;
  else form.remove();
  region.append(toast);
  start(toast);
}

region?.querySelectorAll("[data-toast]").forEach(start);
document.addEventListener("toast", (event) => say(event.detail.text, event.detail));

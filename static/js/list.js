// j and k walk a [data-list]; its items are [data-item], or its children. x selects, o opens.
import { shown, typing } from "./keys.js";

function items(list) {
  const marked = [...list.querySelectorAll("[data-item]")];
  return (marked.length ? marked : [...list.children]).filter(shown);
}

function list() {
  const lists = [...document.querySelectorAll("[data-list]")].filter(shown);
  return lists.find((one) => one.contains(document.activeElement)) ?? lists[0];
}

const opener = (item) => item.querySelector("[data-opens]") ?? item.querySelector("a[href]");

function walk(step) {
  const within = list();
  if (!within) return false;
  const all = items(within);
  const now = all.findIndex((item) => item.getAttribute("aria-current") === "true");
  const next = all[Math.min(Math.max(now + step, 0), all.length - 1)] ?? all[0];
  if (!next) return false;
  for (const item of all) if (item !== next) item.removeAttribute("aria-current");
  next.setAttribute("aria-current", "true");
  const link = next.matches("a[href]") ? next : opener(next);
  link?.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
  const current = list()?.querySelector("[aria-current=true]");
  const done = {
    j: () => walk(1),
    k: () => walk(-1),
    o: () => current && (opener(current)?.click(), true),
    x: () => current && (current.querySelector("input[type=checkbox]")?.click(), true),
  }[event.key]?.();
  if (done) event.preventDefault();
});

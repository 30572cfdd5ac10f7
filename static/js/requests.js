// htmx requests that fail: say what happened and what to do. What was typed stays where it is.
import { say, words } from "./toast.js";

function explained(xhr) {
  return /"toasts?"/.test(xhr.getResponseHeader("HX-Trigger") ?? "");
}

document.addEventListener("htmx:responseError", (event) => {
  const { xhr } = event.detail;
  if (explained(xhr)) return;
  const sentence = { 403: "forbidden", 404: "missing", 413: "large", 429: "often" }[xhr.status];
  say(words(sentence ?? "failed"), { tone: "error" });
});
document.addEventListener("htmx:sendError", () => say(words("offline"), { tone: "error" }));
document.addEventListener("htmx:timeout", () => say(words("slow"), { tone: "error" }));
document.addEventListener("htmx:swapError", () => say(words("failed"), { tone: "error" }));

// A form sent twice makes one thing.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.hasAttribute("data-again")) return;
  if (form.dataset.sent) event.preventDefault();
  else form.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// What a filter leaves open is not in the address.
document.addEventListener("htmx:configRequest", (event) => {
  const { elt, formData } = event.detail;
  if (!elt.matches("form[method=get]")) return;
  for (const name of new Set(formData.keys())) if (formData.getAll(name).every((value) => value === "")) formData.delete(name);
});

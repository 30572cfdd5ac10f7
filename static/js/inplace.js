// Double-click on a field opens its form in place, as its pencil does; a selection of words is left alone.
document.addEventListener("dblclick", (event) => {
  const field = event.target.closest("[data-field]");
  if (!field || event.target.closest("form, a, button, pre, summary")) return;
  const pencil = field.querySelector(":scope > .pencil");
  if (!pencil) return;
  getSelection()?.removeAllRanges();
  pencil.click();
});

// The form that came is where one goes on typing; Escape leaves it, and with it only it. Ctrl-Enter and Ctrl-S save.
let before = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target } = event.detail;
  if (target.matches?.("[data-field]")) before = [target, [...target.cloneNode(true).childNodes]];
});
document.addEventListener("htmx:afterSettle", (event) => {
  event.detail.elt?.querySelector?.(".in-place [autofocus]")?.focus();
});

document.addEventListener("click", (event) => {
  const form = event.target.closest(".in-place a[data-key=Escape]")?.closest("form");
  const field = form?.closest("[data-field]");
  // Where somebody saved meanwhile, what was there before is no longer so: the page is loaded anew.
  if (!field || field !== before[0] || form.querySelector(".notice")) return;
  event.preventDefault();
  field.replaceChildren(...before[1]);
  htmx.process(field);
  field.querySelector(":scope > .pencil")?.focus();
});

document.addEventListener("keydown", (event) => {
  const form = event.target.closest?.(".in-place");
  if (!form || !(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return;
  if (event.key !== "Enter" && event.key.toLowerCase() !== "s") return;
  event.preventDefault();
  form.requestSubmit();
});

// The page that comes after saving begins where one was.
const SAVED = "kb_field";
document.addEventListener("submit", (event) => {
  const field = event.target.closest(".in-place")?.closest("[data-field]");
  if (field) sessionStorage.setItem(SAVED, `${field.dataset.field} ${location.pathname}`);
});
const [saved, where] = (sessionStorage.getItem(SAVED) ?? "").split(" ");
sessionStorage.removeItem(SAVED);
if (saved && where === location.pathname) document.querySelector(`[data-field="${CSS.escape(saved)}"] > .pencil`)?.focus();

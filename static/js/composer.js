// The composer: Enter sends, Shift+Enter is a new line, a half-typed word of an input method is never sent,
// and what was typed outlives a reload.
const KEPT = "draft:";

const composer = (target) => target.closest?.("form.composer");
const field = (form) => form.querySelector("textarea");
const key = (form) => KEPT + form.dataset.draft;

/** Whether this Enter confirms a word of an input method (Safari says keyCode 229 after the fact). */
const composing = (event) => event.isComposing || event.keyCode === 229;

function grow(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.rows = Math.min(Math.max(area.value.split("\n").length, 2), 12);
}

function remember(form) {
  const text = field(form).value;
  if (text.trim()) sessionStorage.setItem(key(form), text);
  else sessionStorage.removeItem(key(form));
}

function recall(form) {
  const area = field(form);
  const kept = sessionStorage.getItem(key(form));
  if (kept && !area.value) area.value = kept;
  grow(area);
}

document.addEventListener("keydown", (event) => {
  const form = composer(event.target);
  if (!form || event.target !== field(form) || event.key !== "Enter" || event.shiftKey || composing(event)) return;
  event.preventDefault();
  const send = form.querySelector("#ask");
  if (send && event.target.value.trim()) form.requestSubmit(send);
});

document.addEventListener("input", (event) => {
  const form = composer(event.target);
  if (form && event.target === field(form)) {
    remember(form);
    grow(event.target);
  }
});

// What was sent is no draft any more.
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.elt;
  if (!form.matches?.("form.composer") || !event.detail.successful) return;
  sessionStorage.removeItem(key(form));
  if (form.isConnected) {
    form.querySelector("#problem")?.remove();
    form.classList.remove("bad");
    field(form).value = "";
    grow(field(form));
  }
});
document.addEventListener("submit", (event) => {
  const form = composer(event.target);
  if (form && !form.hasAttribute("hx-post")) sessionStorage.removeItem(key(form));
});

// Taking a document out of the scope takes its label away.
document.addEventListener("change", (event) => {
  if (event.target.matches(".composer .scope input")) event.target.closest(".scope").remove();
});

const every = (root) => root.querySelectorAll?.("form.composer").forEach(recall);
every(document);
document.addEventListener("htmx:load", (event) => every(event.detail.elt));

// Double-click on a field opens its form in place, as its pencil does; a selection of words is left alone.
document.addEventListener("dblclick", (event) => {
  const field = event.target.closest("[data-field]");
  if (!field || event.target.closest("form, a, button, pre, summary")) return;
  const pencil = field.querySelector(":scope > .pencil");
  if (!pencil) return;
  getSelection()?.removeAllRanges();
  pencil.click();
});

// The form that came is where one goes on typing; Escape leaves it, and with it only it.
document.addEventListener("htmx:afterSettle", (event) => {
  event.detail.elt?.querySelector?.(".in-place [autofocus]")?.focus();
});

// Notes: Ctrl-Enter and Ctrl-S save what carries data-sends.
import "./chosen.js";

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return;
  if (event.key !== "Enter" && event.key.toLowerCase() !== "s") return;
  const form = event.target.closest?.("form");
  if (!form?.querySelector("[data-sends]")) return;
  event.preventDefault();
  form.requestSubmit();
});

// The field a change begins in has the focus, also when the form came with a swap or the kind changed.
document.addEventListener("change", (event) => {
  if (event.target.matches(".changing input[name=mode]")) {
    const form = event.target.closest("form");
    form.querySelector(`.when-${event.target.value} [data-sends]`)?.focus();
  }
});

// The top bar's field: a combobox over what htmx brings into #palette. Enter without a choice searches.
const form = document.getElementById("find");
const input = form?.querySelector("input[name=q]");
const panel = document.getElementById("palette");
let chosen = null;

const options = () => [...panel.querySelectorAll("[role=option]")];

function choose(option) {
  chosen?.setAttribute("aria-selected", "false");
  chosen = option ?? null;
  if (chosen) {
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", chosen.id);
  } else input.removeAttribute("aria-activedescendant");
}

function open() {
  if (!panel.hidden || !panel.childElementCount) return;
  panel.hidden = false;
  input.setAttribute("aria-expanded", "true");
}

function close() {
  panel.hidden = true;
  input.setAttribute("aria-expanded", "false");
  choose(null);
}

function step(by) {
  const all = options();
  if (!all.length) return;
  const next = all.indexOf(chosen) + by;
  choose(next < 0 && chosen ? null : all[((next % all.length) + all.length) % all.length]);
}

function keydown(event) {
  if (event.isComposing) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (panel.hidden) open();
    else step(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && chosen) {
    event.preventDefault();
    chosen.click();
  } else if (event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    if (panel.hidden) input.blur();
    else close();
  }
}

if (form && panel) {
  input.addEventListener("focus", () => htmx.trigger(input, "find"));
  input.addEventListener("keydown", keydown);
  panel.addEventListener("htmx:afterSwap", () => {
    choose(null);
    if (document.activeElement === input) open();
  });
  panel.addEventListener("pointerdown", (event) => event.preventDefault()); // keep the focus in the field
  panel.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    close();
    const press = option.dataset.press && document.querySelector(option.dataset.press);
    if (press) {
      event.preventDefault();
      input.blur();
      press.click();
    }
  });
  form.addEventListener("focusout", (event) => {
    if (!form.contains(event.relatedTarget)) close();
  });
  form.addEventListener("submit", (event) => {
    if (!input.value.trim()) event.preventDefault();
  });
}

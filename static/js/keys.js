// Keys: / and Ctrl-K find, ? lists keys, u and Ctrl-Z undo, g + letter goes, a letter presses what carries data-key.
const GO_MS = 1200;
let going = 0;

/** Whether the person is typing, so that letters are letters. */
export function typing(target) {
  return target.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
}

/** Whether it can be seen. */
export const shown = (element) => element.checkVisibility?.() ?? true;
const reached = (element) => shown(element) || element.matches("[popover].menu *"); // also in a menu that is closed

function press(key) {
  const current = document.querySelector("[data-list] [aria-current=true]");
  const selector = `[data-key="${CSS.escape(key)}"]`;
  const all = [...document.querySelectorAll(selector)];
  // Of a list's rows only the current one is meant; what is open in any is closed.
  const meant = (one) => key === "Escape" || !one.closest("[data-item]");
  const found = [...all.filter((one) => current?.contains(one)), ...all.filter(meant)].find(reached);
  found?.click();
  return Boolean(found);
}

function go(letter) {
  if (letter === "f") {
    const tree = document.getElementById("tree");
    if (tree && !tree.checkVisibility()) tree.showPopover();
    tree?.querySelector("[role=treeitem][tabindex='0'] , [role=treeitem]")?.focus();
    return true;
  }
  const link = document.querySelector(`.places [data-go="${CSS.escape(letter)}"]`);
  link?.click();
  return Boolean(link);
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const find = document.querySelector("#find input");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && find) {
    event.preventDefault();
    find.focus();
    find.select();
    return;
  }
  if (event.ctrlKey || event.metaKey) {
    const undoes = event.key.toLowerCase() === "z" && !event.shiftKey && !typing(event.target);
    if (undoes && !document.querySelector("dialog[open]") && press("u")) event.preventDefault();
    return;
  }
  if (event.key === "Escape") {
    // Dialogs and popovers close themselves; what is left may carry the key.
    if (!document.querySelector("dialog[open], [popover]:popover-open") && press("Escape")) event.preventDefault();
    return;
  }
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
  if (Date.now() - going < GO_MS && event.key.length === 1) {
    going = 0;
    if (go(event.key.toLowerCase())) event.preventDefault();
    return;
  }
  if (event.key === "g") going = Date.now();
  else if (event.key === "/" && find) {
    event.preventDefault();
    find.focus();
    find.select();
  } else if (event.key === "?") document.getElementById("keys")?.showModal();
  else if (event.key.length === 1 && press(event.key.toLowerCase())) event.preventDefault();
});

// What can be done with a folder of the tree: the menu of each, and keys. F2 renames, m moves, n makes one inside,
// Delete asks whether to delete.
import { comeBack, focus, isTyping, itemOf, link, tree } from "./tree.js";

const menu = document.getElementById("branch-menu");
const rename = document.getElementById("rename-folder");
const fresh = document.getElementById("new-folder");
let chosen = null;

const name = (item) => link(item).querySelector(".name").textContent;
const address = (pattern, item) => pattern.replace(menu.dataset.none, item.dataset.folderId);

/** Where to go for something done with the folder on a page of its own, which then leads back here. */
function away(one, item) {
  one.dataset.pattern ??= one.getAttribute("href");
  const to = new URL(address(one.dataset.pattern, item), location.href);
  if (one.hasAttribute("data-back")) to.searchParams.set("next", location.pathname + location.search);
  return to.pathname + to.search;
}

function show(item, anchor) {
  chosen = item;
  for (const one of menu.querySelectorAll("a")) one.href = away(one, item);
  for (const other of document.querySelectorAll(".of-folder.is-anchor")) other.classList.remove("is-anchor");
  anchor.classList.add("is-anchor");
  menu.showPopover({ source: anchor }); // on a phone it belongs to the drawer, which stays
  menu.querySelector("[role=menuitem]").focus();
}

const deeds = {
  rename(item) {
    const form = rename.querySelector("form");
    form.dataset.pattern ??= form.getAttribute("action");
    form.action = address(form.dataset.pattern, item);
    form.elements.name.value = name(item);
    rename.showModal();
    form.elements.name.select();
  },
  new(item) {
    const select = fresh.querySelector("select");
    select.querySelector("[data-here]")?.remove();
    const inside = new Option(name(item), item.dataset.folderId, true, true);
    inside.dataset.here = "";
    select.prepend(inside);
    select.closest(".field").hidden = false;
    fresh.showModal();
  },
  move: (item) => go("move", item),
  delete: (item) => go("delete", item),
};

function go(deed, item) {
  comeBack(item);
  location.assign(away(menu.querySelector(`[data-do="${deed}"]`), item));
}

function inMenu(event) {
  const all = [...menu.querySelectorAll("[role=menuitem]")];
  const at = all.indexOf(document.activeElement);
  const steps = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 };
  if (event.key in steps) all[steps[event.key] % all.length].focus();
  else if (event.key === "Tab" || event.key === "Escape") {
    menu.hidePopover();
    focus(itemOf(chosen.dataset.key));
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function onKey(event) {
  const item = event.target.closest("[role=treeitem]");
  if (!item?.dataset.folderId || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { F2: "rename", Delete: "delete" };
  if (!isTyping()) Object.assign(keys, { m: "move", n: "new" });
  const opens = event.key === "ContextMenu" || (event.shiftKey && event.key === "F10");
  if (opens) show(item, item.querySelector(":scope > .of-folder"));
  else if (keys[event.key] && !event.shiftKey) deeds[keys[event.key]]((chosen = item));
  else return;
  event.preventDefault();
}

if (tree && menu) {
  tree.addEventListener("keydown", onKey);
  menu.addEventListener("keydown", inMenu);
  menu.addEventListener("click", (event) => {
    if (event.target.closest("[data-back]")) comeBack(chosen);
    const deed = event.target.closest("button[data-do]");
    if (!deed) return;
    menu.hidePopover();
    deeds[deed.dataset.do](chosen);
  });
  tree.addEventListener("click", (event) => {
    const button = event.target.closest(".of-folder");
    if (button) show(button.closest("[role=treeitem]"), button);
  });
  tree.addEventListener("contextmenu", (event) => {
    const item = event.target.closest("[role=treeitem]");
    if (!item?.dataset.folderId || event.shiftKey) return;
    event.preventDefault();
    show(item, item.querySelector(":scope > .of-folder"));
  });
  for (const dialog of [rename, fresh]) {
    dialog.addEventListener("close", () => {
      if (chosen) focus(itemOf(chosen.dataset.key));
      fresh.querySelector("[data-here]")?.remove();
      chosen = null;
    });
    dialog.addEventListener("submit", () => chosen && comeBack(dialog === rename ? chosen : null));
  }
}

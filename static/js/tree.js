// The folder tree: one tab stop, arrows, Home, End, typing a name; remembers what is open; fetches a branch when
// it is first opened. The server renders what the kb_open cookie lists, so that nothing moves on the next page.
export const tree = document.querySelector("#tree [role=tree]");
const COOKIE = "kb_open";
const MOST = 60;
const YEAR = 365 * 24 * 3600;
const TYPING_MS = 700;
const BACK = "kb_tree";
let typed = "";
let typedAt = 0;
let stop = ""; // the key of the item that Tab reaches
let isPressed = false;
let within = false; // whether the focus is in the tree

const shown = () => [...tree.querySelectorAll("[role=treeitem]")].filter((item) => !item.closest("[hidden]"));
export const link = (item) => item.querySelector(":scope > .node");
export const group = (item) => item.querySelector(":scope > [role=group]");
export const parent = (item) => item?.parentElement.closest("[role=treeitem]") ?? null;
export const itemOf = (key) => tree.querySelector(`[role=treeitem][data-key="${CSS.escape(key)}"]`);
export const isOpen = (item) => item.getAttribute("aria-expanded") === "true";

/** Whether letters are being typed that lead to a name. */
export const isTyping = () => typed !== "" && Date.now() - typedAt < TYPING_MS;

export function focus(item) {
  if (!item) return;
  makeStop(item);
  item.focus();
  item.querySelector(".node").scrollIntoView({ block: "nearest" });
}

function makeStop(item) {
  for (const other of tree.querySelectorAll("[role=treeitem][tabindex='0']")) other.tabIndex = -1;
  item.tabIndex = 0;
  stop = item.dataset.key ?? "";
}

function remember() {
  const open = [...tree.querySelectorAll("[role=treeitem][aria-expanded=true]")].map((item) => item.dataset.key);
  const value = open.slice(0, MOST).join(".");
  document.cookie = `${COOKIE}=${value}; path=/; max-age=${YEAR}; samesite=lax`;
}

/** The branch of `item` is open when the tree is drawn next, also if nothing is in it now. */
export function keepOpen(item) {
  item.setAttribute("aria-expanded", "true");
  remember();
}

async function fetched(address) {
  const response = await fetch(address, { headers: { "HX-Request": "true" } });
  if (!response.ok) return null;
  return new DOMParser().parseFromString(await response.text(), "text/html").body.firstElementChild;
}

async function fill(item) {
  if (group(item)) return;
  const children = await fetched(item.dataset.branch);
  if (children && !group(item)) item.append(children);
}

/** Put the folders that a "more" line stands for in its place. */
async function more(item) {
  const following = await fetched(item.dataset.more);
  if (!following || !item.isConnected) return;
  const here = new Set([...item.parentElement.children].map((one) => one.dataset.key));
  const added = [...following.children].filter((one) => one.dataset.more || !here.has(one.dataset.key));
  item.replaceWith(...added);
  focus(added[0]);
}

export async function set(item, open) {
  if (item.dataset.more) return more(item);
  if (!item.hasAttribute("aria-expanded")) return;
  item.setAttribute("aria-expanded", String(open));
  if (open) await fill(item);
  const children = group(item);
  if (children) children.hidden = !open;
  remember();
}

function toName(letter, from) {
  typed = isTyping() ? typed + letter : letter;
  typedAt = Date.now();
  const all = shown();
  const start = all.indexOf(from) + (typed.length === 1 ? 1 : 0);
  const turned = [...all.slice(start), ...all.slice(0, start)];
  focus(turned.find((item) => item.querySelector(".name").textContent.trim().toLowerCase().startsWith(typed)));
}

function open(item) {
  if (item.dataset.more) more(item);
  else link(item).click();
}

function keydown(event) {
  const item = event.target.closest("[role=treeitem]");
  if (!item || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = shown();
  const at = all.indexOf(item);
  const moves = {
    ArrowDown: () => focus(all[at + 1]),
    ArrowUp: () => focus(all[at - 1]),
    Home: () => focus(all[0]),
    End: () => focus(all.at(-1)),
    ArrowRight: () => (isOpen(item) ? focus(group(item)?.firstElementChild) : set(item, true)),
    ArrowLeft: () => (isOpen(item) ? set(item, false) : focus(parent(item))),
    Enter: () => open(item),
    " ": () => open(item),
    "*": () => [...item.parentElement.children].forEach((one) => !isOpen(one) && one.dataset.branch && set(one, true)),
  };
  if (event.key === " " && isTyping()) toName(" ", item);
  else if (moves[event.key]) moves[event.key]();
  else if (event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key)) toName(event.key.toLowerCase(), item);
  else return;
  event.preventDefault();
}

/** What is done on another page, or by loading this one anew, ends in the tree: at `item`, or the folder shown then. */
export function comeBack(item) {
  sessionStorage.setItem(BACK, JSON.stringify({ key: item?.dataset.key ?? "", address: location.pathname + location.search }));
}

/** The end of that. A page between, which has something to begin with, is not it. */
function cameBack() {
  const { key, address } = JSON.parse(sessionStorage.getItem(BACK) ?? "{}");
  const isBetween = [...document.querySelectorAll("main [autofocus]")].some((one) => one.checkVisibility());
  if (key === undefined || isBetween) return;
  sessionStorage.removeItem(BACK);
  const isThere = address === location.pathname + location.search || document.querySelector("#toasts [data-toast]");
  const item = itemOf(key) ?? tree.querySelector("[role=treeitem][tabindex='0']");
  if (isThere && item?.checkVisibility()) focus(item);
}

/** After the tree was drawn anew: the tab stop, and the focus if it was here, are where they were. */
function drawn() {
  const current = tree.querySelector("[role=treeitem]:has(> [aria-current])") ?? tree.querySelector("[role=treeitem]");
  const item = (stop && itemOf(stop)) || current;
  if (!item) return;
  if (within && (document.activeElement === document.body || !document.activeElement)) focus(item);
  else makeStop(item);
}

if (tree) {
  drawn();
  cameBack();
  // After the keys of one folder (branch_menu.js, arrange.js), before those of the page: letters typed here are a name.
  tree.parentElement.addEventListener("keydown", keydown);
  tree.addEventListener("click", (event) => {
    const item = event.target.closest("[role=treeitem]");
    if (item?.dataset.more) {
      event.preventDefault();
      more(item);
      return;
    }
    if (!event.target.closest(".twist")) return;
    event.preventDefault();
    set(item, !isOpen(item));
  });
  tree.addEventListener("focusin", (event) => {
    const item = event.target.closest("[role=treeitem]");
    within = true;
    // Not while a button is down: moving the focus then would keep the folder from being dragged.
    if (item && !isPressed && event.target.matches(".node")) focus(item);
    else if (item) makeStop(item);
  });
  addEventListener("pointerdown", () => (isPressed = true), true);
  for (const end of ["pointerup", "pointercancel", "dragend"]) addEventListener(end, () => (isPressed = false), true);
  document.addEventListener("focusin", (event) => {
    if (!tree.contains(event.target)) within = false;
  });
  tree.addEventListener("tree:open", (event) => set(event.target, true)); // drag.js, while hovering
  document.addEventListener("list-drawn", drawn);
}

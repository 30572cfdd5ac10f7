// The folder tree: one tab stop, arrows, Home, End, typing a name; remembers what is open; fetches a branch when
// it is first opened. The server renders what the kb_open cookie lists, so that nothing moves on the next page.
const tree = document.querySelector("#tree [role=tree]");
const COOKIE = "kb_open";
const MOST = 60;
const YEAR = 365 * 24 * 3600;
const TYPING_MS = 700;
let typed = "";
let typedAt = 0;

const shown = () => [...tree.querySelectorAll("[role=treeitem]")].filter((item) => !item.closest("[hidden]"));
const link = (item) => item.querySelector(":scope > .node");
const group = (item) => item.querySelector(":scope > [role=group]");
const parent = (item) => item.parentElement.closest("[role=treeitem]");

function focus(item) {
  if (!item) return;
  for (const other of tree.querySelectorAll("[role=treeitem][tabindex='0']")) other.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
}

function remember() {
  const open = [...tree.querySelectorAll("[role=treeitem][aria-expanded=true]")].map((item) => item.dataset.key);
  const value = open.slice(0, MOST).join(".");
  document.cookie = `${COOKIE}=${value}; path=/; max-age=${YEAR}; samesite=lax`;
}

async function fill(item) {
  if (group(item)) return;
  const response = await fetch(item.dataset.branch, { headers: { "HX-Request": "true" } });
  if (!response.ok || group(item)) return;
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  item.append(...parsed.body.children);
}

async function set(item, open) {
  if (!item.hasAttribute("aria-expanded")) return;
  item.setAttribute("aria-expanded", String(open));
  if (open) await fill(item);
  const children = group(item);
  if (children) children.hidden = !open;
  remember();
}

const isOpen = (item) => item.getAttribute("aria-expanded") === "true";

function toName(letter, from) {
  typed = Date.now() - typedAt < TYPING_MS ? typed + letter : letter;
  typedAt = Date.now();
  const all = shown();
  const start = all.indexOf(from) + (typed.length === 1 ? 1 : 0);
  const turned = [...all.slice(start), ...all.slice(0, start)];
  focus(turned.find((item) => item.querySelector(".name").textContent.trim().toLowerCase().startsWith(typed)));
}

function keydown(event) {
  const item = event.target.closest("[role=treeitem]");
  if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = shown();
  const at = all.indexOf(item);
  const moves = {
    ArrowDown: () => focus(all[at + 1]),
    ArrowUp: () => focus(all[at - 1]),
    Home: () => focus(all[0]),
    End: () => focus(all.at(-1)),
    ArrowRight: () => (isOpen(item) ? focus(group(item)?.firstElementChild) : set(item, true)),
    ArrowLeft: () => (isOpen(item) ? set(item, false) : focus(parent(item))),
    Enter: () => link(item).click(),
    " ": () => link(item).click(),
  };
  if (moves[event.key]) moves[event.key]();
  else if (event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key)) toName(event.key.toLowerCase(), item);
  else return;
  event.preventDefault();
}

if (tree) {
  const current = tree.querySelector("[role=treeitem]:has(> [aria-current])") ?? tree.querySelector("[role=treeitem]");
  if (current) current.tabIndex = 0;
  tree.addEventListener("keydown", keydown);
  tree.addEventListener("click", (event) => {
    const twist = event.target.closest(".twist");
    if (!twist) return;
    event.preventDefault();
    const item = twist.closest("[role=treeitem]");
    set(item, !isOpen(item));
  });
  tree.addEventListener("focusin", (event) => {
    const item = event.target.closest("[role=treeitem]");
    if (item && event.target !== item && event.target.matches(".node")) focus(item);
  });
  tree.addEventListener("tree:open", (event) => set(event.target, true)); // drag.js, while hovering
}

// Where a folder is: putting one into another or between two, by drag (drag.js) and by Alt with an arrow.
import { keepOpen, parent, tree } from "./tree.js";
import { post, refresh } from "./refresh.js";
import { say, sayHeader, words } from "./toast.js";

const id = (item) => item?.dataset.folderId ?? "";
let busy = false;

/** Put the folder of `item` into `target` (null is the top), `before` or `after` an item there; the answer says so. */
export async function place(item, target, { before = null, after = null } = {}) {
  if (busy) return;
  busy = true;
  const body = new URLSearchParams({ parent: id(target), next: location.pathname + location.search });
  if (before) body.set("before", id(before));
  if (after) body.set("after", id(after));
  const address = document.getElementById("branch-menu").dataset.place;
  const none = document.getElementById("branch-menu").dataset.none;
  try {
    const response = await post(address.replace(none, id(item)), body);
    const said = sayHeader(response.headers.get("HX-Trigger"));
    if (!response.ok && !said) say(words("failed"), { tone: "error" });
    if (!response.ok) return;
    if (target) keepOpen(target);
    await refresh();
  } finally {
    busy = false;
  }
}

function sibling(item, way) {
  const other = way < 0 ? item.previousElementSibling : item.nextElementSibling;
  return other?.dataset.folderId ? other : null;
}

const ways = {
  ArrowUp(item) {
    const other = sibling(item, -1);
    return other && place(item, parent(item), { before: other });
  },
  ArrowDown(item) {
    const other = sibling(item, 1);
    return other && place(item, parent(item), { after: other });
  },
  out(item) {
    const outer = parent(item);
    return outer && place(item, parent(outer), { after: outer });
  },
  in(item) {
    const other = sibling(item, -1);
    return other && place(item, other);
  },
};

if (tree && document.getElementById("branch-menu")) {
  tree.addEventListener("keydown", (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !event.key.startsWith("Arrow")) return;
    const item = event.target.closest("[role=treeitem]");
    if (!item?.dataset.folderId) return;
    event.preventDefault(); // Alt with an arrow is "back" in the browser
    const rtl = getComputedStyle(tree).direction === "rtl";
    const key = { ArrowLeft: rtl ? "in" : "out", ArrowRight: rtl ? "out" : "in" }[event.key] ?? event.key;
    ways[key]?.(item);
  });
}

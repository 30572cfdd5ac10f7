// Things that carry data-move (an address to POST `folder` to) can be dropped on a folder of the tree; a folder of
// the tree into another, or between two; files too: they arrive at the page as `folder-files` {folder, name, files}.
import { place } from "./arrange.js";
import { post, refresh } from "./refresh.js";
import { say, sayHeader, words } from "./toast.js";
import { isOpen, parent, tree } from "./tree.js";

const OPEN_MS = 600;
const EDGE = 0.28; // of a row's height: there a folder goes before or after, else into it
const MARKS = ["drop-here", "drop-before", "drop-after"];
let dragged = null;
let folder = null; // the tree's item that is dragged
let over = null;
let way = "";
let timer = 0;

function mark(node, how = "drop-here") {
  if (over === node && way === how) return;
  over?.classList.remove(...MARKS);
  if (over !== node) clearTimeout(timer);
  const isNew = over !== node;
  [over, way] = [node, how];
  if (!node) return;
  node.classList.add(how);
  const item = node.closest("[role=treeitem]");
  if (isNew && item.getAttribute("aria-expanded") === "false") {
    timer = setTimeout(() => item.dispatchEvent(new CustomEvent("tree:open", { bubbles: true })), OPEN_MS);
  }
}

/** How the dragged folder would land on `node`: a mark, or nothing where it can't. */
function landing(node, event) {
  const item = node.closest("[role=treeitem]");
  if (!item.dataset.folderId || folder.contains(item)) return "";
  const box = node.getBoundingClientRect();
  const at = (event.clientY - box.top) / box.height;
  if (at < EDGE) return "drop-before";
  if (at > 1 - EDGE && !isOpen(item)) return "drop-after";
  return "drop-here";
}

function drop(item) {
  if (way === "drop-before") return place(folder, parent(item), { before: item });
  if (way === "drop-after") return place(folder, parent(item), { after: item });
  return place(folder, item);
}

async function move(address, target) {
  const response = await post(address, new URLSearchParams({ folder: target }));
  if (response.type === "opaqueredirect") return; // what was done is said on the page that comes
  if (!sayHeader(response.headers.get("HX-Trigger")) && !response.ok) say(words("failed"), { tone: "error" });
  if (response.ok) await refresh();
}

document.addEventListener("dragstart", (event) => {
  const start = event.target;
  folder = start.closest?.(".node")?.closest("#tree [data-folder-id]") ?? null;
  dragged = folder ? null : (start.closest?.("[data-move]") ?? null);
  const thing = folder?.querySelector(".name") ?? dragged;
  if (!thing) return;
  event.dataTransfer.setData("text/plain", thing.textContent.trim().slice(0, 100));
  event.dataTransfer.effectAllowed = "move";
  folder?.classList.add("is-dragged");
});
document.addEventListener("dragend", () => {
  folder?.classList.remove("is-dragged");
  dragged = folder = null;
  mark(null);
});

if (tree) {
  tree.addEventListener("dragover", (event) => {
    const node = event.target.closest(".node[data-folder]");
    const files = event.dataTransfer.types.includes("Files");
    if (!node || !(dragged || folder || files)) return mark(null);
    const how = folder ? landing(node, event) : "drop-here";
    if (!how) return mark(null);
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = files ? "copy" : "move";
    mark(node, how);
  });
  tree.addEventListener("dragleave", (event) => {
    if (!tree.contains(event.relatedTarget)) mark(null);
  });
  tree.addEventListener("drop", (event) => {
    if (!over) return;
    event.preventDefault();
    event.stopPropagation();
    const target = over.dataset.folder;
    const name = over.querySelector(".name").textContent;
    if (event.dataTransfer.files.length) {
      const detail = { folder: target, name, files: [...event.dataTransfer.files] };
      document.dispatchEvent(new CustomEvent("folder-files", { detail }));
    } else if (folder) drop(over.closest("[role=treeitem]"));
    else if (dragged) move(dragged.dataset.move, target);
    mark(null);
  });
}

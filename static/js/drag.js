// Things that carry data-move (an address to POST `folder` to) can be dropped on a folder of the tree; files can too:
// they arrive at the page as a `folder-files` event {folder, name, files}.
import { say, sayHeader, words } from "./toast.js";

const tree = document.querySelector("#tree [role=tree]");
const OPEN_MS = 600;
let dragged = null;
let over = null;
let timer = 0;

function mark(node) {
  if (over === node) return;
  over?.classList.remove("drop-here");
  clearTimeout(timer);
  over = node;
  if (!node) return;
  node.classList.add("drop-here");
  const item = node.closest("[role=treeitem]");
  if (item.getAttribute("aria-expanded") === "false") {
    timer = setTimeout(() => item.dispatchEvent(new CustomEvent("tree:open", { bubbles: true })), OPEN_MS);
  }
}

/** Draw the list and the counts anew; toasts and what is typed elsewhere stay. */
async function refresh() {
  const response = await fetch(location.href);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const place of ["#main", "#tree [role=tree]"]) {
    const [now, then] = [document.querySelector(place), page.querySelector(place)];
    if (!now || !then) continue;
    now.replaceChildren(...then.childNodes);
    htmx.process(now);
  }
}

async function move(address, folder) {
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  const body = new URLSearchParams({ folder });
  const request = { method: "POST", headers: { ...headers, "HX-Request": "true" }, body, redirect: "manual" };
  const response = await fetch(address, request);
  if (response.type === "opaqueredirect") return location.reload(); // what was done is said on the page that comes
  if (!sayHeader(response.headers.get("HX-Trigger")) && !response.ok) say(words("failed"), { tone: "error" });
  if (response.ok) await refresh();
}

document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.("[data-move]") ?? null;
  if (dragged) event.dataTransfer.setData("text/plain", dragged.textContent.trim().slice(0, 100));
});
document.addEventListener("dragend", () => {
  dragged = null;
  mark(null);
});

if (tree) {
  tree.addEventListener("dragover", (event) => {
    const node = event.target.closest(".node[data-folder]");
    const files = event.dataTransfer.types.includes("Files");
    if (!node || !(dragged || files)) return mark(null);
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = files ? "copy" : "move";
    mark(node);
  });
  tree.addEventListener("dragleave", (event) => {
    if (!tree.contains(event.relatedTarget)) mark(null);
  });
  tree.addEventListener("drop", (event) => {
    if (!over) return;
    event.preventDefault();
    event.stopPropagation();
    const { folder } = over.dataset;
    const name = over.querySelector(".name").textContent;
    if (event.dataTransfer.files.length) {
      const detail = { folder, name, files: [...event.dataTransfer.files] };
      document.dispatchEvent(new CustomEvent("folder-files", { detail }));
    } else if (dragged) move(dragged.dataset.move, folder);
    mark(null);
  });
}

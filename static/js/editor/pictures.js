// Pictures: pasted, dropped or chosen; a line stands for each until it is taken in.
import { headers } from "../refresh.js";
import { say, words } from "../toast.js";
import { areaOf, editorOf, insert, isArea } from "./area.js";

const LARGEST = 10e6;
const KINDS = ["image/png", "image/jpeg", "image/gif", "image/webp"];
let count = 0;

/** Put `text` where `mark` stands, wherever the caret is by now. */
function replace(area, mark, text) {
  const at = area.value.indexOf(mark);
  if (at < 0) return;
  const { selectionStart, selectionEnd } = area;
  const had = document.activeElement;
  const moved = (place) => (place <= at ? place : Math.max(place + text.length - mark.length, at));
  insert(area, text, { start: at, end: at + mark.length });
  area.setSelectionRange(moved(selectionStart), moved(selectionEnd));
  if (had !== area) had?.focus?.();
}

async function send(editor, area, file, mark) {
  const body = new FormData();
  body.append("file", file, file.name || "picture");
  try {
    const answer = await fetch(editor.dataset.pictures, { method: "POST", body, headers: headers() });
    const known = answer.headers.get("Content-Type")?.includes("json");
    const { url = "", detail = "" } = known ? await answer.json() : {};
    const alt = (file.name || "").replace(/\.\w+$/, "").replace(/[[\]\\\n]/g, " ").trim();
    replace(area, mark, url ? `![${alt}](${url})` : "");
    if (!url) say(detail || editor.dataset.refused, { tone: "error" });
  } catch {
    replace(area, mark, "");
    say(words("offline") || editor.dataset.refused, { tone: "error" });
  }
}

function take(editor, files) {
  const area = areaOf(editor);
  for (const file of files) {
    if (!KINDS.includes(file.type)) say(editor.dataset.noPicture, { tone: "error" });
    else if (file.size > LARGEST) say(editor.dataset.large, { tone: "error" });
    else {
      const name = (file.name || "picture").replace(/[[\]()\\\n]/g, " ");
      const mark = `![${editor.dataset.uploading.replace("{name}", () => name)}](#${++count})`;
      const before = area.value[area.selectionStart - 1];
      insert(area, `${before === undefined || /\s/.test(before) ? "" : " "}${mark}`);
      send(editor, area, file, mark);
    }
  }
}

document.addEventListener("paste", (event) => {
  if (!isArea(event.target)) return;
  const files = [...(event.clipboardData?.files ?? [])].filter((file) => file.type.startsWith("image/"));
  // Word and the like copy text with a picture of it: the text is meant.
  if (!files.length || event.clipboardData.getData("text/plain")) return;
  event.preventDefault();
  take(editorOf(event.target), files);
});
const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
document.addEventListener("dragover", (event) => {
  const editor = editorOf(event.target);
  if (!editor || !holdsFiles(event)) return;
  event.preventDefault();
  editor.classList.add("over");
});
document.addEventListener("dragleave", (event) => editorOf(event.target)?.classList.remove("over"));
document.addEventListener("drop", (event) => {
  const editor = editorOf(event.target);
  if (!editor || !holdsFiles(event)) return;
  event.preventDefault();
  editor.classList.remove("over");
  take(editor, event.dataTransfer.files);
});
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-choose-picture]")) return;
  take(editorOf(event.target), [...event.target.files]);
  event.target.value = "";
});

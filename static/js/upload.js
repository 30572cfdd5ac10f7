// Files are dropped anywhere on the page, chosen, or dropped on a folder of the tree. They are sent a few at a time,
// so that one slow or broken sending never costs the others; the list then follows each by itself.
import { headers } from "./refresh.js";
import { refresh } from "./rows.js";
import { say, words } from "./toast.js";

// Looked up each time: parts of the page are replaced while it is open.
const page = () => document.querySelector("[data-upload]");
const form = () => document.getElementById("drop");
const AT_ONCE = 20;
const BYTES_AT_ONCE = 64e6;
const MEGABYTE = 1e6;
const waiting = [];
let busy = false;
let batch = "";
let sent = 0;
let total = 0;

/** What a drop holds, with the files inside folders. */
async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  const found = [];
  const walk = async (entry) => {
    if (entry.isFile) found.push(await new Promise((done, failed) => entry.file(done, failed)));
    else {
      const reader = entry.createReader();
      for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length; ) {
        for (const one of some) await walk(one);
      }
    }
  };
  for (const entry of entries) await walk(entry);
  return found;
}

function show(fraction) {
  const line = document.getElementById("sending");
  line.hidden = !busy;
  const text = form().dataset.sending.replace("{n}", Math.min(sent + 1, total)).replace("{total}", total);
  line.firstElementChild.textContent = text;
  line.querySelector("progress").value = Math.round(fraction * 100);
}

function complain(request) {
  const trigger = JSON.parse(request.getResponseHeader("HX-Trigger") ?? "{}");
  for (const one of trigger.toasts ?? []) say(one.text, one);
  if (!trigger.toasts?.length) say(words(request.status ? "failed" : "offline"), { tone: "error" });
}

function post(body) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", page().dataset.upload);
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => event.lengthComputable && show(event.loaded / event.total));
    request.addEventListener("loadend", () => done(request));
    request.send(body);
  });
}

function some() {
  const { folder } = waiting[0];
  const taken = [];
  let bytes = 0;
  while (waiting.length && waiting[0].folder === folder && taken.length < AT_ONCE) {
    if (taken.length && bytes + waiting[0].file.size > BYTES_AT_ONCE) break;
    const { file } = waiting.shift();
    bytes += file.size;
    taken.push(file);
  }
  return { folder, taken };
}

async function send() {
  if (busy) return;
  busy = true;
  sent = 0;
  while (waiting.length) {
    const { folder, taken } = some();
    const body = new FormData();
    for (const file of taken) body.append("file", file, file.name);
    body.append("folder", folder);
    if (batch) body.append("batch", batch);
    else body.append("key", crypto.randomUUID?.() ?? String(Math.random()));
    show(0);
    const request = await post(body);
    if (request.status === 200) batch = request.responseText;
    else complain(request);
    sent += taken.length;
    refresh(batch);
  }
  busy = false;
  total = 0;
  show(1);
}

function take(files, folder) {
  const most = Number(form().dataset.max) * MEGABYTE;
  for (const file of files) {
    if (file.size > most) say(form().dataset.tooLarge.replace("{name}", () => file.name), { tone: "error" });
    else {
      if (!busy && !waiting.length) batch = "";
      waiting.push({ file, folder });
      total += 1;
    }
  }
  if (waiting.length) send();
}

const into = () => form().dataset.into;
const holdsFiles = (event) => page() && [...event.dataTransfer.types].includes("Files");
let depth = 0;
const over = (on) => page()?.classList.toggle("over", on);

document.addEventListener("change", (event) => {
  if (!event.target.matches("#drop input[type=file]")) return;
  take(event.target.files, into());
  event.target.value = "";
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-choose]")) form().querySelector("input[type=file]").click();
});
document.addEventListener("dragenter", (event) => holdsFiles(event) && over(++depth > 0));
document.addEventListener("dragleave", (event) => holdsFiles(event) && over(--depth > 0));
document.addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
document.addEventListener("drop", async (event) => {
  if (!holdsFiles(event) || event.defaultPrevented) return;
  event.preventDefault();
  depth = 0;
  over(false);
  take(await filesOf(event.dataTransfer), into());
});
document.addEventListener("folder-files", (event) => {
  depth = 0;
  over(false);
  if (page()) take(event.detail.files, event.detail.folder);
});

// <button data-copy="#id"> copies that element's text (or data-copy-text); the button says so for a moment.
const SHOWN_MS = 1500;

async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea"); // plain http on a LAN has no clipboard API
  area.value = text;
  area.className = "said";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy], button[data-copy-text]");
  if (!button) return;
  const source = button.dataset.copy ? document.querySelector(button.dataset.copy) : null;
  await write(button.dataset.copyText ?? source?.innerText ?? "");
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), SHOWN_MS);
});

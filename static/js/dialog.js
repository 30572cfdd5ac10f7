// <button data-open="id"> opens that dialog; a click beside a dialog closes it where closedby is unknown.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (opener) {
    const dialog = document.getElementById(opener.dataset.open);
    if (!dialog) return;
    event.preventDefault();
    opener.closest("[popover]:popover-open")?.hidePopover();
    dialog.showModal();
    return;
  }
  if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
  const dialog = event.target;
  if (dialog instanceof HTMLDialogElement && dialog.getAttribute("closedby") === "any" && !("closedBy" in dialog)) {
    const box = dialog.getBoundingClientRect();
    const inside =
      event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) dialog.close();
  }
});

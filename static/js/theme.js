// The theme changes at once; the server keeps it for the next page.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-themes]");
  if (!form || !event.submitter) return;
  event.preventDefault();
  const { value } = event.submitter;
  const root = document.documentElement;
  if (value) root.dataset.theme = value;
  else delete root.dataset.theme;
  for (const button of document.querySelectorAll("form[data-themes] button")) {
    button.toggleAttribute("aria-current", false);
    if (button.value === value) button.setAttribute("aria-current", "true");
  }
  const body = new FormData(form, event.submitter);
  await fetch(form.action, { method: "POST", body, redirect: "manual", keepalive: true });
});

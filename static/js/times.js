// The exact time on hover is the reader's own, not the server's.
const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" });

function localise(root) {
  for (const time of root.querySelectorAll?.("time[datetime]") ?? []) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.getTime())) time.title = format.format(date);
  }
}

localise(document);
document.addEventListener("htmx:load", (event) => localise(event.detail.elt));

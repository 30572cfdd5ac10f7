// The rows of documents: following those that still move.
import "./chosen.js";

const POLL_MS = 5000;

/** Ask for the list anew; it then follows what moves on it. On other pages, load the page anew. */
export function refresh(batch = "") {
  const address = new URL(location.href);
  if (batch) address.searchParams.set("batch", batch);
  const list = document.getElementById("list");
  if (!list) return location.reload();
  return htmx.ajax("GET", address.pathname + address.search, { target: "#list", swap: "outerHTML" });
}

// Something was done with a row: what it set going has to be followed.
document.addEventListener("rows-changed", () => refresh());

// The page of one document shows its text once it is there.
document.addEventListener("htmx:sseClose", (event) => {
  if (event.detail.type === "message" && document.querySelector("[data-one]")) location.reload();
});

// Where events don't get through, the list is asked for now and then instead.
let asking = 0;
document.addEventListener("htmx:sseError", () => {
  if (asking) return;
  asking = setInterval(() => {
    if (document.querySelector("[data-poll]")) return refresh();
    clearInterval(asking);
    asking = 0;
  }, POLL_MS);
});
document.addEventListener("htmx:sseOpen", () => {
  clearInterval(asking);
  asking = 0;
});

// Draw this page's list and the tree's counts anew; toasts and what is typed elsewhere stay.
import { keepFocus } from "./focus.js";

const PLACES = ["#rows", "#total", "#tree [role=tree]"];

/** Fetch the page again and put its rows and tree in place of those that are there; keeps which row is current. */
export async function refresh() {
  const all = [...document.querySelectorAll("[data-list] [data-item]")];
  const at = all.findIndex((row) => row.getAttribute("aria-current") === "true");
  const response = await fetch(location.href);
  if (!response.ok) return location.reload();
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const places = page.querySelector("#rows") ? PLACES : ["#main", "#tree [role=tree]"];
  const backs = [];
  for (const place of places) {
    const [now, then] = [document.querySelector(place), page.querySelector(place)];
    if (!now || !then) continue;
    const back = keepFocus(now);
    if (!place.startsWith("#tree")) backs.push(() => back(now)); // the tree keeps its own
    now.replaceChildren(...then.childNodes);
    htmx.process(now);
  }
  const rows = [...document.querySelectorAll("[data-list] [data-item]")];
  if (at >= 0) rows[Math.min(at, rows.length - 1)]?.setAttribute("aria-current", "true");
  for (const back of backs) back();
  document.dispatchEvent(new CustomEvent("list-drawn"));
}

/** What a request of ours carries: the token against forgery, and that it is answered with a part. */
export const headers = () => ({ ...JSON.parse(document.body.getAttribute("hx-headers")), "HX-Request": "true" });

/** POST `body` to `address` as htmx does, say what the answer says; whether it went well. */
export async function post(address, body) {
  const response = await fetch(address, { method: "POST", headers: headers(), body, redirect: "manual" });
  if (response.type === "opaqueredirect") location.reload(); // what was done is said on the page that comes
  return response;
}

// Where what had the focus is drawn anew, the focus goes to the same thing there, or to what came in its place.
import { shown } from "./keys.js";

const NAMES = ["id", "data-key", "data-opens", "data-action", "name", "href", "hx-get"];
const CONTROLS = "summary, button, a[href], input:not([type=hidden], :disabled), select, textarea";
const rows = () => [...document.querySelectorAll("[data-list] [data-item]")];

function selector(element) {
  const written = (name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`;
  const name = NAMES.find((one) => element.hasAttribute(one));
  const value = element.localName === "button" && element.value ? written("value") : "";
  return name ? element.localName + written(name) + value : "";
}

/** Call before `region` is drawn anew; returns what to call with the new one then. */
export function keepFocus(region) {
  const had = document.activeElement;
  if (!region?.contains(had) || had === region) return () => {};
  const row = had.closest("[data-item]");
  const at = row ? rows().indexOf(row) : -1;
  const same = selector(had);
  return (fresh) => {
    const now = document.activeElement;
    if ((now && now !== document.body) || !fresh?.isConnected) return;
    const within = at < 0 ? fresh : rows()[Math.min(at, rows().length - 1)];
    const found = same && [...(within?.querySelectorAll(same) ?? [])].find(shown);
    (found || substitute(within ?? fresh)).focus({ preventScroll: true });
  };
}

/** Of a list its current row, of what can be edited its pencil, of a text its start; else the first control. */
function substitute(region) {
  const current = region.querySelector("[data-item][aria-current=true]");
  const row = region.matches("[data-item]") ? region : (current ?? region.querySelector("[data-list] [data-item]"));
  const opener = row?.querySelector("[data-opens]");
  if (opener) return opener;
  const isText = region.matches(".prose") || region.querySelector(".prose");
  const first = region.querySelector(".pencil") ?? (isText ? null : region.querySelector(CONTROLS));
  if (first && shown(first)) return first;
  if (!region.hasAttribute("tabindex")) region.tabIndex = -1;
  return region;
}

let back = () => {};
document.addEventListener("htmx:beforeSwap", (event) => {
  back = keepFocus(event.detail.target);
});
document.addEventListener("htmx:afterSettle", (event) => {
  const { target, elt } = event.detail;
  const fresh = target?.isConnected ? target : (document.getElementById(target?.id) ?? elt);
  back(fresh);
  back = () => {};
});

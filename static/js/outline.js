// The outline says where one is: the last of its headings above a third of the window is current.
const links = [...document.querySelectorAll(".outline a[href^='#']")];
const LINE = 0.33;

function current() {
  let found = links[0];
  for (const link of links) {
    const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (place && place.getBoundingClientRect().top <= innerHeight * LINE) found = link;
  }
  return found;
}

let waiting = false;
function follow() {
  waiting = false;
  const now = current();
  for (const link of links) {
    if (link === now) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function soon() {
  if (!waiting) requestAnimationFrame(follow);
  waiting = true;
}

if (links.length) {
  addEventListener("scroll", soon, { passive: true });
  document.addEventListener("htmx:afterSettle", soon);
  soon();
}

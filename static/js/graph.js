// The graph page. The server drew the picture; this lets one move in it, choose, search and walk along edges.
import { labelsIn } from "./graph_labels.js";
import { narrowed } from "./graph_narrow.js";
import { viewOn } from "./graph_view.js";

const SVG = "http://www.w3.org/2000/svg";
const NEAR = 16; // pixels: how close to a dot counts as on it
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const root = document.getElementById("graph");
const number = (element, name) => Number(element.getAttribute(name));
const slugOf = (link) => decodeURIComponent(new URL(link.href).pathname.split("/").at(-2));
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

const form = document.querySelector("form[data-narrow]");
form?.addEventListener("change", (event) => event.target.id !== "seek" && form.requestSubmit());
form?.addEventListener("submit", () => {
  for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
});
addEventListener("pageshow", () => {
  for (const field of form?.elements ?? []) field.disabled = false;
});

function readDots(svg) {
  return [...svg.querySelectorAll(".dots a")].map((link) => {
    const circle = link.querySelector("circle");
    const r = number(circle, "r");
    const x = number(circle, "cx");
    const y = number(circle, "cy");
    const href = new URL(link.getAttribute("href"), location).href; // an svg's link has no plain href
    return { link, href, circle, x, y, r, now: r, name: link.querySelector("title").textContent, edges: [], links: 0 };
  });
}

/** The edges, each with its curve: the server wrote those of one type as one path. */
function readEdges(svg, dots) {
  const data = JSON.parse(document.getElementById("graph-data").textContent);
  const edges = [];
  const drawn = svg.querySelectorAll(".strands > *");
  data.forEach((strand, s) => {
    const paths = drawn[s].localName === "path" ? [drawn[s]] : [...drawn[s].children];
    const curves = paths.map((path) => path.getAttribute("d")).join("").split("M").slice(1);
    for (let n = 0; n < curves.length; n += 1) {
      const [source, target] = [strand.pairs[2 * n], strand.pairs[2 * n + 1]];
      const edge = { source, target, d: `M${curves[n]}`, strand };
      edges.push(edge);
      for (const end of [source, target]) {
        dots[end].edges.push(edge);
        if (strand.link) dots[end].links += 1;
      }
    }
  });
  return edges;
}

const other = (edge, n) => (edge.source === n ? edge.target : edge.source);
const how = (edge, n) => (edge.source === n ? edge.strand.out : edge.strand.in);

function start() {
  const svg = root.querySelector("svg.picture");
  const canvas = root.querySelector(".canvas");
  const said = document.getElementById("graph-said");
  const lit = svg.querySelector(".lit");
  const isRadial = root.classList.contains("radial");
  const dots = readDots(svg);
  readEdges(svg, dots);
  const bySlug = new Map(dots.map((dot, n) => [slugOf(dot), n]));
  const importance = dots.map((_dot, n) => n).sort((a, b) => dots[b].edges.length - dots[a].edges.length || a - b);
  const box = svg.viewBox.baseVal;
  const place = isRadial ? null : labelsIn(svg.querySelector(".labels"), areasOf(svg), dots);
  const names = isRadial ? [...svg.querySelectorAll(".labels text")] : [];

  let chosen = -1;
  let over = -1;
  let found = [];
  let scaled = 0;
  let later = 0;

  const shownNow = () => (over >= 0 ? over : chosen);

  function name() {
    if (!place) return;
    const n = shownNow();
    const sure = n < 0 ? found.slice(0, 60) : [n, ...new Set(dots[n].edges.map((edge) => other(edge, n)))];
    place(view.state, importance, sure);
  }

  function changed(k) {
    if (!scaled) scaled = k;
    if (!isRadial) {
      svg.querySelector(".labels").setAttribute("font-size", 12 / k);
      const shrink = (k / scaled) ** -0.55;
      for (const dot of dots) {
        dot.now = Math.max(dot.r * shrink, 1.8 / k);
        dot.circle.setAttribute("r", dot.now.toFixed(2));
      }
      for (const marker of svg.querySelectorAll("marker")) {
        marker.setAttribute("markerWidth", 9 / k);
        marker.setAttribute("markerHeight", 9 / k);
      }
    }
    clearTimeout(later);
    later = setTimeout(name, 60);
  }

  const tight = isRadial ? narrowed(svg, dots, names) : null;
  root.classList.toggle("narrow-radial", Boolean(tight));
  const view = viewOn(svg, {
    box: tight ?? { x: box.x, y: box.y, width: box.width, height: box.height },
    start: isRadial && !tight ? dots[0] : null,
    changed,
  });
  name();

  /** Light up a dot with its edges and neighbours; the rest fades. */
  function light() {
    const n = shownNow();
    svg.classList.toggle("some", n >= 0);
    for (const old of svg.querySelectorAll(".dots .near, .dots .chosen, .labels .near")) old.classList.remove("near", "chosen");
    lit.replaceChildren();
    if (n >= 0) {
      for (const edge of dots[n].edges) {
        const path = lit.appendChild(document.createElementNS(SVG, "path"));
        path.setAttribute("d", edge.d);
        path.setAttribute("class", edge.strand.type);
        if (edge.strand.directed) path.setAttribute("marker-end", "url(#arrow)");
        const end = other(edge, n);
        dots[end].link.classList.add("near");
        names[end]?.classList.add("near");
      }
      dots[n].link.classList.add("chosen");
      names[n]?.classList.add("near");
    }
    name();
  }

  function speak(n, edge) {
    const dot = dots[n];
    const counts = filled(root.dataset.counts, { r: dot.edges.length - dot.links, l: dot.links });
    const first = edge ? filled(root.dataset.walked, { name: dot.name, how: how(edge, n), other: dots[other(edge, n)].name }) : `${dot.name}.`;
    said.textContent = `${first} ${counts}`;
  }

  let fetching = 0;
  const unchosen = document.getElementById("card").cloneNode(true);
  function keepInAddress(slug) {
    const here = new URL(location.href);
    if (slug) here.searchParams.set("at", slug);
    else here.searchParams.delete("at");
    history.replaceState(history.state, "", here);
  }
  function closeCard() {
    clearTimeout(fetching);
    document.getElementById("card").replaceWith(unchosen.cloneNode(true));
    keepInAddress("");
  }
  function openCard(n) {
    clearTimeout(fetching);
    const slug = slugOf(dots[n]);
    fetching = setTimeout(() => {
      const address = root.dataset.card.replace("SLUG", encodeURIComponent(slug));
      if (n === chosen) htmx.ajax("GET", address, { target: "#card", swap: "outerHTML" });
    }, 120);
    keepInAddress(slug);
  }

  function choose(n, { edge = null, move = true, k } = {}) {
    chosen = n;
    over = -1;
    light();
    if (n < 0) {
      said.textContent = root.dataset.cleared;
      closeCard();
      return;
    }
    speak(n, edge);
    openCard(n);
    if (move) view.reveal(dots[n].x, dots[n].y, k);
  }

  /** The dot under a pointer, -1 for none. */
  function under(event) {
    const label = names.indexOf(event.target);
    if (label >= 0) return label;
    const [x, y] = view.point(event);
    let best = -1;
    let least = NEAR / view.state.k;
    dots.forEach((dot, n) => {
      const far = Math.hypot(dot.x - x, dot.y - y) - dot.now * 0.5;
      if (far < least) [best, least] = [n, far];
    });
    return best;
  }

  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" || view.dragging()) return;
    const n = under(event);
    svg.classList.toggle("on-dot", n >= 0);
    if (n !== over) {
      over = n;
      light();
    }
  });
  svg.addEventListener("pointerleave", () => {
    if (over < 0) return;
    over = -1;
    light();
  });
  svg.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (view.dragged()) return event.preventDefault();
    if (event.target.closest(".labels a")) return;
    event.preventDefault();
    canvas.focus({ preventScroll: true });
    choose(under(event), { move: false });
  });
  svg.addEventListener("dblclick", (event) => {
    const n = under(event);
    if (n >= 0) location.href = dots[n].href;
  });

  function walk([dx, dy]) {
    if (chosen < 0) return choose(isRadial ? 0 : importance[0]);
    const from = dots[chosen];
    const score = (n) => {
      const along = (dots[n].x - from.x) * dx + (dots[n].y - from.y) * dy;
      const across = Math.abs((dots[n].x - from.x) * dy - (dots[n].y - from.y) * dx);
      return along > 0 && across <= along * 1.75 ? along + 2 * across : Infinity;
    };
    let [best, least, by] = [-1, Infinity, null];
    for (const edge of from.edges) {
      const far = score(other(edge, chosen));
      if (far < least) [best, least, by] = [other(edge, chosen), far, edge];
    }
    if (best < 0) {
      dots.forEach((_dot, n) => {
        const far = score(n);
        if (far < least) [best, least] = [n, far];
      });
    }
    if (best >= 0) choose(best, { edge: by });
  }

  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-labelledby", "graph-summary");
  canvas.setAttribute("aria-describedby", "graph-keys");
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (WAYS[event.key]) walk(WAYS[event.key]);
    else if (event.key === "Enter" && chosen >= 0) location.href = dots[chosen].href;
    else if (event.key === "Escape" && chosen >= 0) choose(-1);
    else if (event.key === "+" || event.key === "=") view.zoom(1.4);
    else if (event.key === "-") view.zoom(1 / 1.4);
    else if (event.key === "0") view.fit();
    else return;
    event.preventDefault();
  });

  const tools = document.querySelector(".graph-page .tools");
  tools.hidden = false;
  tools.addEventListener("click", (event) => {
    const way = event.target.closest("[data-zoom]")?.dataset.zoom;
    if (way === "fit") view.fit();
    else if (way) view.zoom(way === "in" ? 1.5 : 1 / 1.5);
  });

  root.addEventListener("click", (event) => {
    const link = event.target.closest("#card a[data-at]");
    const n = link ? bySlug.get(link.dataset.at) : undefined;
    if (n === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(n);
  });

  const seek = document.getElementById("seek");
  const sought = document.getElementById("sought");
  let next = 0;
  function search() {
    const wanted = seek.value.trim().toLocaleLowerCase();
    for (const n of found) dots[n].link.classList.remove("hit");
    found = wanted ? importance.filter((n) => dots[n].name.toLocaleLowerCase().includes(wanted)) : [];
    for (const n of found) dots[n].link.classList.add("hit");
    svg.classList.toggle("sought", found.length > 0);
    sought.textContent = !wanted ? "" : found.length ? `${found.length}` : root.dataset.none;
    next = 0;
    chosen = -1;
    light();
  }
  seek.closest("[hidden]").hidden = false;
  seek.addEventListener("input", search);
  seek.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && seek.value) {
      seek.value = "";
      search();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!found.length) return;
      const n = found[next % found.length];
      next += 1;
      sought.textContent = `${((next - 1) % found.length) + 1}/${found.length}`;
      choose(n, { k: Math.max(view.state.k, scaled * 2) });
    } else return;
    event.stopPropagation();
  });

  const at = bySlug.get(root.dataset.at) ?? -1;
  if (at >= 0 && (at > 0 || !isRadial)) {
    chosen = at;
    light();
    view.reveal(dots[at].x, dots[at].y);
  }
}

/** The folders' rectangles with their names, the outer and larger ones first. */
function areasOf(svg) {
  const names = JSON.parse(document.getElementById("graph-areas").textContent);
  const links = new Map([...svg.querySelectorAll(".labels a")].map((link) => [link.getAttribute("href"), link]));
  return [...svg.querySelectorAll(".areas rect")]
    .map((rect, n) => ({
      x: number(rect, "x"),
      y: number(rect, "y"),
      w: number(rect, "width"),
      h: number(rect, "height"),
      level: names[n].level,
      name: names[n].name,
      link: links.get(names[n].href) ?? linkTo(names[n]),
    }))
    .sort((a, b) => a.level - b.level || b.w * b.h - a.w * a.h);
}

function linkTo({ href, name }) {
  const link = document.createElementNS(SVG, "a");
  link.setAttribute("href", href);
  link.setAttribute("tabindex", "-1");
  const title = link.appendChild(document.createElementNS(SVG, "title"));
  title.textContent = name;
  return link;
}

if (root) start();

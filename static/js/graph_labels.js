// Names in the picture of a base: as many as fit at this size without covering each other or a dot.
const SIZE = 12;
const MOST = 320;
const LANDMARKS = 14; // so many of the most important are named even over other dots
const WIDEST = 230; // pixels
const LEAST = 52; // pixels: less room than this holds no name
const SVG = "http://www.w3.org/2000/svg";

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

function measured(text) {
  let width = widths.get(text);
  if (width === undefined) widths.set(text, (width = pen.measureText(text).width));
  return width;
}

function cut(name, room) {
  if (measured(name) <= room) return name;
  const letters = [...name].slice(0, 60);
  let [some, most] = [0, letters.length];
  while (some < most) {
    const half = Math.ceil((some + most) / 2);
    if (measured(`${letters.slice(0, half).join("")}…`) <= room) some = half;
    else most = half - 1;
  }
  return `${letters.slice(0, some).join("").trimEnd()}…`;
}

/** Which stretches of which lines of the screen are in use; lines are 6 pixels high. */
function lines() {
  const rows = new Map();
  const each = function* (box) {
    for (let row = Math.floor(box.top / 6); row <= Math.floor(box.bottom / 6); row += 1) yield row;
  };
  return {
    taken: (box) => [...each(box)].some((row) => rows.get(row)?.some((b) => b.left < box.right && box.left < b.right)),
    take(box) {
      for (const row of each(box)) (rows.get(row) ?? rows.set(row, []).get(row)).push(box);
    },
    /** How much is free to the right of `box`'s left edge. */
    room(box) {
      let right = Infinity;
      for (const row of each(box)) for (const b of rows.get(row) ?? []) if (b.left > box.left) right = Math.min(right, b.left);
      return right - box.left;
    },
  };
}

/** Writes names into `group`. `areas` are {x, y, w, h, level, link, name}; `dots` are {x, y, now, name}. */
export function labelsIn(group, areas, dots) {
  pen.font = `${SIZE}px ${getComputedStyle(group.ownerSVGElement).fontFamily}`;
  group.replaceChildren();
  const pool = [];
  // The right edge of the innermost area that a dot lies in: its name does not go beyond.
  const edges = dots.map(() => Infinity);
  for (const area of areas) {
    dots.forEach((dot, n) => {
      if (dot.x >= area.x && dot.x <= area.x + area.w && dot.y >= area.y && dot.y <= area.y + area.h) edges[n] = area.x + area.w;
    });
  }
  const headings = areas.map((area) => {
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("class", `area area-${area.level}`);
    area.link.replaceChildren(area.link.querySelector("title"), text);
    group.append(area.link);
    return text;
  });

  function shown(text, content, x, y) {
    if (text.textContent !== content) text.textContent = content;
    text.setAttribute("x", x);
    text.setAttribute("y", y);
    text.removeAttribute("display");
  }

  /** A folder's name at the left of its upper edge; it stays in sight while any of the area is. */
  function head(view, space) {
    areas.forEach((area, n) => {
      const left = Math.max((area.x - view.x) * view.k, 0) + 7;
      const right = Math.min((area.x + area.w - view.x) * view.k, view.w) - 4;
      const y = (area.y - view.y) * view.k + SIZE * 1.25;
      const name = right - left < 34 || area.h * view.k < 18 ? "" : cut(area.name, right - left);
      const box = { left: left - 3, right: left + measured(name) + 4, top: y - 11, bottom: y + 2 };
      if (name.length < 2 || space.taken(box)) return headings[n].setAttribute("display", "none");
      space.take(box);
      shown(headings[n], name, view.x + left / view.k, view.y + y / view.k);
    });
  }

  function block(view, space, among) {
    for (const n of among) {
      const x = (dots[n].x - view.x) * view.k;
      const y = (dots[n].y - view.y) * view.k;
      const r = Math.max(dots[n].now * view.k, 2);
      if (x > -20 && y > -20 && x < view.w + 20 && y < view.h + 20) space.take({ left: x - r, right: x + r, top: y - Math.min(r, 5), bottom: y + Math.min(r, 5) });
    }
  }

  /**
   * Name what is important in `view` ({x, y, k, w, h}): `order` are the dots to name, the most important
   * first; of `lit`, where there are any, only those are named, and the first of them always.
   */
  return function place(view, order, lit) {
    const space = lines();
    const wanted = lit.length ? lit : order;
    let used = 0;
    const put = (n, { needed = false, landmark = false } = {}) => {
      const left = (dots[n].x - view.x) * view.k + dots[n].now * view.k + 4;
      const y = (dots[n].y - view.y) * view.k;
      if (left < -WIDEST || y < 0 || left > view.w || y > view.h) return;
      const box = { left: left - 2, right: 0, top: y - 6, bottom: y + 6 };
      const within = lit.length ? WIDEST : Math.min(WIDEST, (edges[n] - view.x) * view.k - left - 2);
      const room = needed ? WIDEST * 1.6 : landmark ? within : Math.min(within, space.room(box) - 6);
      if (room < LEAST) return;
      const name = cut(dots[n].name, room);
      const wide = measured(name);
      // Of what is lit, a name that would run out of sight stands left of its dot.
      const back = lit.length && left + wide > view.w && left - wide > 0 ? wide + 2 * (dots[n].now * view.k + 4) : 0;
      box.left -= back;
      box.right = left - back + wide + 4;
      if (!needed && space.taken(box)) return;
      space.take(box);
      pool[used] ??= group.appendChild(document.createElementNS(SVG, "text"));
      pool[used].setAttribute("class", needed ? "sure" : landmark ? "landmark" : "");
      shown(pool[used], name, dots[n].x + dots[n].now + (4 - back) / view.k, dots[n].y + 4.2 / view.k);
      used += 1;
    };
    if (lit.length) {
      block(view, space, lit);
      put(lit[0], { needed: true });
      head(view, space);
    } else {
      head(view, space);
      for (const n of order.slice(0, LANDMARKS)) put(n, { landmark: true });
      block(view, space, order);
    }
    const done = new Set(lit.length ? lit.slice(0, 1) : order.slice(0, LANDMARKS));
    for (const n of wanted) {
      if (used >= MOST) break;
      if (!done.has(n)) put(n);
    }
    for (const text of pool.slice(used)) text.setAttribute("display", "none");
    group.setAttribute("font-size", SIZE / view.k);
  };
}

// Which part of a picture is shown: wheel, pinch, drag and buttons change the svg's viewBox.
const MOVED = 4; // pixels a pointer may tremble and still be a click
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** A view on `svg`. `changed(k)` is called after each change; `k` is pixels per unit of the picture. */
export function viewOn(svg, { box, start, changed }) {
  const state = { x: 0, y: 0, k: 1, w: 1, h: 1 };
  let waiting = 0;
  let flight = 0;

  function apply() {
    waiting = 0;
    svg.setAttribute("viewBox", `${state.x} ${state.y} ${state.w / state.k} ${state.h / state.k}`);
    changed(state.k);
  }
  const soon = () => (waiting ||= requestAnimationFrame(apply));
  const whole = () => Math.min(state.w / box.width, state.h / box.height);
  const limit = (k) => Math.min(Math.max(k, Math.min(whole() * 0.6, 1)), Math.max(4, Math.min(whole() * 14, 12)));

  function show(x, y, k) {
    cancelAnimationFrame(flight);
    state.k = limit(k);
    state.x = x - state.w / state.k / 2;
    state.y = y - state.h / state.k / 2;
    soon();
  }
  const middle = () => [state.x + state.w / state.k / 2, state.y + state.h / state.k / 2];

  /** Make `k` times as large, keeping the point at (px, py) pixels where it is. */
  function zoom(by, px = state.w / 2, py = state.h / 2) {
    cancelAnimationFrame(flight);
    const k = limit(state.k * by);
    state.x += px / state.k - px / k;
    state.y += py / state.k - py / k;
    state.k = k;
    soon();
  }

  function fly(x, y, k = state.k) {
    if (calm.matches) return show(x, y, k);
    const [fromX, fromY] = middle();
    const from = state.k;
    const began = performance.now();
    const step = (now) => {
      const part = Math.min((now - began) / 220, 1);
      const eased = 1 - (1 - part) ** 3;
      show(fromX + (x - fromX) * eased, fromY + (y - fromY) * eased, from * (limit(k) / from) ** eased);
      if (part < 1) flight = requestAnimationFrame(step);
    };
    flight = requestAnimationFrame(step);
  }

  function measure() {
    const [x, y] = middle();
    const rect = svg.getBoundingClientRect();
    state.w = Math.max(rect.width, 1);
    state.h = Math.max(rect.height, 1);
    return [x, y];
  }
  const fit = () => show(box.x + box.width / 2, box.y + box.height / 2, whole());

  function pan(dx, dy) {
    state.x -= dx / state.k;
    state.y -= dy / state.k;
    soon();
  }

  const fingers = new Map();
  let moved = 0;
  const at = (event) => {
    const rect = svg.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top];
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...at(event));
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    fingers.set(event.pointerId, at(event));
    moved = fingers.size > 1 ? MOVED + 1 : 0;
  });
  svg.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = at(event);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (moved > MOVED && !svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, now);
    if (other) {
      const apart = Math.hypot(now[0] - other[0], now[1] - other[1]);
      const was = Math.hypot(before[0] - other[0], before[1] - other[1]) || 1;
      pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
      zoom(apart / was, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else if (moved > MOVED) pan(now[0] - before[0], now[1] - before[1]);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    svg.addEventListener(end, (event) => {
      if (end !== "pointerleave" || !svg.hasPointerCapture(event.pointerId)) fingers.delete(event.pointerId);
    });
  }

  measure();
  if (start) show(start.x, start.y, Math.min(Math.max(whole(), 0.7), 1.3));
  else fit();
  new ResizeObserver(() => show(...measure(), state.k)).observe(svg);

  return {
    zoom,
    fit,
    fly,
    state,
    /** Where a pointer event is, in units of the picture. */
    point: (event) => {
      const [x, y] = at(event);
      return [state.x + x / state.k, state.y + y / state.k];
    },
    /** Bring (x, y) into the part that is shown, if it is not in it. */
    reveal(x, y, k = state.k) {
      const [cx, cy] = middle();
      const far = Math.abs(x - cx) * state.k > state.w / 2 - 10 || Math.abs(y - cy) * state.k > state.h / 2 - 10;
      if (far || k !== state.k) fly(x, y, k);
    },
    dragged: () => moved > MOVED,
    dragging: () => fingers.size > 0 && moved > MOVED,
  };
}

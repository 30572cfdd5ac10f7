// A neighbourhood on a narrow screen: names go over their dots instead of beside them, so that all of it fits.
const NARROW = 560; // pixels
const LINE = 36; // units between two dots of a side that leave room for a name
const EDGE = 12;

/** Whether no two dots of one column are so close that a name between them would cover one. */
function isLoose(dots) {
  const columns = Map.groupBy(dots, (dot) => Math.sign(dot.x));
  return [...columns.values()].every((column) => {
    const heights = column.map((dot) => dot.y).sort((a, b) => a - b);
    return heights.every((y, n) => !n || y - heights[n - 1] >= LINE);
  });
}

/** Move the names, where the screen is narrow; the box that then holds the picture, else null. */
export function narrowed(svg, dots, names) {
  const around = dots.slice(1);
  if (svg.clientWidth >= NARROW || !around.length || !isLoose(around)) return null;
  for (const [n, dot] of around.entries()) {
    const name = names[n + 1];
    name.setAttribute("text-anchor", "middle");
    name.setAttribute("x", dot.x);
    name.setAttribute("y", dot.y - dot.r - 5);
  }
  const [a, b] = [svg.querySelector(".labels").getBBox(), svg.querySelector(".dots").getBBox()];
  const [x, y] = [Math.min(a.x, b.x) - EDGE, Math.min(a.y, b.y) - EDGE];
  const width = Math.max(a.x + a.width, b.x + b.width) + EDGE - x;
  return { x, y, width, height: Math.max(a.y + a.height, b.y + b.height) + EDGE - y };
}

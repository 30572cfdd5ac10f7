// The toolbar: real buttons, one tab stop with arrows, each a change that can be undone.
import { areaOf, eachLine, editorOf, insert, lines } from "./area.js";

const ITEM = /^(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/;

/** Put `mark` around the selection, or take it away. */
export function wrap(area, mark, word) {
  const { selectionStart: start, selectionEnd: end, value } = area;
  const inside = value.slice(start, end);
  const outer = value.slice(start - mark.length, start) === mark && value.slice(end, end + mark.length) === mark;
  if (inside && outer) {
    const from = start - mark.length;
    insert(area, inside, { start: from, end: end + mark.length, select: [0, inside.length] });
    return;
  }
  const text = inside || word;
  insert(area, mark + text + mark, { select: [mark.length, mark.length + text.length] });
}

export function link(area, words) {
  const inside = area.value.slice(area.selectionStart, area.selectionEnd);
  if (/^https?:\/\/\S+$/.test(inside)) insert(area, `[${words}](${inside})`, { select: [1, 1 + words.length] });
  else {
    const text = inside || words;
    const address = "https://";
    insert(area, `[${text}](${address})`, { select: [text.length + 3, text.length + 3 + address.length] });
  }
}

function prefix(area, mark) {
  const marked = (line) => line.trimStart().startsWith(mark) && (mark !== "- " || !/^\s*- \[[ xX]\]/.test(line));
  const all = lines(area).text.split("\n").every((line) => !line.trim() || marked(line));
  eachLine(area, (line, index) => {
    if (!line.trim() && index) return line;
    const bare = line.replace(ITEM, "$1");
    if (all && line.trim()) return bare;
    const indent = bare.match(/^\s*/)[0];
    return indent + mark + bare.slice(indent.length);
  });
}

function heading(area) {
  eachLine(area, (line) => {
    const level = line.match(/^(#{1,6})\s+/)?.[1].length ?? 0;
    const bare = line.replace(/^#{1,6}\s+/, "");
    return level >= 3 ? bare : `${"#".repeat(Math.max(level + 1, 2))} ${bare}`;
  });
}

/** A block on lines of its own. */
function block(area, text, select) {
  const before = area.value.slice(0, area.selectionStart);
  const gap = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  insert(area, `${gap}${text}\n`, { select: select.map((at) => at + gap.length) });
}

const ACTIONS = {
  heading,
  bold: (area, { words }) => wrap(area, "**", words),
  italic: (area, { words }) => wrap(area, "*", words),
  list: (area) => prefix(area, "- "),
  task: (area) => prefix(area, "- [ ] "),
  table: (area, { cell }) => block(area, `| ${cell} | ${cell} |\n| --- | --- |\n|  |  |`, [2, 2 + cell.length]),
  code(area, { words }) {
    const inside = area.value.slice(area.selectionStart, area.selectionEnd);
    if (inside.includes("\n")) insert(area, `\`\`\`\n${inside.replace(/\n$/, "")}\n\`\`\`\n`, { select: [3, 3] });
    else wrap(area, "`", words);
  },
  link: (area, { linkWords }) => link(area, linkWords),
  picture: (_area, _words, editor) => editor.querySelector("[data-choose-picture]").click(),
  formula: (area) => wrap(area, "$", "x"),
};

/** Do what the button `name` does. */
export function act(editor, name) {
  ACTIONS[name](areaOf(editor), editor.dataset, editor);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  const editor = editorOf(button);
  if (editor) act(editor, button.dataset.do);
});

// One tab stop; arrows, Home and End go along.
document.addEventListener("keydown", (event) => {
  const button = event.target.closest?.(".toolbar [data-do]");
  if (!button) return;
  const all = [...button.parentElement.querySelectorAll("[data-do]")];
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const at = { Home: 0, End: all.length - 1 }[event.key] ?? (step && (all.indexOf(button) + step + all.length) % all.length);
  if (at === undefined) return;
  event.preventDefault();
  for (const one of all) one.tabIndex = -1;
  all[at].tabIndex = 0;
  all[at].focus();
});

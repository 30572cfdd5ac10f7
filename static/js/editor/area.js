// The text area of an editor, and putting text into it so that Undo knows of it.

/** The editor around `node`, if any. */
export const editorOf = (node) => node?.closest?.("[data-editor]") ?? null;
/** The text area of an editor. */
export const areaOf = (editor) => editor.querySelector(".write > textarea");
/** Whether `node` is the text area of an editor. */
export const isArea = (node) => node?.matches?.("[data-editor] .write > textarea") ?? false;
/** Whether this key belongs to an input method (Safari says keyCode 229 after the fact). */
export const composing = (event) => event.isComposing || event.keyCode === 229;

/** Put `text` in place of what is between `start` and `end`; `select`: what is selected then, counted from `start`. */
export function insert(area, text, { start = area.selectionStart, end = area.selectionEnd, select = null } = {}) {
  area.focus();
  area.setSelectionRange(start, end);
  if (text || start !== end) {
    // The only way that keeps the browser's own Undo; where it is gone, the text still gets in.
    const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!done) {
      area.setRangeText(text, start, end, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
  if (select) area.setSelectionRange(start + select[0], start + select[1]);
}

/** The lines that the selection touches: where they start and end, and their text. */
export function lines(area) {
  const { value, selectionStart, selectionEnd } = area;
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const last = selectionEnd > selectionStart && value[selectionEnd - 1] === "\n" ? selectionEnd - 1 : selectionEnd;
  const found = value.indexOf("\n", last);
  const end = found < 0 ? value.length : found;
  return { start, end, text: value.slice(start, end) };
}

/** Change every line that the selection touches by `change(line, index)`; the caret stays where it was in its line. */
export function eachLine(area, change) {
  const { start, end, text } = lines(area);
  const { selectionStart, selectionEnd } = area;
  const before = text.split("\n");
  const after = before.map(change);
  const first = after[0].length - before[0].length;
  const all = after.join("\n").length - text.length;
  insert(area, after.join("\n"), { start, end });
  area.setSelectionRange(Math.max(selectionStart + first, start), Math.max(selectionEnd + all, start));
}

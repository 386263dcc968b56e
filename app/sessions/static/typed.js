/** How each text field was filled: characters pasted or dropped in, and input by keys. No content, and nothing else. */

const BY_PASTE = new Set(["insertFromPaste", "insertFromPasteAsQuotation", "insertFromDrop", "insertFromYank"]);

/**
 * Count from now on; returns what there is to send, empty where nothing was written. What stands in a field already was
 * written before this script came, on a slow line, or kept over a reload: it counts as typed, one key a character.
 */
export function countTyping(form) {
  const counts = {};
  for (const field of form.querySelectorAll("textarea[name]")) {
    const written = field.value.length;
    let before = written;
    // The value is set back between two events by nobody but the draft, which is kept before this.
    field.addEventListener("beforeinput", () => {
      before = field.value.length - (field.selectionEnd - field.selectionStart);
    });
    field.addEventListener("input", (event) => {
      const count = (counts[field.name] ??= { keys: written, pasted: 0 });
      if (BY_PASTE.has(event.inputType)) count.pasted += Math.max(field.value.length - before, 0);
      else count.keys += 1;
    });
  }
  return () => (Object.keys(counts).length ? JSON.stringify(counts) : "");
}

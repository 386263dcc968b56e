/** What is folded and open in the design's form, by the entry itself: a button may give it another place. */

/** A part's place after a button (`up:blocks.0.questions.2`): entries change places, or move up after one that is gone, whose own is null. */
export function placeAfter(action, place) {
  const [, way, list, number] = /^(up|down|remove):(.+)\.(\d+)$/.exec(action) ?? [];
  if (!way || !place.startsWith(`${list}.`)) return place;
  const [entry, ...rest] = place.slice(list.length + 1).split(".");
  if (!/^\d+$/.test(entry)) return place;
  const [was, at] = [Number(entry), Number(number)];
  if (way === "remove" && was === at) return null;
  const other = way === "up" ? at - 1 : at + 1;
  let now = was;
  if (way === "remove") now = was > at ? was - 1 : was;
  else if (was === at) now = other;
  else if (was === other) now = at;
  return [list, now, ...rest].join(".");
}

/** The folds of a form, each by its place after a button, with whether it is open. */
export function foldsAfter(action, fields) {
  return new Map([...fields.querySelectorAll("[data-fold]")].map((fold) => [placeAfter(action, fold.dataset.fold), fold.open]));
}

/** Folds are as they were; the server's own state counts for new ones, and what is wrong is not folded away. */
export function fold(fields, known, isMoved) {
  for (const each of fields.querySelectorAll("[data-fold]")) {
    const wasOpen = known.get(each.dataset.fold);
    if (wasOpen) each.open = true;
    else if (wasOpen === false && isMoved) each.open = [...each.querySelectorAll("[data-error]")].some((line) => line.textContent);
  }
}

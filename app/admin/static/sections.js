/** Parts of a page that are sent anew: each that has changed is put in the place of the old, without moving the page. */

import { inZone } from "./time.js";

/** What a reader has done to a part: which details are open, how far it is scrolled aside, what has the focus. */
function stateOf(section) {
  const focused = section.contains(document.activeElement) ? document.activeElement : null;
  const inside = [...section.querySelectorAll("a, summary, [tabindex]")];
  return {
    open: [...section.querySelectorAll("details[id]")].filter((each) => each.open).map((each) => each.id),
    aside: [...section.querySelectorAll(".scroll")].map((each) => each.scrollLeft),
    href: focused?.getAttribute("href"),
    place: inside.indexOf(focused),
  };
}

function restore(section, state) {
  for (const id of state.open) {
    const details = section.querySelector(`#${id}`);
    if (details) details.open = true;
  }
  section.querySelectorAll(".scroll").forEach((each, place) => {
    each.scrollLeft = state.aside[place] ?? 0;
  });
  if (state.place < 0) return;
  const inside = [...section.querySelectorAll("a, summary, [tabindex]")];
  const same = state.href && inside.find((each) => each.getAttribute("href") === state.href);
  (same ?? inside[Math.min(state.place, inside.length - 1)])?.focus({ preventScroll: true });
}

/** Show the sections of a piece of HTML in the place of those with their ids. */
export function show(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const section of fresh.body.querySelectorAll(":scope > section[id]")) {
    inZone(section);
    const old = document.getElementById(section.id);
    const before = old?.cloneNode(true);
    before?.querySelectorAll("details[open]").forEach((each) => each.removeAttribute("open"));
    if (!old || before.outerHTML === section.outerHTML) continue;
    const state = stateOf(old);
    old.replaceWith(document.importNode(section, true));
    restore(document.getElementById(section.id), state);
  }
}

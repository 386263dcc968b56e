/** What of the records or texts on a page is in view, and for how long: sent with the form as `reading`. */

import { ReadingRecord, depthOf, isInView } from "./reading.js";

const TICK_MS = 250;
const SAVE_EVERY_MS = 1000;

/** The parts of a record, or the paragraphs of a text. */
function partsOf(stimulus) {
  const text = stimulus.querySelector("[data-parts]");
  return text ? [...text.children] : [...stimulus.querySelectorAll("[data-part]")];
}

/** What is read of one stimulus. `lies` says how the page is laid out. */
function watched(stimulus, store, lies) {
  const parts = partsOf(stimulus);
  const near = new Set(); // in the window at all: only these are measured
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) near.add(target);
      else near.delete(target);
    }
  });
  for (const part of parts) observer.observe(part);

  const name = stimulus.dataset.stimulus ? `reading-${stimulus.dataset.stimulus}` : "reading";
  const record = new ReadingRecord(store, parts.length, performance.now(), name);
  const tick = (hidden) =>
    record.tick(performance.now(), {
      hidden,
      layout: lies(),
      depth: depthOf(stimulus.getBoundingClientRect(), innerHeight),
      parts: parts.flatMap((part, at) =>
        near.has(part) && isInView(part.getBoundingClientRect(), innerHeight) ? [at] : [],
      ),
    });
  return { record, tick };
}

/**
 * Record what is read of one stimulus, or of two: these are named by what stands in `data-stimulus`, and reported on
 * each under its name.
 */
export function recordReading(form, stimuli, store) {
  const lies = () => {
    const [one, other] = [...stimuli, form].map((each) => each.getBoundingClientRect());
    return other.left >= one.right ? "side-by-side" : "stacked";
  };
  const all = stimuli.map((stimulus) => watched(stimulus, store, lies));
  // What went before a change of `hidden` was the other way.
  let hidden = document.hidden;
  const tick = () => {
    for (const each of all) each.tick(hidden);
    hidden = document.hidden;
  };
  const save = () => {
    tick();
    for (const { record } of all) record.save();
  };
  setInterval(tick, TICK_MS);
  setInterval(save, SAVE_EVERY_MS);
  document.addEventListener("visibilitychange", save);
  window.addEventListener("pagehide", save);
  form.addEventListener("formdata", ({ formData }) => {
    save();
    const reported = stimuli.map((stimulus, at) => [stimulus.dataset.stimulus, all[at].record]);
    formData.set("rt_ms", all[0].record.rtMs);
    formData.set("reading", JSON.stringify(reported[0][0] ? Object.fromEntries(reported) : reported[0][1]));
  });
  save();
}

/** A table that is wider than its place is scrolled by keys, too; others are no stop on the way to the questions. */
export function reachTables(stimuli) {
  const reach = () => {
    for (const table of stimuli.flatMap((stimulus) => [...stimulus.querySelectorAll(".sheet")])) {
      if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
      else table.removeAttribute("tabindex");
    }
  };
  reach();
  window.addEventListener("resize", reach);
}

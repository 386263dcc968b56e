/**
 * Rate one stimulus: keep what is entered, record what was read of it and for how long, send the answer. A clip is
 * played, recorded and sent by trial.js.
 */

import { enhance } from "./form.js";
import { KeptClips } from "./kept.js";
import { chooseByDigit, countAnswered } from "./levels.js";
import { ReadingRecord, depthOf, isInView } from "./reading.js";
import { openStore } from "./store.js";

const TICK_MS = 250;
const SAVE_EVERY_MS = 1000;

const form = document.querySelector("form[data-send]");
const stimulus = document.querySelector("[data-stimulus]");

/** The parts of a record, or the paragraphs of a text. */
function partsOf(stimulus) {
  const text = stimulus.querySelector("[data-parts]");
  return text ? [...text.children] : [...stimulus.querySelectorAll("[data-part]")];
}

function recordReading(store) {
  const parts = partsOf(stimulus);
  const near = new Set(); // in the window at all: only these are measured
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) near.add(target);
      else near.delete(target);
    }
  });
  for (const part of parts) observer.observe(part);

  const record = new ReadingRecord(store, parts.length, performance.now());
  const lies = () => {
    const [one, other] = [stimulus, form].map((each) => each.getBoundingClientRect());
    return other.left >= one.right ? "side-by-side" : "stacked";
  };
  const seen = (hidden) => ({
    hidden,
    layout: lies(),
    depth: depthOf(stimulus.getBoundingClientRect(), innerHeight),
    parts: parts.flatMap((part, at) =>
      near.has(part) && isInView(part.getBoundingClientRect(), innerHeight) ? [at] : [],
    ),
  });
  // What went before a change of `hidden` was the other way.
  let hidden = document.hidden;
  const tick = () => {
    record.tick(performance.now(), seen(hidden));
    hidden = document.hidden;
  };
  const save = () => {
    tick();
    record.save();
  };
  setInterval(tick, TICK_MS);
  setInterval(save, SAVE_EVERY_MS);
  document.addEventListener("visibilitychange", save);
  window.addEventListener("pagehide", save);
  form.addEventListener("formdata", ({ formData }) => {
    save();
    formData.set("rt_ms", record.rtMs);
    formData.set("reading", JSON.stringify(record));
  });
  record.save();
}

/** A table that is wider than its place is scrolled by keys, too; others are no stop on the way to the questions. */
function reachTables() {
  for (const table of stimulus.querySelectorAll(".sheet")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  }
}

function showAnswered() {
  const { answered, asked } = countAnswered(form.querySelectorAll("[data-question]"));
  form.querySelector("[data-answered]").textContent = `${answered} of ${asked} answered`;
}

function start() {
  const store = openStore(form.getAttribute("action"), form.dataset.send);
  new KeptClips([]); // forgets those of other pages
  enhance(form, store);
  recordReading(store);
  reachTables();
  window.addEventListener("resize", reachTables);
}

if (stimulus) start();
form.addEventListener("keydown", chooseByDigit);
form.addEventListener("input", showAnswered);
for (const hint of form.querySelectorAll("[data-hint]")) hint.hidden = false;
showAnswered();

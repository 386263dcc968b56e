import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Element, clock, fire, load, storage } from "./page.mjs";

globalThis.document = new EventTarget();
const { reachTables, recordReading } = await load("rating/watching.js");
const { openStore } = await load("participant/store.js");
let time;
let form;
let seers;

const at = (left, right, top, bottom) => ({ getBoundingClientRect: () => ({ left, right, top, bottom }) });

/** A text of so many paragraphs of 100 px, in a column; the window is 300 px high. */
function text(name, left, paragraphs) {
  const children = Array.from({ length: paragraphs }, (_, n) => new Element(at(left, left + 500, 100 * n, 100 * n + 100)));
  const dataset = name ? { stimulus: name } : {};
  return new Element({ ...at(left, left + 500, 0, 100 * paragraphs), dataset, children }, { inside: { "[data-parts]": new Element({ children }) } });
}

function said() {
  const formData = new Map();
  fire(form, "formdata", { formData });
  return { rt: formData.get("rt_ms"), reading: JSON.parse(formData.get("reading")) };
}

function open(stimuli, formAt) {
  form = new Element(formAt);
  recordReading(form, stimuli, openStore("/p/abc", "rating-1"));
  for (const { seen, parts } of seers) seen(parts.slice(0, 4).map((target) => ({ target, isIntersecting: true })));
}

beforeEach(() => {
  storage();
  time = clock();
  seers = [];
  globalThis.window = new EventTarget();
  globalThis.document = Object.assign(new EventTarget(), { hidden: false });
  globalThis.innerHeight = 300;
  globalThis.IntersectionObserver = class {
    constructor(seen) {
      this.seen = seen;
      this.parts = [];
      seers.push(this);
    }
    observe = (part) => void this.parts.push(part);
  };
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("of one text it is sent what was in view, for how long, and where the questions stood", async () => {
  open([text("", 0, 6)], at(600, 900, 0, 500));
  await time.pass(2_000);
  const { rt, reading } = said();
  assert.equal(rt, 2_000);
  assert.equal(reading.layout, "side-by-side");
  assert.equal(reading.read_ms, 2_000);
  assert.equal(reading.depth, 0.5);
  assert.deepEqual(reading.parts.map((ms) => ms > 0), [true, true, true, false, false, false]);
});

test("questions below a text are stacked, and two texts are told apart by name", async () => {
  open([text("a", 0, 2), text("b", 600, 3)], at(0, 500, 400, 800));
  await time.pass(1_000);
  const { reading } = said();
  assert.deepEqual(Object.keys(reading), ["a", "b"]);
  assert.deepEqual([reading.a.parts.length, reading.b.parts.length], [2, 3]);
});

test("time with the page hidden is not time read, to the moment at which it changed", async () => {
  open([text("", 0, 2)], at(0, 500, 300, 800));
  await time.pass(1_100);
  document.hidden = true;
  fire(document, "visibilitychange");
  await time.pass(3_000);
  document.hidden = false;
  fire(document, "visibilitychange");
  await time.pass(500);
  const { rt, reading } = said();
  assert.deepEqual([rt, reading.read_ms, reading.hidden_ms, reading.layout], [4_600, 1_600, 3_000, "stacked"]);
});

test("only a table that is wider than its place is a stop for keys", () => {
  const [wide, narrow] = [new Element({ scrollWidth: 900, clientWidth: 400 }), new Element({ scrollWidth: 400, clientWidth: 400, tabIndex: 0 })];
  const gone = [];
  narrow.removeAttribute = (name) => gone.push(name);
  wide.removeAttribute = (name) => gone.push(name);
  reachTables([new Element({}, { inside: { ".sheet": [wide, narrow] } })]);
  assert.deepEqual([wide.tabIndex, gone], [0, ["tabindex"]]);
  wide.clientWidth = 1000;
  fire(window, "resize");
  assert.equal(gone.length, 3);
});

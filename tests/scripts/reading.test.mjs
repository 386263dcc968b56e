import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, storage } from "./page.mjs";

const { ReadingRecord, depthOf, isInView } = await load("rating/reading.js");
const { openStore } = await load("participant/store.js");

beforeEach(() => storage());

const open = () => openStore("/p/abc", "rating-1");
const seen = (parts, more = {}) => ({ hidden: false, parts, depth: 0.5, layout: "stacked", ...more });

test("a part is in view when half of it is, or half the window where it is larger", () => {
  for (const [top, bottom, expected] of [
    [0, 100, true],
    [-50, 50, true],
    [-51, 49, false],
    [950, 1050, true],
    [951, 1051, false],
    [-3000, 500, true], // larger than the window
    [-3000, 499, false],
    [500, 9000, true],
    [501, 9000, false],
    [-100, 2000, true],
    [400, 400, true], // an empty paragraph
    [1100, 1200, false],
    [-200, -100, false],
  ]) {
    assert.equal(isInView({ top, bottom }, 1000), expected, `${top} to ${bottom}`);
  }
});

test("depth is the share of the stimulus above the window's lower edge", () => {
  assert.equal(depthOf({ top: 0, bottom: 2000 }, 1000), 0.5);
  assert.equal(depthOf({ top: -500, bottom: 1500 }, 1000), 0.75);
  assert.equal(depthOf({ top: -1500, bottom: 500 }, 1000), 1);
  assert.equal(depthOf({ top: 1200, bottom: 3000 }, 1000), 0);
  assert.equal(depthOf({ top: 5, bottom: 5 }, 1000), 0);
  assert.equal(depthOf({ top: 0, bottom: 3000 }, 1000), 0.333);
});

test("time in sight and the time of each part add up", () => {
  const record = new ReadingRecord(open(), 3, 1000);
  record.tick(1250, seen([0, 1]));
  record.tick(1500, seen([1], { depth: 0.9 }));
  record.tick(1700, seen([], { depth: 0.2, layout: "side-by-side" }));
  assert.equal(record.rtMs, 700);
  assert.deepEqual(record.toJSON(), {
    v: 1,
    loads: 1,
    read_ms: 700,
    hidden_ms: 0,
    depth: 0.9,
    layout: "side-by-side",
    parts: [250, 500, 0],
  });
});

test("while the page is hidden nothing is read", () => {
  const record = new ReadingRecord(open(), 1, 0);
  record.tick(4000, seen([0], { hidden: true, depth: 1 }));
  record.tick(5000, seen([0]));
  const { read_ms, hidden_ms, parts, depth } = record.toJSON();
  assert.deepEqual([record.rtMs, read_ms, hidden_ms, parts, depth], [5000, 1000, 4000, [1000], 0.5]);
});

test("a machine that slept read nothing, and a clock that runs back takes nothing away", () => {
  const record = new ReadingRecord(open(), 1, 0);
  record.tick(3_600_000, seen([0]));
  record.tick(3_500_000, seen([0]));
  const { read_ms, hidden_ms, parts } = record.toJSON();
  assert.deepEqual([record.rtMs, read_ms, hidden_ms, parts], [3_600_000, 5_000, 3_595_000, [5_000]]);
});

test("what was read before a reload counts, the time between two loads does not", () => {
  const first = new ReadingRecord(open(), 2, 0);
  first.tick(1000, seen([0], { depth: 0.8 }));
  first.save();
  const second = new ReadingRecord(open(), 2, 90_000);
  second.tick(90_400, seen([1], { depth: 0.3 }));
  const { loads, read_ms, parts, depth } = second.toJSON();
  assert.deepEqual([second.rtMs, loads, read_ms, parts, depth], [1400, 2, 1400, [1000, 400], 0.8]);
});

test("what was kept of another stimulus, or is no record at all, is not taken over", () => {
  for (const kept of [{ v: 1, loads: 3, parts: [1, 2] }, { v: 2, loads: 3, parts: [1] }, { v: 1, parts: ["x"] }, 7, null]) {
    storage();
    open().set({ reading: kept });
    const { loads, parts } = new ReadingRecord(open(), 1, 0).toJSON();
    assert.deepEqual([loads, parts], [1, [0]], JSON.stringify(kept));
  }
});

test("times are whole milliseconds", () => {
  const record = new ReadingRecord(open(), 1, 0.25);
  record.tick(100.9, seen([0]));
  const { read_ms, parts } = record.toJSON();
  assert.deepEqual([record.rtMs, read_ms, parts], [101, 101, [101]]);
});

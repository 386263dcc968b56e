import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, storage } from "./page.mjs";

const { Unsent } = await load("walk/walk-unsent.js");
const NAME = "likely-human.walk.trial-1";
const STEPS = Array.from({ length: 25 }, (_, at) => [1, at]);
let entries;
beforeEach(() => {
  entries = storage();
});

function walked(n, tick = 0) {
  const unsent = new Unsent(localStorage, "trial-1", tick);
  for (const [keys, turn] of STEPS.slice(0, n)) unsent.add(keys, turn);
  return unsent;
}

test("steps go in order from the server's tick, and what it has is not sent again", () => {
  const unsent = walked(5, 100);
  assert.deepEqual(unsent.batch(), { from: 100, steps: STEPS.slice(0, 5) });
  unsent.stored(103);
  assert.deepEqual(unsent.batch(), { from: 103, steps: STEPS.slice(3, 5) });
  unsent.stored(105);
  assert.equal(unsent.batch(), null);
  assert.equal(unsent.tick, 105);
});

test("a batch has at most 600 steps, and the rest follows", () => {
  const unsent = new Unsent(localStorage, "trial-1", 0);
  for (let at = 0; at < 601; at += 1) unsent.add(1, 0);
  assert.equal(unsent.batch().steps.length, 600);
  unsent.stored(600);
  assert.deepEqual(unsent.batch(), { from: 600, steps: [[1, 0]] });
});

test("every tenth step is kept, so that a page that is lost loses nine at most", () => {
  walked(25);
  assert.deepEqual(JSON.parse(entries[NAME]).steps, STEPS.slice(0, 20));
  assert.equal(new Unsent(localStorage, "trial-1", 0).tick, 20);
});

test("after a reload only what the server has not got yet is left", () => {
  walked(25).keep();
  assert.deepEqual(new Unsent(localStorage, "trial-1", 12).batch(), { from: 12, steps: STEPS.slice(12) });
  assert.equal(new Unsent(localStorage, "trial-1", 25).batch(), null);
});

test("what was kept of other steps, of another walk or by nobody is nothing", () => {
  walked(25, 50).keep();
  for (const tick of [0, 49, 76]) assert.equal(new Unsent(localStorage, "trial-1", tick).tick, tick);
  assert.equal(new Unsent(localStorage, "trial-2", 60).batch(), null);
  for (const text of ["", "{", "null", "{}", '{"from": 0}']) {
    entries[NAME] = text;
    assert.equal(new Unsent(localStorage, "trial-1", 0).batch(), null);
  }
});

test("the server's tick is taken only where these steps lead past it", () => {
  const unsent = walked(5, 100);
  for (const tick of [99, 106]) {
    assert.ok(!unsent.goesOnFrom(tick));
    unsent.stored(tick);
    assert.equal(unsent.from, 100);
  }
});

test("a walk that is over is forgotten", () => {
  const unsent = walked(25);
  unsent.forget();
  assert.equal(unsent.batch(), null);
  assert.deepEqual(entries, {});
});

test("where storage is full or there is none, steps last as long as the page", () => {
  storage({}, "setItem");
  assert.equal(walked(12).batch().steps.length, 12);
  const unsent = new Unsent(null, "trial-1", 7);
  unsent.add(1, 0);
  unsent.keep();
  assert.deepEqual(unsent.batch(), { from: 7, steps: [[1, 0]] });
  unsent.forget();
  assert.equal(unsent.batch(), null);
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, Element, load } from "./page.mjs";

const { announcement, asText, Clock, secondsOf } = await load("game/clock.js");
let time;
beforeEach(() => {
  time = clock();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

function face(remaining, mine = "yes") {
  const inside = { "[data-left]": new Element(), progress: new Element() };
  const element = new Element({ dataset: { remaining: String(remaining), warn: "20000", mine } }, { inside });
  element.classList = { hurries: false, toggle: (_, on) => (element.classList.hurries = on) };
  return element;
}

test("seconds are rounded up and written as minutes and seconds", () => {
  assert.deepEqual([90_000, 89_001, 1, 0, -5].map(secondsOf), [90, 90, 1, 0, 0]);
  assert.deepEqual([90, 9, 0, 600].map(asText), ["1:30", "0:09", "0:00", "10:00"]);
});

test("the time is said at the warning, at 30, 10 and 5 seconds and at its end, and at no other second", () => {
  const said = [];
  for (let left = 60; left > 0; left -= 1) {
    const words = announcement(left, left - 1, 20);
    if (words) said.push(words);
  }
  assert.deepEqual(said, ["30 seconds left.", "20 seconds left.", "10 seconds left.", "5 seconds left.", "The time is up."]);
  assert.equal(announcement(40, 4, 20), "4 seconds left.", "several at once, as after a sleep: what is left");
  assert.equal(announcement(40, 1, 20), "1 second left.");
  assert.equal(announcement(0, 0, 20), "");
});

test("it counts down by itself, whatever this computer's clock says, and ends once", async () => {
  const said = [];
  let ends = 0;
  const counting = new Clock((words) => said.push(words), () => (ends += 1));
  const element = face(21_500);
  counting.show(element);
  Date.now = () => 3_600_000;
  await time.pass(2_000);
  assert.equal(element.inside["[data-left]"].textContent, "0:20");
  assert.equal(element.inside.progress.value, 20);
  assert.equal(element.classList.hurries, true);
  await time.pass(30_000);
  assert.equal(element.inside["[data-left]"].textContent, "0:00");
  assert.deepEqual(said.filter(Boolean), ["20 seconds left.", "10 seconds left.", "5 seconds left.", "The time is up."]);
  assert.equal(ends, 1);
});

test("the time of others is shown and not said", async () => {
  const said = [];
  const counting = new Clock((words) => said.push(words), () => {});
  const element = face(31_000, "no");
  counting.show(element);
  await time.pass(40_000);
  assert.deepEqual(said, []);
  counting.show(null);
  await time.pass(1_000);
  assert.equal(element.inside["[data-left]"].textContent, "0:00");
});

test("a time that was said is taken back, and at once where no time runs any more", async () => {
  const said = [];
  const counting = new Clock((text) => said.push(text), () => {});
  counting.show(face(11_000));
  await time.pass(1_250);
  assert.deepEqual(said, ["10 seconds left."]);
  await time.pass(4_250);
  assert.deepEqual(said.slice(0, 2), ["10 seconds left.", ""]);
  counting.show(null);
  assert.equal(said.at(-1), "");
});

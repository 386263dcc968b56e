import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Element, fire, load, storage } from "./page.mjs";

const { choose, keepChoiceOfKeys, listenToKeys } = await load("participant/keys.js");
const TYPING = "textarea, select, input:not([type=radio], [type=checkbox]), [contenteditable]";
let on = true;
let done;

globalThis.document = new EventTarget();
listenToKeys(() => on, {
  toggle: () => done.push("toggle"),
  replay: () => done.push("replay"),
  choose: (value) => done.push(value),
});

beforeEach(() => {
  on = true;
  done = [];
});

function press(key, { around = {}, ...properties } = {}) {
  const target = new Element({}, { around });
  const event = Object.assign(new Event("keydown", { cancelable: true }), { key, ...properties });
  Object.defineProperty(event, "target", { value: target });
  document.dispatchEvent(event);
  return event.defaultPrevented;
}

test("each key does what the page says of it", () => {
  for (const key of [" ", "k", "K", "r", "R", "ArrowLeft", "ArrowRight", "1", "2", "3"]) assert.equal(press(key), true, key);
  assert.deepEqual(done, ["toggle", "toggle", "toggle", "replay", "replay", "left", "right", "left", "right", "tie"]);
});

test("other keys, keys with a modifier and keys being composed are left alone", () => {
  for (const key of ["a", "Enter", "Tab", "Escape", "4"]) assert.equal(press(key), false, key);
  for (const held of ["ctrlKey", "metaKey", "altKey", "isComposing"]) assert.equal(press("k", { [held]: true }), false, held);
  assert.deepEqual(done, []);
});

test("whoever is typing types", () => {
  for (const key of ["k", "r", "1", " ", "ArrowLeft"]) assert.equal(press(key, { around: { [TYPING]: {} } }), false, key);
  assert.deepEqual(done, []);
});

test("a button keeps its space bar, and another question's choice its arrows", () => {
  assert.equal(press(" ", { around: { "button, a, summary, input": {} } }), false);
  assert.equal(press("ArrowLeft", { around: { "input[type=radio]:not([data-choice])": {} } }), false);
  assert.equal(press("ArrowRight", { around: { "input[type=radio]:not([data-choice])": {} } }), false);
  assert.equal(press("1", { around: { "input[type=radio]:not([data-choice])": {} } }), true);
  assert.deepEqual(done, ["left"]);
});

test("a key held down acts once, and does nothing else meanwhile", () => {
  press("k");
  assert.equal(press("k", { repeat: true }), true);
  assert.deepEqual(done, ["toggle"]);
});

test("turned off, no key does anything", () => {
  on = false;
  assert.equal(press("k"), false);
  assert.deepEqual(done, []);
});

test("a side is chosen and the page told, where it is offered and open", () => {
  let told = 0;
  const [radio, closed] = [new Element({ checked: false }), new Element({ checked: false }, { matching: [":disabled"] })];
  const form = new Element({}, { inside: { "input[data-choice][value=left]": radio, "input[data-choice][value=right]": closed } });
  for (const each of [radio, closed]) each.addEventListener("input", () => (told += 1));
  for (const value of ["left", "right", "tie"]) choose(form, value);
  assert.deepEqual([radio.checked, radio.focused, closed.checked, told], [true, 1, false, 1]);
});

test("keys that were turned off are off on the next page", () => {
  storage();
  const boxes = [0, 1, 2].map(() => new Element({ checked: null }));
  const seen = [];
  for (const box of boxes) {
    keepChoiceOfKeys(box);
    seen.push(box.checked);
    box.checked = !box.checked;
    fire(box, "change");
  }
  assert.deepEqual(seen, [true, false, true]);
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Element, fire, load } from "./page.mjs";

const { add } = await load("question/slider.js");
let number;
let slider;
let inputs;

function put(value, { min = "0", max = "100", step = "1" } = {}) {
  inputs = [];
  number = new Element({ id: "confidence", value, min, max, step });
  number.addEventListener("input", () => inputs.push(number.value));
  const ends = new Element();
  const question = new Element({}, { inside: { "input[type=number]": number, ".ends": ends } });
  add(question);
  [slider] = ends.placed;
}

beforeEach(() => {
  globalThis.document = { createElement: () => new Element() };
  put("");
});

const unset = () => [slider.hasAttribute("data-unset"), slider.getAttribute("aria-valuetext")];
const UNSET = [true, "not chosen yet"];
const SET = [false, null];

test("it takes the number's bounds, and stands in the middle unanswered", () => {
  for (const [min, max, middle] of [["0", "100", 50], ["1", "5", 3], ["-10", "20", 5]]) {
    put("", { min, max, step: "0.5" });
    assert.deepEqual([slider.min, slider.max, slider.step, slider.value], [min, max, "0.5", middle]);
    assert.deepEqual([number.value, unset()], ["", UNSET]);
  }
});

test("moving it answers", () => {
  slider.value = "73";
  fire(slider, "input");
  assert.deepEqual([number.value, inputs, unset()], ["73", ["73"], SET]);
});

test("pressing it where it stands answers with the middle, once", () => {
  fire(slider, "click");
  assert.deepEqual([Number(number.value), unset()], [50, SET]);
  fire(slider, "click");
  assert.equal(inputs.length, 1);
});

test("Enter and the space bar answer with where it stands; other keys and later ones do not", () => {
  for (const key of ["Enter", " "]) {
    put("");
    assert.equal(fire(slider, "keydown", { key: "Tab" }).defaultPrevented, false);
    assert.equal(number.value, "");
    assert.equal(fire(slider, "keydown", { key }).defaultPrevented, true);
    assert.equal(Number(number.value), 50);
    assert.equal(fire(slider, "keydown", { key }).defaultPrevented, false);
  }
});

test("a number that is typed moves it, and an emptied one takes the answer back", () => {
  number.value = "20";
  fire(number, "input");
  assert.deepEqual([slider.value, unset()], ["20", SET]);
  number.value = "";
  fire(number, "input");
  assert.deepEqual([slider.value, unset()], [50, UNSET]);
});

test("an answer that is there already is shown", () => {
  put("80");
  assert.deepEqual([slider.value, unset()], ["80", SET]);
  assert.deepEqual([slider.getAttribute("aria-labelledby"), slider.getAttribute("aria-describedby")], ["confidence-ask", "confidence-ends"]);
});

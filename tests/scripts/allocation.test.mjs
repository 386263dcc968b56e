import assert from "node:assert/strict";
import { test } from "node:test";
import { Element, load } from "./page.mjs";

const { add, leftover, wrong } = await load("question/allocation.js");

test("what a sum lacks is said in words, and nothing where nothing has to be given", () => {
  assert.equal(wrong(100, ["", ""], true), "Please share out 100 points.");
  assert.equal(wrong(100, ["", ""], false), "");
  assert.equal(wrong(100, ["60", "40"], true), "");
  assert.equal(wrong(100, ["60", ""], false), "Please share out exactly 100 points: 40 left to share.");
  assert.equal(wrong(1, ["1", "1"], true), "Please share out exactly 1 point: 1 too many.");
  assert.deepEqual([leftover(100, ["", ""]), leftover(10, ["9"]), leftover(10, ["11"])], [
    "100 points left to share", "1 point left to share", "1 point too many",
  ]);
});

test("what is left is shown as points are given, and the form is kept back until they add up", () => {
  const inputs = ["30", ""].map((value) => new Element({ value, setCustomValidity(text) { this.kept = text; } }));
  const line = new Element({ hidden: true });
  const question = new Element({ dataset: { total: "100", required: "" } }, { inside: { input: inputs, "[data-left]": line } });
  add(question);
  assert.deepEqual([line.hidden, line.textContent], [false, "70 points left to share"]);
  assert.match(inputs[0].kept, /70 left to share/);
  inputs[1].value = "70";
  question.dispatchEvent(new Event("input"));
  assert.deepEqual([line.textContent, inputs[0].kept], ["0 points left to share", ""]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Element, load } from "./page.mjs";

const { add } = await load("question/ranking.js");

function ranking(...given) {
  globalThis.document = {
    createElement: () => Object.assign(new Element(), { append(...inner) { this.inner = inner; } }),
  };
  const items = given.map((value, at) => {
    const parts = { select: new Element({ value }), label: new Element({ textContent: "abc"[at] }) };
    return Object.assign(new Element({}, { inside: parts }), { append(button) { this.button = button; } });
  });
  const hint = new Element({ dataset: { pressed: "Press them in order." } });
  const question = new Element({}, { inside: { "[data-option]": items, "[data-pressed]": hint } });
  add(question);
  const places = () => items.map((item) => item.querySelector("select").value);
  return { places, hint, items, press: (at) => items[at].button.dispatchEvent(new Event("click")) };
}

test("a press gives the next place, and another takes it back: those behind move up", () => {
  const { places, press, items, hint } = ranking("", "", "");
  assert.equal(hint.textContent, "Press them in order.");
  for (const at of [2, 0, 1]) press(at);
  assert.deepEqual(places(), ["2", "3", "1"]);
  press(2);
  assert.deepEqual(places(), ["1", "2", ""]);
  assert.deepEqual(items.map((item) => item.button.getAttribute("aria-pressed")), ["true", "true", "false"]);
});

test("places that were kept over a reload are shown, and the menus are out of sight", () => {
  const { places, items, press } = ranking("2", "1", "");
  assert.deepEqual(items.map((item) => item.button.inner[0].textContent), ["2", "1", ""]);
  assert.ok(items.every((item) => item.querySelector("select").hidden));
  press(2);
  assert.deepEqual(places(), ["2", "1", "3"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Element, fire, load } from "./page.mjs";

const { chooseByDigit, countAnswered } = await load("rating/levels.js");
const ENTRIES = "textarea, select, input[name]:not([type=hidden])";

function scale(n) {
  const levels = Array.from({ length: n }, (_, at) => new Element({ type: "radio", value: String(at + 1), checked: false }));
  const question = new Element({}, { inside: { "input[type=radio]": levels, [ENTRIES]: levels } });
  for (const level of levels) level.around["[data-question]"] = question;
  return { levels, question };
}

/** A press as the form hears it; true where it was taken. */
function press(target, key, more = {}) {
  const event = { key, target, defaultPrevented: false, preventDefault: () => (event.defaultPrevented = true), ...more };
  chooseByDigit(event);
  return event.defaultPrevented;
}

test("a digit chooses its level, tells the page and takes the focus along", () => {
  const { levels } = scale(5);
  let inputs = 0;
  levels[3].addEventListener("input", () => (inputs += 1));
  assert.equal(press(levels[0], "4"), true);
  assert.deepEqual([levels[3].checked, levels[3].focused, inputs], [true, 1, 1]);
});

test("digits beyond the scale, other keys, shortcuts and closed levels do nothing", () => {
  const { levels } = scale(5);
  for (const [key, more] of [["6"], ["0"], ["a"], ["Enter"], ["11"], ["3", { ctrlKey: true }], ["3", { metaKey: true }]]) {
    assert.equal(press(levels[0], key, more), false, key);
  }
  levels[2].matching.add(":disabled");
  assert.equal(press(levels[0], "3"), false);
  assert.ok(levels.every(({ checked }) => !checked));
});

test("who types a number into a text chooses nothing", () => {
  const { question } = scale(5);
  const text = new Element({ type: "textarea" }, { around: { "[data-question]": question } });
  assert.equal(press(text, "4"), false);
});

test("questions with an answer are counted, whatever their type", () => {
  const { question, levels } = scale(3);
  const text = new Element({ type: "textarea", value: "  " });
  const reason = new Element({}, { inside: { [ENTRIES]: [text] } });
  assert.deepEqual(countAnswered([question, reason]), { answered: 0, asked: 2 });
  levels[1].checked = true;
  text.value = "It waits.";
  fire(text, "input");
  assert.deepEqual(countAnswered([question, reason]), { answered: 2, asked: 2 });
});

test("of several groups of choices a digit chooses in its own, and the question is answered when all are", () => {
  const rows = ["m.1", "m.2"].map((name) => Object.assign(scale(3), { name }));
  for (const { levels, name } of rows) for (const level of levels) level.name = name;
  const all = rows.flatMap(({ levels }) => levels);
  const question = new Element({}, { inside: { "input[type=radio]": all, [ENTRIES]: all } });
  for (const level of all) level.around["[data-question]"] = question;
  press(rows[1].levels[0], "2");
  assert.deepEqual(all.map(({ checked }) => checked), [false, false, false, false, true, false]);
  assert.deepEqual(countAnswered([question]), { answered: 0, asked: 1 });
  press(rows[0].levels[0], "3");
  assert.deepEqual(countAnswered([question]), { answered: 1, asked: 1 });
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Element, fire, load, storage } from "./page.mjs";

const { findErrors, keepDraft, showErrors } = await load("participant/fields.js");
const { openStore } = await load("participant/store.js");
const ENTRIES = "textarea, select, input[name]:not([type=hidden])";
let entries;
let questions;
let form;

const valid = { valid: true };
const missing = { valid: false, valueMissing: true };

function entry(name, type, value = "", properties = {}) {
  return new Element({ name, type, value, checked: false, validity: valid, ...properties });
}

/** One question of the page, with the line for what is wrong of it. */
function question(name, fields, group = false) {
  const chosen = fields.find((field) => field.checked);
  const inside = { [ENTRIES]: fields, "[data-error]": new Element(), ...(chosen && { "input:checked": chosen }) };
  const part = new Element({ dataset: { question: name } }, { inside, matching: group ? ["[role=radiogroup]"] : [] });
  for (const field of fields) field.around["[data-question]"] = part;
  return part;
}

function put() {
  const [left, right] = [entry("choice", "radio", "left"), entry("choice", "radio", "right")];
  const rationale = entry("rationale", "textarea");
  const tick = entry("seen", "checkbox", "yes");
  entries = { left, right, rationale, tick };
  questions = [question("choice", [left, right], true), question("rationale", [rationale]), question("seen", [tick])];
  form = new Element({}, { inside: { [ENTRIES]: Object.values(entries), "[data-question]": questions } });
}

const errorAt = (place) => questions[place].querySelector("[data-error]").textContent;

beforeEach(() => {
  storage();
  put();
});

test("what was entered is there after a reload", () => {
  keepDraft(form, openStore("/p/abc", "s1"));
  entries.right.checked = true;
  entries.rationale.value = "It turns late";
  entries.tick.checked = true;
  fire(form, "input", {});
  put();
  keepDraft(form, openStore("/p/abc", "s1"));
  assert.deepEqual([entries.left.checked, entries.right.checked, entries.tick.checked], [false, true, true]);
  assert.equal(entries.rationale.value, "It turns late");
});

test("a field of which nothing was kept stays as the server sent it", () => {
  entries.rationale.value = "as sent";
  entries.left.checked = true;
  keepDraft(form, openStore("/p/abc", "s1"));
  assert.deepEqual([entries.rationale.value, entries.left.checked], ["as sent", true]);
});

test("a name that every object has is no draft", () => {
  entries.rationale.name = "toString";
  keepDraft(form, openStore("/p/abc", "s1"));
  assert.equal(entries.rationale.value, "");
});

test("an unanswered question is named in our words, an odd value in the browser's; closed fields are not", () => {
  assert.deepEqual(findErrors(form), {});
  entries.left.validity = entries.right.validity = missing;
  Object.assign(entries.rationale, { validity: { valid: false }, validationMessage: "At most 4,000 characters." });
  Object.assign(entries.tick, { validity: missing });
  entries.tick.matching.add(":disabled");
  assert.deepEqual(findErrors(form), { choice: "Please answer this question.", rationale: "At most 4,000 characters." });
});

test("each error stands at its question, the first is gone to, and those without a question are given back", () => {
  const unplaced = showErrors(form, { rationale: "Please answer this question.", playback: "odd" });
  assert.deepEqual([errorAt(0), errorAt(1), unplaced], ["", "Please answer this question.", ["odd"]]);
  assert.equal(entries.rationale.getAttribute("aria-invalid"), "true");
  assert.deepEqual([entries.left.focused, entries.rationale.focused], [0, 1]);
});

test("of several errors the first question on the page is gone to; a group's error is the group's", () => {
  showErrors(form, { rationale: "Too long.", choice: "Please answer this question." });
  assert.equal(questions[0].getAttribute("aria-invalid"), "true");
  assert.deepEqual([entries.left.focused, entries.rationale.focused], [1, 0]);
});

test("an error goes when the question is answered, and when errors are shown anew", () => {
  keepDraft(form, openStore("/p/abc", "s1"));
  showErrors(form, { rationale: "Please answer this question." });
  const event = new Event("input");
  Object.defineProperty(event, "target", { value: entries.rationale });
  form.dispatchEvent(event);
  assert.deepEqual([errorAt(1), entries.rationale.getAttribute("aria-invalid")], ["", null]);
  showErrors(form, { choice: "Please answer this question." });
  showErrors(form, {});
  assert.deepEqual([errorAt(0), questions[0].getAttribute("aria-invalid")], ["", null]);
});

test("of a question of several groups each open one is marked, and it says itself what is due", () => {
  const groups = [new Element(), new Element({}, { inside: { "input:checked": new Element() } })];
  const open = entry("m.1", "radio", "1", { validity: missing });
  const matrix = new Element(
    { dataset: { question: "m", due: "One answer for each." } },
    { inside: { [ENTRIES]: [open], "input[name]:invalid": open, "[data-error]": new Element(), "[role=radiogroup]": groups } },
  );
  open.around["[data-question]"] = matrix;
  form = new Element({}, { inside: { [ENTRIES]: [open], "[data-question]": [matrix] } });
  assert.deepEqual(findErrors(form), { m: "One answer for each." });
  showErrors(form, { m: "One answer for each." });
  assert.deepEqual(groups.map((group) => group.getAttribute("aria-invalid")), ["true", null]);
  assert.equal(open.focused, 1);
});

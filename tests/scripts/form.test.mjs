import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Element, clock, fire, json, load, replying, settled, storage } from "./page.mjs";

globalThis.window = new EventTarget();
const { enhance } = await load("participant/form.js");
const { openStore } = await load("participant/store.js");
const ENTRIES = "textarea, select, input[name]:not([type=hidden])";
const PARTS = ["[data-status]", "[data-countdown]", "[data-retry]", "[data-problem]"];
let parts;
let form;
let fieldset;
let entry;
let went;
let warns;
let store;

function put() {
  parts = Object.fromEntries(PARTS.map((name) => [name, new Element({ append: (...more) => parts.appended.push(...more) })]));
  parts.appended = [];
  fieldset = new Element({ disabled: false });
  entry = new Element({ name: "why", type: "textarea", value: "It turns", validity: { valid: true } });
  const question = new Element({ dataset: { question: "why" } }, { inside: { [ENTRIES]: [entry], "[data-error]": new Element() } });
  entry.around["[data-question]"] = question;
  const inside = { ...parts, [ENTRIES]: [entry], "[data-question]": [question], "fieldset:not(:disabled)": [fieldset] };
  form = new Element({ question }, { attributes: { action: "/p/abc" }, inside });
}

beforeEach(() => {
  storage();
  clock();
  went = [];
  warns = new Set();
  globalThis.window = Object.assign(new EventTarget(), {
    addEventListener: (name, act) => name === "beforeunload" && warns.add(act),
    removeEventListener: (name, act) => name === "beforeunload" && warns.delete(act),
  });
  globalThis.location = { replace: (address) => went.push(address) };
  globalThis.document = { querySelectorAll: () => [], createElement: () => new Element() };
  globalThis.FormData = class extends Map {
    constructor() {
      super([["submit_id", "s1"], ["why", entry.value]]);
    }
  };
  put();
  store = openStore("/p/abc", "s1");
  store.set({ draft: { why: "It turns" } });
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

async function submit(submitter) {
  fire(form, "submit", { submitter });
  await settled();
}

const problem = () => parts["[data-problem]"];
const kept = () => openStore("/p/abc", "s1").get("draft");

test("an answer that is stored leads on, and what was kept of it goes", async () => {
  const asked = replying(json({ next: "/p/abc" }));
  enhance(form, store);
  await submit(new Element({ name: "decision", value: "agree" }));
  assert.equal(String(asked[0].body), "submit_id=s1&why=It+turns&decision=agree");
  assert.deepEqual([went, kept(), warns.size], [["/p/abc"], undefined, 0]);
});

test("while it is sent nothing can be changed or sent again, and leaving is warned of", async () => {
  let arrives;
  const asked = replying(() => new Promise((resolve) => (arrives = resolve)));
  enhance(form, store);
  await submit();
  await submit();
  assert.deepEqual([asked.length, fieldset.disabled, warns.size], [1, true, 1]);
  arrives(json({ errors: { why: "More, please." } }, 422));
  await settled();
  assert.deepEqual([fieldset.disabled, warns.size, went.length], [false, 0, 0]);
});

test("what the server finds wrong is said at its question, else above the form, and nothing is forgotten", async () => {
  replying(json({ errors: { why: "More, please.", other: "This page is of another study." } }, 422), json({ next: "/p/abc" }));
  enhance(form, store);
  await submit();
  assert.equal(form.question.querySelector("[data-error]").textContent, "More, please.");
  assert.deepEqual([problem().textContent, problem().hidden], ["This page is of another study.", false]);
  assert.deepEqual(kept(), { why: "It turns" });
  await submit();
  assert.deepEqual(went, ["/p/abc"], "it can be sent again");
});

test("a page that is over keeps nothing and says where to go on; another refusal keeps all", async () => {
  for (const [status, data, says, isKept] of [
    [409, { message: "Answered in another tab.", next: "/p/abc" }, "Answered in another tab.", false],
    [404, {}, "This could not be saved. Your answer is still here; please try again.", false],
    [410, { message: "The study is closed." }, "The study is closed.", false],
    [413, { message: "The form is too large." }, "The form is too large.", true],
  ]) {
    put();
    store = openStore("/p/abc", "s1");
    store.set({ draft: { why: "It turns" } });
    replying(json(data, status));
    enhance(form, store);
    await submit();
    assert.equal(problem().textContent, says);
    assert.deepEqual(parts.appended.map((each) => each.href ?? each), data.next ? [" ", data.next] : []);
    assert.equal(kept() !== undefined, isKept, `${status}`);
    mock.restoreAll();
  }
  assert.deepEqual(went, []);
});

test("what is missing or held back is not sent, but for whoever gives up", async () => {
  const asked = replying(json({ next: "/p/abc" }));
  entry.validity = { valid: false, valueMissing: true };
  let holds = true;
  enhance(form, store, () => holds);
  await submit();
  assert.equal(form.question.querySelector("[data-error]").textContent, "", "nobody is told what is missing yet");
  holds = false;
  await submit();
  assert.equal(form.question.querySelector("[data-error]").textContent, "Please answer this question.");
  assert.equal(asked.length, 0);
  holds = true;
  await submit(new Element({ name: "decision", value: "leave", formNoValidate: true }));
  assert.equal(asked.length, 1);
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, fire, json, open, replying, run, settled, storage } from "./page.mjs";

let time;
let page;

const radios = (name, values, more = "") => values.map((value) => `<input type="radio" name="${name}" value="${value}"${more}>`).join("");
const scale = `<fieldset role="radiogroup" data-question="fair">${radios("fair", [1, 2, 3])}<p data-error></p></fieldset>`;
const sides = `<fieldset role="radiogroup" data-question="choice">${radios("choice", ["left", "right"], " data-choice required")}<p data-error></p></fieldset>`;
const why = '<div data-question="why"><textarea name="why"></textarea><p data-error></p></div>';

const form = (asked) => `<form action="/p/abc" data-send="s1"><input type="hidden" name="submit_id" value="s1"><p data-problem hidden></p>
  <p data-hint hidden></p><div hidden><input type="checkbox" data-keys checked></div><fieldset>${asked}</fieldset><p data-answered></p>
  <button type="submit">Save</button><span data-status></span><span data-countdown></span><button data-retry hidden></button></form>`;
const text = (name, n) => `<section data-stimulus="${name}"><div data-parts>${"<p>Words</p>".repeat(n)}</div><div class="sheet" tabindex="0"></div></section>`;

async function opened(script, html) {
  page = open(html, time);
  globalThis.innerHeight = 300;
  globalThis.IntersectionObserver = class {
    observe() {}
  };
  await run(script);
}

const find = (selector) => document.querySelector(selector);
const press = (key, at) => fire(at, "keydown", { key });

async function submit() {
  fire(find("form"), "submit");
  await settled();
}

beforeEach(() => {
  storage();
  time = clock();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("a record's answers are counted, kept over a reload and sent with what was read of it", async () => {
  const asked = replying(json({ next: "/p/abc" }));
  const html = text("", 2) + form(scale + why);
  await opened("rating/rating.js", html);
  assert.deepEqual([find("[data-answered]").textContent, find("[data-hint]").hidden], ["0 of 2 answered", false]);
  assert.equal(find(".sheet[tabindex]"), null, "a table that is not cut off is no stop");
  press("2", find("[name=fair]"));
  assert.equal(find("[data-answered]").textContent, "1 of 2 answered");
  await time.pass(2_000);
  await opened("rating/rating.js", html);
  assert.deepEqual([find("[data-answered]").textContent, find("[value=2]").checked], ["1 of 2 answered", true]);
  await submit();
  const { fair, reading, rt_ms } = Object.fromEntries(asked[0].body);
  const { loads, read_ms, parts } = JSON.parse(reading);
  assert.deepEqual([fair, Number(rt_ms), loads, read_ms, parts], ["2", 2_000, 2, 2_000, [0, 0]]);
  assert.deepEqual([page.went, Object.keys(localStorage)], [["/p/abc"], []]);
});

test("of a clip only the answers are counted: what is recorded and sent is the trial's", async () => {
  const asked = replying();
  await opened("rating/rating.js", form(scale));
  press("3", find("[name=fair]"));
  assert.deepEqual([find("[data-answered]").textContent, find("[value=3]").checked], ["1 of 1 answered", true]);
  assert.deepEqual([fire(find("form"), "submit").defaultPrevented, asked.length, Object.keys(localStorage)], [false, 0, []]);
});

test("two texts are compared by keys, and what was read is told of each", async () => {
  const asked = replying(json({ next: "/p/abc" }));
  await opened("pair/compare.js", text("left", 1) + text("right", 3) + form(sides + scale));
  assert.deepEqual([find("[data-keys]").closest("[hidden]"), find(".sheet[tabindex]")], [null, null]);
  await submit();
  assert.deepEqual([asked.length, find("[data-error]").textContent], [0, "Please answer this question."]);
  press("ArrowRight", document.body);
  press("1", find("[name=fair]"));
  assert.deepEqual([find("[value=right]").checked, find("[name=fair]").checked], [true, true], "on a scale a digit is a level");
  assert.equal(find("[data-answered]").textContent, "2 of 2 answered");
  await time.pass(1_000);
  await submit();
  const { choice, reading } = Object.fromEntries(asked[0].body);
  assert.deepEqual([choice, Object.entries(JSON.parse(reading)).map(([name, { parts }]) => [name, parts.length])], ["right", [["left", 1], ["right", 3]]]);
});

test("keys turned off on one page of a comparison are off on the next", async () => {
  const html = text("left", 1) + text("right", 1) + form(sides);
  await opened("pair/compare.js", html);
  find("[data-keys]").checked = false;
  fire(find("[data-keys]"), "change");
  await opened("pair/compare.js", html);
  press("1", document.body);
  assert.deepEqual([find("[data-keys]").checked, find("[name=choice]").checked], [false, false]);
});

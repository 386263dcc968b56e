import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Parser } from "./markup.mjs";
import { clock, fire, load, open, replying, run, settled, storage } from "./page.mjs";

let time;
const find = (selector) => document.querySelector(selector);
const html = (text) => () => new Response(text, { headers: { "Content-Type": "text/html" } });
const login = () => Object.defineProperty(new Response("<p>Log in</p>"), "redirected", { value: true });

beforeEach(() => {
  storage();
  time = clock();
  globalThis.DOMParser = Parser;
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const part = (id, text, more = "") => `<section id="${id}"><p>${text}</p>${more}</section>`;
const folded = (text, open = "") => `<details id="d"${open}><summary>All</summary><div class="scroll">${text}</div><a href="/1">1</a><a href="/2">2</a></details>`;

test("only sections that have changed are put in place anew, and stay as the reader has left them", async () => {
  const { show } = await load("experimenter/sections.js");
  open(part("a", "one", folded("x")) + part("b", "one"), time);
  const b = find("#b");
  find("details").open = true;
  find(".scroll").scrollLeft = 40;
  find("[href=/2]").focus();
  const two = part("a", "two", folded("x").replace('<a href="/1">1</a>', '<time datetime="2026-03-01T12:05:00Z">12:05</time>'));
  show(two + part("b", "one") + part("c", "of no place here"));
  assert.deepEqual([find("#a p").textContent, find("#b") === b, find("#c")], ["two", true, null]);
  assert.deepEqual([find("details").open, find(".scroll").scrollLeft, document.activeElement], [true, 40, find("[href=/2]")]);
  const a = find("#a");
  assert.equal(find("time").title, "12:05 UTC");
  show(two);
  assert.equal(find("#a"), a, "what one has unfolded is no change");
  show(part("a", "two", "<details id='e'><summary>All</summary></details>".replaceAll("'", '"')));
  assert.equal(document.activeElement, find("summary"), "where the link is gone, what stands in its place");
});

test("the list of matches asks every two seconds while it is seen, says when it cannot, and goes on", async () => {
  open(`<div data-poll="/matches">${part("a", "one")}</div><p data-live></p>`, time);
  const asked = replying(html(part("a", "two")), login, html(part("a", "three")));
  await run("experimenter/matches.js");
  await time.pass(2_000);
  assert.deepEqual([find("#a p").textContent, asked.length], ["two", 1]);
  assert.match(find("[data-live]").textContent, /^Updates by itself, as of /);
  document.hidden = true;
  await time.pass(6_000);
  assert.equal(asked.length, 1);
  document.hidden = false;
  await time.pass(2_000);
  assert.deepEqual([find("[data-live]").textContent, find("#a p").textContent], ["No longer live: reload the page.", "two"]);
  await time.pass(2_000);
  assert.equal(find("#a p").textContent, "three");
});

test("the monitor shows what is sent to it, and says when nothing will be any more", async () => {
  open(`<div data-events="/events">${part("a", "one")}</div><p data-live></p>`, time);
  let source;
  window.EventSource = globalThis.EventSource = class extends EventTarget {
    static CLOSED = 2;
    constructor() {
      super();
      source = this;
    }
  };
  await run("experimenter/running-monitor.js");
  fire(source, "numbers", { data: part("a", "two") });
  assert.equal(find("#a p").textContent, "two");
  const says = find("[data-live]");
  for (const [name, readyState, words] of [["same", 1, /^Updates by itself/], ["error", 0, /^Updates by itself/], ["error", 2, /^No longer live/], ["same", 1, /^Updates by itself/]]) {
    source.readyState = readyState;
    fire(source, name);
    assert.match(says.textContent, words);
  }
});

/** A match of `n` events, looked at at one of them. */
const moment = (at, n, runs = "no") => `<section id="w-moment" data-at="${at}" data-n="${n}" data-runs="${runs}" data-says="event ${at}"></section>`;

async function match(first, ...replies) {
  const links = ["first", "previous", "next", "last"].map((name) => `<a href="http://localhost/m" data-go="${name}">${name}</a>`);
  open(
    `<form data-replay="/m/at"><input type="range" max="9" value="9"><output data-place></output><p data-follows></p></form>${links.join("")}
    <ol class="events"><li><a href="http://localhost/m?at=4">4</a></li></ol><div data-stop>Stop</div>${first}`,
    time,
  );
  const slider = Object.defineProperty(find("input"), "max", { get() { return this.getAttribute("max"); }, set(most) { this.setAttribute("max", most); } });
  const asked = replying(...replies);
  await run("experimenter/match.js");
  return { slider, asked };
}

test("a match is looked at at the event that is chosen; an older answer that comes late is not shown", async () => {
  let late;
  const { slider, asked } = await match(moment(9, 9), () => new Promise((resolve) => (late = resolve)), html(moment(4, 9)), html(moment(3, 9)), login, html(moment(9, 9)));
  slider.value = 2;
  fire(slider, "input");
  assert.equal(find("[data-place]").textContent, "2 of 9");
  const press = async (selector, more) => {
    const { defaultPrevented } = fire(find(selector), "click", more);
    await settled();
    return defaultPrevented;
  };
  assert.equal(await press(".events a", { ctrlKey: true }), false);
  assert.equal(await press(".events a"), true);
  late(html(moment(2, 9))());
  await settled();
  assert.deepEqual([slider.value, find("#w-moment").dataset.at, slider.getAttribute("aria-valuetext"), location.search], ["4", "4", "event 4 of 9: event 4", "?at=4"]);
  await press("[data-go=previous]");
  assert.equal(find("#w-moment").dataset.at, "3");
  await press("[data-go=next]");
  assert.equal(find("#w-moment").dataset.at, "3", "a login page is no match");
  await press("[data-go=last]");
  assert.deepEqual([find("#w-moment").dataset.at, location.search], ["9", ""]);
  assert.deepEqual(asked.map(({ address }) => address), [2, 4, 3, 4, 0].map((at) => `/m/at?at=${at}`));
});

test("at its end a match that is played is followed while it is seen, until it is over", async () => {
  const { slider, asked } = await match(moment(9, 9, "yes"), html(moment(10, 10, "yes")), html(moment(4, 10, "yes")), html(moment(11, 11, "yes")), html(moment(11, 11)));
  assert.equal(find("[data-follows]").textContent, "Follows the match");
  await time.pass(2_000);
  assert.deepEqual([slider.value, slider.max, find("[data-place]").textContent], ["10", "10", "10 of 10"]);
  document.hidden = true;
  await time.pass(4_000);
  document.hidden = false;
  slider.value = 4;
  fire(slider, "input");
  await time.pass(4_000);
  assert.deepEqual([asked.length, find("[data-follows]").textContent], [2, ""]);
  fire(find("[data-go=last]"), "click");
  await settled();
  assert.equal(find("[data-stop]") === null, false);
  await time.pass(2_000);
  assert.deepEqual([find("[data-stop]"), find("[data-follows]").textContent], [null, ""]);
  await time.pass(6_000);
  assert.equal(asked.length, 4);
});

const draw = (seed, { rows = ["a-b"], error = "", possible = 9 } = {}) => `<form action="/draw" data-draw><table class="draw-table"><tbody>${rows
  .map((name) => `<tr><th><input type="hidden" name="condition" value="${name}">${name}${error}</th><td><input name="main" value="1"${error && ' aria-invalid="true"'}></td><td><input name="practice" value="0"></td><td>${possible}</td></tr>`)
  .join("")}</tbody></table><input id="seed" name="seed" value="${seed}"><p id="seed-help">${seed}</p><button data-seed>Another seed</button></form>
  <section data-result>${seed}</section><aside data-summary>${seed}</aside>`;

test("the pairs that would be drawn follow the form a little after the last key, with what is wrong of it", async () => {
  open(draw(1), time);
  const asked = replying(html(draw(1, { error: "<p>Too many</p>", possible: 5 })), html(draw(1, { rows: ["c-d"], possible: 7 })), html(draw(1)));
  await run("experimenter/pairs-draw.js");
  const field = find("[name=main]");
  for (const value of [1, 12]) {
    field.value = value;
    fire(field, "input");
    await time.pass(250);
  }
  assert.equal(asked.length, 0);
  await time.pass(250);
  assert.deepEqual(Object.fromEntries(asked[0].body), { condition: "a-b", main: "12", practice: "0", seed: "1", do: "preview" });
  const cells = () => find("tr").cells.map((cell) => cell.textContent);
  assert.deepEqual([find("[name=main]") === field, field.value, field.getAttribute("aria-invalid"), cells()], [true, "12", "true", ["a-bToo many", "", "", "5"]]);
  fire(field, "input");
  await time.pass(500);
  assert.deepEqual(cells(), ["a-bToo many", "", "", "5"], "another table is not taken over");
  find("#seed").focus();
  find("#seed").value = "77";
  fire(find("#seed"), "input");
  await time.pass(500);
  assert.deepEqual([cells(), field.getAttribute("aria-invalid"), find("#seed").value], [["a-b", "", "", "9"], null, "77"]);
});

test("another seed is the server's; of two answers the later counts; without a line the form is sent", async () => {
  open(draw(1), time);
  let late;
  const asked = replying(() => new Promise((resolve) => (late = resolve)), html(draw(3)), login, new TypeError("network"));
  await run("experimenter/pairs-draw.js");
  find("form").submit = mock.fn();
  fire(find("form"), "input");
  await time.pass(500);
  const another = async () => {
    fire(find("[data-seed]"), "click");
    await settled();
  };
  await another();
  late(html(draw(2))());
  await settled();
  assert.deepEqual([asked[1].body.get("do"), find("#seed").value, find("#seed-help").textContent, find("[data-result]").textContent, find("[data-summary]").textContent], ["seed", "3", "3", "3", "3"]);
  for (const n of [1, 2]) {
    await another();
    assert.equal(find("form").submit.mock.callCount(), n, "a plain form says what is wrong");
  }
  assert.equal(find("#seed").value, "3");
});

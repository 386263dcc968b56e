import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, fire, json, open, replying, run, settled, storage } from "./page.mjs";

const find = (selector) => document.querySelector(selector);
let time;
let page;

beforeEach(() => {
  storage();
  time = clock();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("a code or an address is copied; where that is denied it is selected and said to be", async () => {
  for (const [script, html, otherwise] of [
    ["participant/page.js", "<b data-code>C0DE</b><button data-copy data-text=\"C0DE\" hidden></button><p data-copied></p>", "The code is selected: copy it with your keyboard or menu."],
    ["experimenter/studies-copy.js", "<p><b data-text>C0DE</b><button data-copy hidden></button><i data-copied></i></p>", "It is selected: copy it with your keyboard or menu."],
  ]) {
    open(html, time);
    const selected = [];
    globalThis.getSelection = () => ({ selectAllChildren: (element) => selected.push(element.textContent) });
    let isCopied = true;
    document.execCommand = () => isCopied;
    const clipboard = { writeText: mock.fn(async () => {}) };
    Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard } });
    await run(script);
    const press = async () => {
      find("button").click();
      await settled();
      return find("[data-copied]").textContent;
    };
    assert.deepEqual([find("button").hidden, await press(), clipboard.writeText.mock.calls[0].arguments], [false, "Copied.", ["C0DE"]]);
    delete navigator.clipboard;
    assert.deepEqual([await press(), selected], ["Copied.", ["C0DE"]]);
    isCopied = false;
    assert.equal(await press(), otherwise);
  }
});

test("a page without clips sends its form as every page does", async () => {
  page = open('<form action="/p/abc" data-send="s1"><input name="age" value="1"><p data-problem></p><p data-status></p><p data-countdown></p><button data-retry></button></form>', time);
  const asked = replying(json({ next: "/p/abc" }));
  await run("participant/page.js");
  fire(find("form"), "submit");
  await settled();
  assert.deepEqual([String(asked[0].body), page.went], ["age=1", ["/p/abc"]]);
});

test("what cannot be undone is asked about first", async () => {
  open('<form data-confirm="Delete it?"></form><p data-problem>Wrong</p><time datetime="2026-03-01T12:05:00Z">12:05</time>', time);
  await run("experimenter/admin.js");
  for (const answer of [true, false]) {
    globalThis.confirm = mock.fn(() => answer);
    assert.equal(fire(find("form"), "submit").defaultPrevented, !answer);
    assert.deepEqual(globalThis.confirm.mock.calls[0].arguments, ["Delete it?"]);
  }
  assert.deepEqual([document.activeElement, find("time").title], [find("[data-problem]"), "12:05 UTC"]);
});

test("a job is followed over a lost line until it is over, and no more after a logout", async () => {
  for (const [last, went] of [[json({ is_over: true }), ["again"]], [json({}, 401), []]]) {
    time = clock();
    page = open('<div data-job="7" data-over="no"><b data-doing></b><i data-count></i><progress></progress></div><div data-job="8" data-over="yes"></div>', time);
    const asked = replying(json({ status: "queued" }), new TypeError("network"), json({ doing: "Drawing", total: 4, done: 1 }), last);
    await run("experimenter/admin.js");
    const says = () => [find("[data-doing]").textContent, find("[data-count]").textContent, find("progress").value];
    await time.pass(1_000);
    assert.deepEqual(says(), ["Waiting to begin", "", ""]);
    await time.pass(2_000);
    assert.deepEqual(says(), ["Drawing", "1 of 4", "1"]);
    await time.pass(5_000);
    assert.deepEqual([page.went, asked.length, asked[0].address], [went, 4, "/admin/jobs/7"]);
  }
});

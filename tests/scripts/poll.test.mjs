import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, json, load, replying, settled, silence } from "./page.mjs";

const { Poll } = await load("game/poll.js");
const nothing = () => new Response(null, { status: 204 });
const lost = new TypeError("network");
let time;
let on;
let poll;

beforeEach(() => {
  globalThis.window = new EventTarget();
  time = clock();
  on = { states: [], lines: [], state: (data) => on.states.push(data.html), gone: mock.fn(), line: (seconds) => on.lines.push(seconds) };
});
afterEach(() => {
  poll.stop();
  mock.timers.reset();
  mock.restoreAll();
});

function begin() {
  poll = new Poll("/p/abc/state", "v1", on);
  poll.start();
  return settled();
}

const asked = (requests) => requests.map(({ address }) => address.split("after=")[1]);

test("it asks for what comes after the version shown, and shows what comes", async () => {
  const requests = replying(json({ version: "v2", html: "two" }), nothing, json({ version: "v2", html: "two again" }), silence);
  await begin();
  await time.pass(5_000);
  assert.deepEqual(asked(requests), ["v1", "v2", "v2", "v2"]);
  assert.deepEqual(on.states, ["two"]);
  assert.deepEqual(on.lines, []);
});

test("a server that answers at once with nothing is asked once a second", async () => {
  const requests = replying(...Array.from({ length: 50 }, () => nothing));
  await begin();
  await time.pass(3_000);
  assert.ok(requests.length <= 4, String(requests.length));
});

test("without a connection it says so, tries less and less often, and at once when it is back", async () => {
  const page = () => new Response("<title>Hotel</title>", { headers: { "Content-Type": "text/html" } });
  const requests = replying(lost, page, () => json({}, 503), () => json({}, 429), lost, lost, json({ version: "v2", html: "two" }), silence);
  await begin();
  for (const wait of [1, 2, 4, 8, 15]) await time.pass(wait * 1000);
  assert.deepEqual(on.lines, [1, 2, 4, 8, 15, 15]);
  assert.equal(requests.length, 6);
  window.dispatchEvent(new Event("online"));
  await settled();
  assert.deepEqual(on.lines.at(-1), null);
  assert.deepEqual(on.states, ["two"]);
});

test("asked to look now it gives up waiting, and shows the state even where it is the same", async () => {
  const requests = replying(silence, json({ version: "v1", html: "one" }), silence);
  await begin();
  poll.now();
  await settled();
  assert.deepEqual(asked(requests).slice(0, 2), ["v1", ""]);
  assert.deepEqual(on.states, ["one"]);
  assert.deepEqual(on.lines, []);
});

test("a page that is over is left", async () => {
  for (const [reply, wait] of [
    [json({ reload: true }), 0],
    [json({}, 410), 1_000],
  ]) {
    const requests = replying(reply);
    await begin();
    await time.pass(wait);
    await settled();
    assert.equal(on.gone.mock.callCount(), 1);
    await time.pass(5_000);
    assert.equal(requests.length, 1);
    on.gone.mock.resetCalls();
  }
});

test("a connection that brings nothing is given up in the end", async () => {
  const requests = replying(silence, silence);
  await begin();
  await time.pass(41_000);
  assert.deepEqual(on.lines, [1]);
  await time.pass(1_000);
  assert.equal(requests.length, 2);
});

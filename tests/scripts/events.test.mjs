import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, json, load, replying, settled, silence } from "./page.mjs";

const { Events } = await load("game/events.js");
let time;
let on;
let events;
let sources;

class Source extends EventTarget {
  readyState = 1;

  constructor(address) {
    super();
    this.address = address;
    sources.push(this);
  }

  tell(kind, data = {}) {
    this.dispatchEvent(Object.assign(new Event(kind), { data: JSON.stringify(data) }));
  }

  close() {
    this.readyState = 2;
  }
}
Source.CLOSED = 2;

beforeEach(() => {
  globalThis.window = new EventTarget();
  globalThis.EventSource = Source;
  sources = [];
  time = clock();
  on = { states: [], state: (data) => on.states.push(data.html), gone: mock.fn(), line: () => {} };
  events = new Events("/p/abc/state", "v1", on);
  events.start();
});
afterEach(() => {
  events.stop();
  delete globalThis.EventSource;
  mock.timers.reset();
  mock.restoreAll();
});

test("each change that the stream tells is shown once, and nothing is polled", async () => {
  const requests = replying(silence);
  assert.equal(sources[0].address, "/p/abc/state/events?after=v1");
  sources[0].tell("here");
  sources[0].tell("message", { version: "v2", html: "two" });
  sources[0].tell("message", { version: "v2", html: "two" });
  sources[0].tell("message", { version: "v3", html: "three" });
  await time.pass(60_000);
  assert.deepEqual(on.states, ["two", "three"]);
  assert.equal(requests.length, 0);
});

test("a page that is over is left, and its stream closed", () => {
  sources[0].tell("message", { reload: true });
  assert.equal(on.gone.mock.callCount(), 1);
  assert.equal(sources[0].readyState, 2);
});

test("a stream that is held back on its way is given up for polls", async () => {
  const requests = replying(json({ version: "v2", html: "two" }), silence);
  await time.pass(7_000);
  await settled();
  assert.equal(sources[0].readyState, 2);
  assert.equal(requests[0].address, "/p/abc/state?after=v1");
  assert.deepEqual(on.states, ["two"]);
});

test("one lost stream is opened again by the browser; after two the page polls", async () => {
  const requests = replying(silence);
  sources[0].tell("here");
  sources[0].tell("error");
  sources[0].tell("here");
  sources[0].tell("error");
  assert.equal(requests.length, 0);
  sources[0].tell("error");
  await settled();
  assert.equal(requests.length, 1);
});

test("who asks now has a stream from the beginning", () => {
  events.now();
  assert.equal(sources.length, 2);
  assert.equal(sources[0].readyState, 2);
  assert.equal(sources[1].address, "/p/abc/state/events?after=");
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { load } from "./page.mjs";

const { mbpsOf, showsSmoothly } = await load("participant/speed.js");
let at;

beforeEach(() => {
  at = 0;
  mock.method(performance, "now", () => at);
});
afterEach(() => mock.restoreAll());

/** Replies whose parts come at their times: `[ms, bytes]`, of which the first begins at the request. */
function replies(...bodies) {
  const asked = [];
  globalThis.fetch = async (address) => {
    asked.push(address);
    const parts = [...bodies.shift()];
    const read = async () => {
      const next = parts.shift();
      if (!next) return { done: true };
      if (next === "cut") throw new TypeError("cut off");
      const [ms, bytes] = next;
      at += ms;
      return { done: false, value: { length: bytes } };
    };
    return { ok: true, body: { getReader: () => ({ read }) } };
  };
  return asked;
}

test("the time runs from the first bytes, which are not counted", async () => {
  replies([[500, 1000], [100, 25_000], [100, 25_000]]);
  assert.equal(await mbpsOf("/speed", 1), 2);
});

test("where most comes with the first bytes, the time runs from the request", async () => {
  replies([[400, 50_000]]);
  assert.equal(await mbpsOf("/speed", 1), 1);
});

test("a slow try is tried once more, and the better one counts", async () => {
  const asked = replies([[400, 50_000]], [[200, 50_000]], [[1, 50_000]]);
  assert.equal(await mbpsOf("/speed", 5), 2);
  assert.equal(asked.length, 2);
});

test("a try that is fast enough is the last", async () => {
  const asked = replies([[400, 50_000]], [[200, 50_000]]);
  assert.equal(await mbpsOf("/speed", 1), 1);
  assert.equal(asked.length, 1);
});

test("what is cut off, or refused, says nothing", async () => {
  replies([[10, 10], "cut"], [[10, 10], "cut"]);
  assert.equal(await mbpsOf("/speed", 1), null);
  globalThis.fetch = async () => ({ ok: false });
  assert.equal(await mbpsOf("/speed", 1), null);
});

test("a browser says whether it plays smoothly, or nothing", async () => {
  const says = (info) => Object.defineProperty(globalThis, "navigator", { value: info, configurable: true });
  let asked = null;
  says({ mediaCapabilities: { decodingInfo: async ({ video }) => ((asked = video), { supported: true, smooth: true }) } });
  assert.equal(await showsSmoothly("640x400@25"), true);
  assert.deepEqual([asked.width, asked.height, asked.framerate], [640, 400, 25]);
  says({ mediaCapabilities: { decodingInfo: async () => ({ supported: false, smooth: false }) } });
  assert.equal(await showsSmoothly("640x400@25"), false);
  says({});
  assert.equal(await showsSmoothly("640x400@25"), null);
});

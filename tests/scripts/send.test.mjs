import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, json, load, replying, settled, silence } from "./page.mjs";

const { send } = await load("participant/send.js");
const BODY = new URLSearchParams({ choice: "left", submit_id: "s1" });
const lost = new TypeError("network");
let time;
let view;
let done;

beforeEach(() => {
  globalThis.window = new EventTarget();
  time = clock();
  done = null;
  view = {
    waits: [],
    saving: mock.fn(),
    waiting(seconds, now) {
      this.waits.push(seconds);
      this.now = now;
    },
  };
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

function begin() {
  send("/p/abc", BODY, view).then((reply) => {
    done = reply;
  });
  return settled();
}

test("the server's answer ends it", async () => {
  const asked = replying(json({ next: "/p/abc" }));
  await begin();
  assert.deepEqual(done, { status: 200, data: { next: "/p/abc" } });
  const [{ address, method, headers, body, credentials, cache }] = asked;
  assert.deepEqual({ address, method, credentials, cache }, { address: "/p/abc", method: "POST", credentials: "same-origin", cache: "no-store" });
  assert.equal(headers.Accept, "application/json");
  assert.equal(body, BODY);
});

test("what may pass is tried again with the same fields until it is answered", async () => {
  const page = () => new Response("<title>Hotel</title>", { headers: { "Content-Type": "text/html" } });
  const passing = [lost, page, json({}, 500), json({}, 503), json({}, 408), json({}, 425), json({}, 429)];
  const asked = replying(...passing, json({ next: "/p/abc" }));
  await begin();
  for (let tries = 1; tries <= passing.length; tries += 1) {
    assert.equal(asked.length, tries);
    assert.equal(done, null);
    view.now();
    await settled();
  }
  assert.equal(done.status, 200);
  assert.equal(new Set(asked.map(({ body }) => body)).size, 1);
  assert.equal(String(BODY), "choice=left&submit_id=s1");
});

test("it waits 1, 2, 4, 8 and then 15 seconds, and says how many are left", async () => {
  const asked = replying(...Array(7).fill(lost), json({ next: "/p/abc" }));
  await begin();
  for (const seconds of [1, 2, 4, 8, 15, 15, 15]) {
    const before = asked.length;
    assert.equal(view.waits.at(-1), seconds);
    await time.pass(seconds * 1000 - 250);
    assert.equal(asked.length, before, `${seconds} s are not over`);
    assert.equal(view.waits.at(-1), 1);
    await time.pass(250);
    assert.equal(asked.length, before + 1, `${seconds} s are over`);
  }
  assert.equal(done.status, 200);
});

test("the person, or the connection coming back, ends the wait", async () => {
  const asked = replying(lost, lost, json({ next: "/p/abc" }));
  await begin();
  view.now();
  await settled();
  assert.equal(asked.length, 2);
  window.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(done.status, 200);
});

test("a refusal is the server's word and is not tried again", async () => {
  const errors = { choice: "Please answer this question." };
  for (const [reply, expected] of [
    [json({ errors }, 422), { status: 422, data: { errors } }],
    [json({ message: "Answered in another tab." }, 409), { status: 409, data: { message: "Answered in another tab." } }],
    [new Response("gone", { status: 404 }), { status: 404, data: {} }],
  ]) {
    const asked = replying(reply);
    await begin();
    assert.deepEqual(done, expected);
    assert.equal(asked.length, 1);
  }
});

test("a connection that brings nothing is given up after 20 seconds, and tried again", async () => {
  const asked = replying(silence, json({ next: "/p/abc" }));
  await begin();
  await time.pass(19_750);
  assert.deepEqual([asked.length, view.waits], [1, []]);
  await time.pass(250);
  assert.deepEqual(view.waits, [1]);
  await time.pass(1000);
  assert.equal(done.status, 200);
});

test("a body cut short is not an answer", async () => {
  const cut = new Response('{"next": "/p', { headers: { "Content-Type": "application/json" } });
  replying(cut, json({ next: "/p/abc" }));
  await begin();
  assert.equal(done, null);
  await time.pass(1000);
  assert.equal(done.status, 200);
});

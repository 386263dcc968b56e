import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, json, load, replying, settled, storage } from "./page.mjs";

const { Transfer } = await load("experimenter/stimuli-transfer.js");
const MIB = 2 ** 20;
const ABOUT = { source: "human", attributes: { goal: "g1" } };
const lost = "lost";
let time;
let entries;
let pieces;
let replies;
let states;

/** An upload request: what it sent is noted, and the next of `replies` befalls it. */
class Request extends EventTarget {
  upload = new EventTarget();
  headers = {};

  open(method, address) {
    Object.assign(this, { method, address });
  }

  setRequestHeader(name, value) {
    this.headers[name] = value;
  }

  abort() {
    this.over("abort");
  }

  send(piece) {
    pieces.push([Number(this.address.split("offset=")[1]), piece.size]);
    const reply = replies.shift();
    if (reply === undefined) return; // nothing comes
    queueMicrotask(() => {
      if (reply === lost) return this.over("error");
      const [status, body] = reply;
      Object.assign(this, { status, responseText: typeof body === "string" ? body : JSON.stringify(body) });
      return this.over("load");
    });
  }

  over(name) {
    this.dispatchEvent(new Event(name));
    this.dispatchEvent(new Event("loadend"));
  }
}

beforeEach(() => {
  time = clock();
  entries = storage();
  pieces = [];
  states = [];
  globalThis.XMLHttpRequest = Request;
  globalThis.document = { querySelector: () => ({ content: "token" }) };
  const online = new EventTarget();
  globalThis.addEventListener = online.addEventListener.bind(online);
  globalThis.dispatchEvent = online.dispatchEvent.bind(online);
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const got = (mib) => [200, { offset: mib * MIB }];
const begun = json.bind(null, { token: "t1", offset: 0 }, 201);

function transferOf(mib = 20, name = "walk.mp4") {
  const file = { name, size: mib * MIB, lastModified: 7, slice: (from, to) => ({ size: Math.min(to, mib * MIB) - from }) };
  return new Transfer(file, ABOUT, ({ state }) => states.at(-1) !== state && states.push(state));
}

test("a file goes in pieces of 8 MiB, and then waits for the worker", async () => {
  replies = [got(8), got(16), got(20)];
  const asked = replying(begun());
  const transfer = transferOf();
  await transfer.run();
  assert.deepEqual(JSON.parse(asked[0].body), { file_name: "walk.mp4", bytes: 20 * MIB, ...ABOUT });
  assert.deepEqual(pieces, [[0, 8 * MIB], [8 * MIB, 8 * MIB], [16 * MIB, 4 * MIB]]);
  assert.deepEqual([states, transfer.sent], [["sending", "waiting"], 20 * MIB]);
});

test("after a lost connection it goes on where the server says it stopped", async () => {
  replies = [got(8), lost, got(20)];
  const asked = replying(begun(), json({ status: "receiving", offset: 12 * MIB, bytes: 20 * MIB }));
  const transfer = transferOf();
  const over = transfer.run();
  await settled();
  assert.deepEqual([transfer.state, transfer.message], ["lost", "The connection was lost; trying again …"]);
  await time.pass(1000);
  await over;
  assert.deepEqual(asked.map(({ method }) => method), ["POST", "GET"]);
  assert.deepEqual(pieces.at(-1), [12 * MIB, 8 * MIB]);
  assert.deepEqual(states, ["sending", "lost", "sending", "waiting"]);
});

test("the same file chosen again goes on; another file does not", async () => {
  replies = [got(8)];
  replying(begun());
  const first = transferOf();
  first.run();
  await settled();
  first.stop();
  assert.equal(first.state, "paused");

  replies = [got(20)];
  pieces = [];
  let asked = replying(json({ status: "receiving", offset: 12 * MIB, bytes: 20 * MIB }));
  await transferOf().run();
  assert.deepEqual([asked[0].address, pieces], ["/admin/stimuli/uploads/t1", [[12 * MIB, 8 * MIB]]]);

  replies = [got(5)];
  asked = replying(json({ token: "t2", offset: 0 }, 201));
  await transferOf(5, "other.mp4").run();
  assert.equal(asked[0].method, "POST");
});

test("an upload that the server no longer has is begun anew", async () => {
  entries["likely-human-upload walk.mp4|20971520|7"] = "stale";
  replies = [got(8), [404, { message: "gone" }], got(8), got(16), got(20)];
  const asked = replying(json({}, 404), begun(), json({ token: "t2", offset: 0 }, 201));
  const over = transferOf().run();
  await settled();
  await time.pass(1000);
  await over;
  assert.deepEqual(asked.map(({ method }) => method), ["GET", "POST", "POST"]);
  assert.deepEqual(pieces.map(([offset]) => offset / MIB), [0, 8, 0, 8, 16]);
});

test("a proxy that takes small requests only gets smaller ones; the server's own limit is a refusal", async () => {
  replies = [[413, "<h1>Too large</h1>"], [413, "<h1>Too large</h1>"], got(0.5), [413, { message: "The file is too large." }]];
  replying(begun(), ...Array(3).fill(0).map(() => json({ status: "receiving", offset: 0, bytes: 20 * MIB })));
  const transfer = transferOf();
  const over = transfer.run();
  await settled();
  await time.pass(4000);
  await over;
  assert.deepEqual(pieces.map(([, size]) => size / MIB), [8, 2, 0.5, 0.5]);
  assert.deepEqual([transfer.state, transfer.message, entries], ["refused", "The file is too large.", {}]);
});

test("it waits twice as long each time, 30 seconds at most, and not at all once the connection is back", async () => {
  replies = [];
  const asked = replying(...Array(8).fill(new TypeError("network")));
  transferOf().run();
  await settled();
  for (const seconds of [1, 2, 4, 8, 16, 30]) {
    const before = asked.length;
    await time.pass(seconds * 1000 - 250);
    assert.equal(asked.length, before, `${seconds} s are not over`);
    await time.pass(250);
    assert.equal(asked.length, before + 1, `${seconds} s are over`);
  }
  globalThis.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(asked.length, 8);
});

test("a connection that is lost again and again, but brings something, is tried again after a second each time", async () => {
  const places = [8, 10, 12, 14];
  replies = places.flatMap((place) => [got(place), lost]).concat([got(20)]);
  replying(begun(), ...places.map((place) => json({ status: "receiving", offset: place * MIB, bytes: 20 * MIB })));
  const transfer = transferOf();
  const over = transfer.run();
  await settled();
  for (const _ of places) await time.pass(1000);
  await over;
  assert.equal(transfer.state, "waiting");
});

test("a server that is busy is asked again after five seconds, in its words", async () => {
  replies = [[429, { message: "Too many uploads at once." }], got(4)];
  const asked = replying(begun(), json({ status: "receiving", offset: 0, bytes: 4 * MIB }));
  const transfer = transferOf(4);
  const over = transfer.run();
  await settled();
  assert.equal(transfer.message, "Too many uploads at once.");
  await time.pass(4750);
  assert.equal(asked.length, 1);
  await time.pass(250);
  await over;
  assert.equal(transfer.state, "waiting");
});

test("whoever is logged out is paused, a full disk is a refusal, and a place that was wrong is corrected", async () => {
  for (const [reply, state] of [[[401, { message: "Log in." }], "paused"], [[507, { message: "No room." }], "refused"]]) {
    replies = [reply];
    replying(begun());
    const transfer = transferOf();
    await transfer.run();
    assert.equal(transfer.state, state);
    storage();
  }
  replies = [got(8), [409, { offset: 10 * MIB }], got(18), got(20)];
  replying(begun());
  pieces = [];
  await transferOf().run();
  assert.deepEqual(pieces.map(([offset]) => offset / MIB), [0, 8, 10, 18]);
});

test("cancelled, it is forgotten here and on the server, also while a piece is under way", async () => {
  replies = [];
  const asked = replying(begun(), json({}));
  const transfer = transferOf();
  const over = transfer.run();
  await settled();
  await transfer.cancel();
  await over;
  assert.deepEqual([transfer.state, transfer.isOver, entries], ["cancelled", true, {}]);
  assert.deepEqual([asked[1].method, asked[1].address], ["DELETE", "/admin/stimuli/uploads/t1"]);
});

test("paused and gone on with, or cancelled, before the server has answered, one upload is begun and none stays", async () => {
  for (const isCancelled of [false, true]) {
    replies = [got(4), got(4)];
    pieces = [];
    let answer;
    const asked = replying(() => new Promise((resolve) => (answer = resolve)), json({}));
    const transfer = transferOf(4);
    const first = transfer.run();
    await settled();
    transfer.stop();
    const second = isCancelled ? transfer.cancel() : transfer.run();
    await settled();
    answer(begun());
    await Promise.all([first, second]);
    assert.deepEqual(asked.map(({ method }) => method), isCancelled ? ["POST", "DELETE"] : ["POST"]);
    assert.deepEqual(pieces, isCancelled ? [] : [[0, 4 * MIB]]);
    assert.equal(transfer.state, isCancelled ? "cancelled" : "waiting");
    if (isCancelled) assert.deepEqual(entries, {});
    entries = storage();
  }
});

test("cancelled while it asks where an earlier upload stopped, it begins no other", async () => {
  entries["likely-human-upload walk.mp4|4194304|7"] = "t1";
  replies = [];
  let answer;
  const asked = replying(() => new Promise((resolve) => (answer = resolve)), json({}));
  const transfer = transferOf(4);
  const over = transfer.run();
  await settled();
  await transfer.cancel();
  answer(json({ status: "cancelled" }));
  await over;
  assert.deepEqual(asked.map(({ method }) => method), ["GET", "DELETE"]);
  assert.deepEqual([transfer.state, entries], ["cancelled", {}]);
});

test("what the worker does is followed to its end", async () => {
  replies = [got(4)];
  replying(
    begun(),
    json({ status: "waiting", place: "2 before it", queue: "About 4 minutes for 3 files.", doing: "" }),
    json({ status: "waiting", place: "", doing: "encoding", done: 3, total: 9 }),
    json({ status: "done", name: "walk", message: "" }),
  );
  const transfer = transferOf(4);
  await transfer.run();
  await transfer.look();
  assert.deepEqual([transfer.place, transfer.line, transfer.processing], ["2 before it", "About 4 minutes for 3 files.", null]);
  await transfer.look();
  assert.deepEqual(transfer.processing, { doing: "encoding", done: 3, total: 9 });
  await transfer.look();
  assert.deepEqual([transfer.state, transfer.stimulus, entries], ["done", "walk", {}]);
});

test("what is heard of an upload that was cancelled meanwhile changes nothing", async () => {
  replies = [got(4)];
  let answer;
  replying(begun(), () => new Promise((resolve) => (answer = resolve)), json({}));
  const transfer = transferOf(4);
  await transfer.run();
  const looking = transfer.look();
  await settled();
  await transfer.cancel();
  answer(json({ status: "receiving" }));
  await looking;
  assert.equal(transfer.state, "cancelled");
});

test("an upload that is gone while it waits is refused, and one whose end was lost is sent", async () => {
  replies = [got(4)];
  replying(begun(), json({ status: "receiving" }), json({}, 404));
  const transfer = transferOf(4);
  await transfer.run();
  await transfer.look();
  assert.equal(transfer.wantsToSend, true);
  transfer.show("waiting");
  await transfer.look();
  assert.deepEqual([transfer.state, transfer.message], ["refused", "This upload no longer exists."]);
});

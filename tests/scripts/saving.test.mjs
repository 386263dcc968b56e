import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, json, load, replying, settled } from "./page.mjs";

const { Saver } = await load("experimenter/design-saving.js");
const offline = new TypeError("network");
let time;
let fields;
let said;
let meta;
let saver;

beforeEach(() => {
  time = clock();
  fields = { title: "a" };
  said = [];
  meta = { content: "old token" };
  globalThis.window = new EventTarget();
  globalThis.location = { pathname: "/admin/studies/nav/design" };
  globalThis.document = { querySelector: () => meta, querySelectorAll: () => [] };
  const tell = (name) => (...about) => said.push([name, ...about]);
  saver = new Saver("/admin/studies/nav/design", 3, () => ({ ...fields }), {
    saving: () => {},
    saved: tell("saved"),
    failed: tell("failed"),
    conflicted: tell("conflicted"),
  });
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const saved = (revision) => json({ revision, marks: {} });
const bodies = (asked) => asked.filter(({ body }) => body).map(({ body }) => JSON.parse(body));

function type(title) {
  fields.title = title;
  saver.touch();
}

test("what is typed is saved a little after the last key, with the revision it is based on", async () => {
  const asked = replying(saved(4), saved(5));
  type("ab");
  await time.pass(500);
  type("abc");
  await time.pass(500);
  assert.deepEqual([asked.length, saver.isSaved], [0, false]);
  await time.pass(250);
  assert.deepEqual(bodies(asked), [{ revision: 3, fields: { title: "abc" }, action: "", over: false }]);
  assert.equal(saver.isSaved, true);
  type("abcd");
  await time.pass(750);
  assert.equal(bodies(asked)[1].revision, 4);
});

test("whoever types without a pause is saved every four seconds", async () => {
  const asked = replying(saved(4), saved(5));
  for (let key = 0; key < 18; key += 1) {
    type(`key ${key}`);
    await time.pass(250);
  }
  assert.equal(asked.length, 1);
});

test("nothing that has not changed is sent, unless a button asks for it", async () => {
  const asked = replying(saved(4));
  assert.equal(await saver.save(""), true);
  assert.equal(asked.length, 0);
  assert.equal(await saver.save("add:questions"), true);
  assert.equal(bodies(asked)[0].action, "add:questions");
});

test("what is typed while a save is under way is not taken for saved", async () => {
  let answer;
  const asked = replying(() => new Promise((resolve) => (answer = resolve)), saved(5));
  type("ab");
  await time.pass(750);
  type("abc");
  answer(saved(4));
  await settled();
  assert.equal(saver.isSaved, false);
  await time.pass(750);
  assert.deepEqual(bodies(asked).map(({ revision, fields: { title } }) => [revision, title]), [[3, "ab"], [4, "abc"]]);
  assert.equal(saver.isSaved, true);
});

test("one request is under way at a time, in the order in which they were asked for", async () => {
  let answer;
  const asked = replying(() => new Promise((resolve) => (answer = resolve)), saved(5));
  saver.save("add:questions");
  const second = saver.save("remove:questions.0");
  await settled();
  assert.equal(asked.length, 1);
  answer(saved(4));
  assert.equal(await second, true);
  assert.deepEqual(bodies(asked).map(({ revision, action }) => [revision, action]), [[3, "add:questions"], [4, "remove:questions.0"]]);
});

test("offline it is tried again after 2, 4, 8, 16, 30 and 30 seconds, and at once when the connection is back", async () => {
  const asked = replying(...Array(7).fill(offline), saved(4));
  type("ab");
  await time.pass(750);
  for (const seconds of [2, 4, 8, 16, 30, 30]) {
    const before = asked.length;
    await time.pass(seconds * 1000 - 250);
    assert.equal(asked.length, before, `${seconds} s are not over`);
    await time.pass(250);
    assert.equal(asked.length, before + 1, `${seconds} s are over`);
  }
  assert.equal(said.at(-1)[1], "Not saved: offline, will retry");
  window.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(saver.isSaved, true);
  assert.equal(said.at(-1)[2].wasTrouble, true);
});

test("a server in trouble is tried again in its words; a button is to be pressed again", async () => {
  replying(json({ message: "The disk is full." }, 507));
  type("ab");
  assert.equal(await saver.save("add:questions"), false);
  assert.deepEqual(said, [["failed", "Not saved: The disk is full. Will retry; then press the button again"]]);
});

test("a refused button loses nothing that was typed: it is saved without the button", async () => {
  const asked = replying(json({ message: "There is no such question" }, 422), saved(4));
  type("ab");
  assert.equal(await saver.save("remove:questions.9"), false);
  await time.pass(2000);
  assert.deepEqual(bodies(asked).map(({ action }) => action), ["remove:questions.9", ""]);
  assert.equal(saver.isSaved, true);
});

test("after somebody else's change nothing is sent until one says to save over it", async () => {
  const asked = replying(json({ message: "Changed by ada." }, 409), saved(9));
  type("ab");
  await time.pass(750);
  assert.deepEqual(said, [["conflicted", "Changed by ada."]]);
  type("abc");
  await time.pass(5000);
  assert.deepEqual([asked.length, saver.isSaved], [1, false]);
  assert.equal(await saver.save("", { over: true }), true);
  assert.deepEqual([bodies(asked)[1].over, bodies(asked)[1].fields.title, saver.isSaved], [true, "abc", true]);
});

test("a login in another tab gives this page its token, and the save is sent again with it", async () => {
  globalThis.DOMParser = class {
    parseFromString = (text) => ({ querySelector: () => ({ content: text }) });
  };
  const asked = replying(json({}, 403), new Response("new token"), saved(4));
  type("ab");
  await time.pass(750);
  assert.deepEqual(asked.map(({ headers }) => headers?.["X-CSRF-Token"]), ["old token", undefined, "new token"]);
  assert.equal(saver.isSaved, true);
});

test("without a new login it is said, and tried again later", async () => {
  globalThis.DOMParser = class {
    parseFromString = () => ({ querySelector: () => null });
  };
  const asked = replying(json({ message: "Please log in" }, 401), new Response("login page"), saved(4));
  type("ab");
  await time.pass(750);
  assert.deepEqual(said, [["failed", "Not saved: Please log in, will retry"]]);
  await time.pass(2000);
  assert.deepEqual([asked.length, saver.isSaved], [3, true]);
});

test("what is given up is not asked about again", async () => {
  saver.mark();
  assert.equal(saver.isSaved, false);
  saver.giveUp();
  assert.equal(saver.isSaved, true);
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Element, clock, fire, load, replying, settled } from "./page.mjs";

const { checkPlaying } = await load("participant/check.js");
let time;
let video;
let button;
let agree;
let part;
let plays;
let said;

beforeEach(() => {
  time = clock();
  globalThis.document = Object.assign(new EventTarget(), { hidden: false });
  plays = () => Promise.resolve();
  video = new Element({ currentTime: 0, videoWidth: 0, readyState: 0, currentSrc: "/check.mp4", play: () => plays(), load: mock.fn() });
  button = new Element();
  agree = new Element();
  said = new Element();
  const inside = { video, button, "[data-said]": said, "[data-unscripted]": new Element() };
  part = new Element({ dataset: {} }, { inside });
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

async function refuse(name) {
  plays = () => Promise.reject(new DOMException("no", name));
  checkPlaying(part, agree);
  await settled();
}

const held = () => agree.getAttribute("aria-disabled") === "true";
const state = () => [part.dataset.check, held(), button.hidden];
const pictures = () => Object.assign(video, { currentTime: 0.1, videoWidth: 320 });

test("nobody can agree before a picture was seen, and then everybody", async () => {
  checkPlaying(part, agree);
  assert.deepEqual(state(), ["trying", true, true]);
  video.currentTime = 0.1;
  fire(video, "timeupdate");
  assert.deepEqual(state(), ["trying", true, true], "time went on without a picture");
  pictures();
  fire(video, "timeupdate");
  assert.deepEqual(state(), ["plays", false, true]);
  fire(video, "error");
  await time.pass(10_000);
  assert.deepEqual(state(), ["plays", false, true], "it stays so");
});

test("a press before that leads to what is said, and declines for nobody", async () => {
  said.focus = mock.fn();
  checkPlaying(part, agree);
  const early = fire(agree, "click");
  assert.equal(early.defaultPrevented, true);
  assert.equal(said.focus.mock.callCount(), 1);
  pictures();
  fire(video, "timeupdate");
  assert.equal(fire(agree, "click").defaultPrevented, false);
  assert.equal(agree.disabled, undefined, "a disabled button would hand Enter in a field to the next one");
});

test("a browser that wants a press is given a button for it", async () => {
  await refuse("NotAllowedError");
  assert.deepEqual(state(), ["waits", true, false]);
  plays = () => Promise.resolve();
  pictures();
  fire(button, "click");
  fire(video, "timeupdate");
  assert.deepEqual(state(), ["plays", false, true]);
});

test("a format is said to be impossible only where the clip itself could be had", async () => {
  for (const [reply, expected] of [[new Response(""), "cannot"], [new Response("", { status: 503 }), "late"], [new TypeError("network"), "late"]]) {
    replying(reply);
    await refuse("NotSupportedError");
    assert.deepEqual(state(), [expected, true, false]);
    mock.restoreAll();
  }
});

test("after 8 s of nothing it is the connection, or the browser where the clip has come", async () => {
  for (const [readyState, expected] of [[0, "late"], [4, "waits"]]) {
    video.readyState = readyState;
    checkPlaying(part, agree);
    await time.pass(7_750);
    assert.equal(part.dataset.check, "trying");
    await time.pass(250);
    assert.deepEqual(state(), [expected, true, false]);
  }
});

test("whoever comes back to the page has it tried again, but not what cannot be", async () => {
  checkPlaying(part, agree);
  await time.pass(8_000);
  fire(document, "visibilitychange");
  assert.equal(part.dataset.check, "trying");
  replying(new Response(""));
  fire(video, "error");
  await settled();
  fire(document, "visibilitychange");
  assert.equal(part.dataset.check, "cannot");
});

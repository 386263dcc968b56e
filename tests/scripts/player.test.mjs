import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { load, settled } from "./page.mjs";

globalThis.CustomEvent ??= class extends Event {};
const { PairPlayer } = await load("participant/player.js");
let frame;
let at;
let left;
let right;
let player;
let heard;

/** A video that moves when `frames` says so. Events come as a browser sends them. */
class Video extends EventTarget {
  paused = true;
  ended = false;
  seeking = false;
  duration = 4;
  playbackRate = 1;
  refuses = null;
  moves = true;
  #at = 0;

  get currentTime() {
    return this.#at;
  }

  set currentTime(seconds) {
    this.#at = seconds;
    this.ended = false;
    this.dispatchEvent(new Event("seeking"));
    this.dispatchEvent(new Event("seeked"));
  }

  async play() {
    if (this.refuses) throw new DOMException("no", this.refuses);
    this.paused = false;
    this.ended = false;
    this.dispatchEvent(new Event("play"));
  }

  pause() {
    if (this.paused) return;
    this.paused = true;
    this.dispatchEvent(new Event("pause"));
  }

  move(seconds) {
    if (!this.paused && this.moves) this.#at = Math.min(this.#at + seconds, this.duration);
  }

  end() {
    this.paused = true;
    this.ended = true;
    this.dispatchEvent(new Event("pause"));
    this.dispatchEvent(new Event("ended"));
  }
}

beforeEach(() => {
  at = 0;
  frame = null;
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => at);
  globalThis.requestAnimationFrame = (act) => (frame = act);
  left = new Video();
  right = new Video();
  player = new PairPlayer(left, right);
  heard = [];
  for (const name of ["begin", "change", "over", "stuck", "refused", "slow", "rate"]) {
    player.addEventListener(name, ({ detail }) => heard.push(detail ? [name, detail.video === left ? "left" : "right"] : name));
  }
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

/** Pictures are drawn for `ms`, one each 20 ms. */
async function frames(ms, faster = {}) {
  for (let drawn = 0; drawn < ms; drawn += 20) {
    at += 20;
    left.move(0.02 * (faster.left ?? 1));
    right.move(0.02 * (faster.right ?? 1));
    const act = frame;
    frame = null;
    act?.(at);
    await settled();
  }
}

const count = (name) => heard.filter((one) => one === name).length;

test("both play and pause as one", async () => {
  player.play();
  await frames(200);
  assert.deepEqual([left.paused, right.paused, player.playing], [false, false, true]);
  player.toggle();
  assert.deepEqual([left.paused, right.paused, player.playing], [true, true, false]);
  assert.deepEqual(heard, ["begin", "change", "change"]);
});

test("one clip by itself plays, is held for nobody, is over at its end and begins again", async () => {
  left = new Video();
  const one = new PairPlayer(left);
  const told = [];
  for (const name of ["begin", "over"]) one.addEventListener(name, () => told.push(name));
  one.play();
  await frames(200, { left: 5 });
  assert.deepEqual([left.paused, right.paused, one.driftMsMax, one.finished], [false, true, 0, false]);
  left.end();
  assert.deepEqual([one.finished, one.playing], [true, false]);
  one.play();
  await frames(100);
  assert.deepEqual([left.paused, one.playing, told], [false, true, ["begin", "over", "begin"]]);
});

test("the clip that is ahead is held until the other has caught up, and its rate is not touched", async () => {
  player.play();
  await frames(100, { left: 2 });
  assert.deepEqual([left.paused, right.paused, player.playing], [true, false, true]);
  assert.ok(player.driftMsMax > 40 && player.driftMsMax <= 100.1, String(player.driftMsMax));
  await frames(200);
  assert.equal(left.paused, false);
  assert.ok(Math.abs(left.currentTime - right.currentTime) < 0.04);
  assert.deepEqual([left.playbackRate, right.playbackRate], [1, 1]);
});

/** Pictures as `requestVideoFrameCallback` tells of them: `shown` names the time of the one that is presented. */
class TellingVideo extends Video {
  #waiting = null;

  requestVideoFrameCallback(act) {
    this.#waiting = act;
  }

  shows(mediaTime) {
    const act = this.#waiting;
    this.#waiting = null;
    act?.(at, { mediaTime });
  }
}

function telling() {
  globalThis.IntersectionObserver = class {
    observe() {}
  };
  left = new TellingVideo();
  right = new TellingVideo();
  player = new PairPlayer(left, right);
  player.addEventListener("slow", () => heard.push("slow"));
}

/** Pictures of 30 a second, of which those of the right are late. */
async function shown(ms, lateMs) {
  for (let drawn = 0; drawn < ms; drawn += 20) {
    for (const [video, late] of [[left, 0], [right, lateMs / 1000]]) {
      video.shows(Math.max(Math.floor((video.currentTime - late) * 30 + 1e-6), 0) / 30);
    }
    await frames(20);
  }
}

test("drift is that of the pictures that are shown, where the time played says that there is none", async () => {
  telling();
  player.play();
  await shown(100, 0);
  await shown(160, 300);
  assert.ok(left.currentTime <= right.currentTime);
  assert.ok(player.driftMsMax >= 100, String(player.driftMsMax));
  assert.equal(left.paused, true, "the one whose pictures are ahead is held");
});

test("one picture apart is in step", async () => {
  telling();
  player.play();
  await shown(1000, 20);
  assert.deepEqual([player.driftMsMax, left.paused, right.paused], [0, false, false]);
});

test("a device that does not keep the clips in step is called slow once, and anew when they begin anew", async () => {
  player.play();
  right.moves = false;
  await frames(1_900);
  assert.equal(count("slow"), 0);
  await frames(2_000);
  assert.equal(count("slow"), 1);
  right.moves = true;
  player.replay();
  await frames(200);
  right.moves = false;
  await frames(3_000);
  assert.equal(count("slow"), 2);
});

test("a rate that something else sets is put back with the next picture, and said", async () => {
  player.play();
  right.playbackRate = 8;
  right.dispatchEvent(new Event("ratechange"));
  const act = frame;
  assert.deepEqual([count("rate"), right.playbackRate], [1, 8]);
  act(at);
  assert.equal(right.playbackRate, 1);
});

test("neither is held when one is at its end", async () => {
  right.duration = 1;
  player.play();
  await frames(1000);
  right.end();
  await frames(500);
  assert.equal(left.paused, false);
  assert.deepEqual(heard.at(-1), ["over", "right"]);
  assert.equal(player.finished, false);
});

test("nobody is held for a clip that has ended where the browser reports a time well before its end", async () => {
  player.play();
  await frames(100, { left: 2 });
  assert.equal(left.paused, true, "it is ahead");
  right.end(); // at a tenth of a second of 4, as Chromium did at .28 s before the end
  await frames(200);
  assert.equal(left.paused, false);
});

test("when both are over the pair is finished, and Play begins it anew", async () => {
  player.play();
  await frames(4000);
  left.end();
  right.end();
  assert.deepEqual([player.finished, player.playing], [true, false]);
  player.play();
  await settled();
  assert.deepEqual([left.currentTime, right.currentTime, left.paused, count("begin")], [0, 0, false, 2]);
});

test("going on after a pause is no other play", async () => {
  player.play();
  await frames(500);
  player.pause();
  player.play();
  await frames(500);
  assert.equal(count("begin"), 1);
});

test("a clip that stands where it ends is over, though the browser never says so", async () => {
  player.play();
  await frames(3900);
  left.moves = right.moves = false;
  await frames(400);
  assert.equal(player.finished, false);
  await frames(200);
  assert.deepEqual(heard.slice(-3), [["over", "left"], ["over", "right"], "change"]);
  assert.deepEqual([player.finished, player.playing], [true, false]);
});

test("clips that stand still for as long as Firefox does when it is short of pictures are called slow, and play on", async () => {
  player.play();
  await frames(1000);
  left.moves = right.moves = false;
  await frames(1900);
  assert.equal(count("slow"), 0);
  await frames(200);
  assert.equal(count("slow"), 1);
  await frames(14_000);
  left.moves = right.moves = true;
  await frames(500);
  assert.deepEqual([player.playing, left.currentTime.toFixed(1), count("slow")], [true, "1.5", 1]);
});

test("a clip that stands still for twenty-five seconds in the middle is stuck, and both are paused", async () => {
  player.play();
  await frames(1000);
  right.moves = false;
  await frames(24_900);
  assert.equal(player.playing, true);
  await frames(300);
  assert.deepEqual(heard.at(-1), ["stuck", "right"]);
  assert.deepEqual([left.paused, player.playing], [true, false]);
});

test("a page that drew nothing for a minute has not found a clip stuck", async () => {
  player.play();
  await frames(100);
  left.moves = right.moves = false;
  at += 60_000;
  await frames(100);
  assert.equal(player.playing, true);
});

test("a start that the browser refuses is told with its error, and both rest", async () => {
  right.refuses = "NotAllowedError";
  player.play();
  await settled();
  assert.deepEqual(heard.at(-1), ["refused", "right"]);
  assert.deepEqual([left.paused, player.playing], [true, false]);
});

test("a start that our own pause overtook is nobody's refusal", async () => {
  right.refuses = "AbortError";
  player.play();
  await settled();
  assert.deepEqual(heard, ["begin", "change"]);
});

test("one clip played or paused from outside takes the other with it", async () => {
  await left.play();
  await frames(100);
  assert.equal(right.paused, false);
  right.pause();
  assert.deepEqual([left.paused, player.playing], [true, false]);
});

test("a pause at the end is the end, not somebody's pause", async () => {
  right.duration = 1;
  player.play();
  await frames(1000);
  right.pause();
  assert.deepEqual(heard.at(-1), ["over", "right"]);
  assert.equal(left.paused, false);
});

test("a pause while a replay rewinds is a pause", async () => {
  player.play();
  await frames(500);
  player.replay();
  player.pause();
  await settled();
  assert.deepEqual([player.playing, left.paused, count("begin")], [false, true, 1]);
});

test("a replay asked for while another rewinds begins once", async () => {
  player.play();
  await frames(500);
  for (const video of [left, right]) {
    const seek = { configurable: true, get: () => 0.5, set() {} }; // has not come there yet
    Object.defineProperty(video, "currentTime", seek);
  }
  player.replay();
  player.replay();
  await settled();
  assert.equal(count("begin"), 1);
  for (const video of [left, right]) {
    delete video.currentTime;
    video.currentTime = 0;
  }
  await settled();
  assert.equal(count("begin"), 2);
  assert.equal(player.playing, true);
});

test("an end that a replay overtook is not counted", async () => {
  player.play();
  await frames(4000);
  left.dispatchEvent(new Event("ended")); // `ended` is false: the clip has been rewound since
  assert.equal(heard.some((one) => one[0] === "over"), false);
});

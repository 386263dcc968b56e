import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { load, settled } from "./page.mjs";

globalThis.CustomEvent ??= class extends Event {};
const { TurnPlayer, firstTurn } = await load("participant/turns.js");
let left;
let right;
let player;
let heard;

class Video extends EventTarget {
  paused = true;
  ended = false;
  seeking = false;
  duration = 4;
  currentTime = 0;
  playbackRate = 1;

  async play() {
    this.paused = false;
    this.ended = false;
    this.dispatchEvent(new Event("play"));
  }

  pause() {
    if (this.paused) return;
    this.paused = true;
    this.dispatchEvent(new Event("pause"));
  }

  end() {
    this.currentTime = 0; // so that a replay need not wait for a seek
    this.paused = true;
    this.ended = true;
    this.dispatchEvent(new Event("pause"));
    this.dispatchEvent(new Event("ended"));
  }
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.requestAnimationFrame = () => {};
  [left, right] = [new Video(), new Video()];
  player = new TurnPlayer({ left, right });
  heard = [];
  player.addEventListener("turn", () => heard.push(player.turn));
  player.addEventListener("begin", () => heard.push(`begin ${player.turn}`));
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("one plays, then at a press the other, then both are at rest", () => {
  player.play();
  assert.deepEqual([left.paused, right.paused, player.playing, player.finished], [false, true, true, false]);
  left.end();
  assert.deepEqual([player.turn, player.playing, right.paused], ["right", false, true]);
  player.toggle();
  assert.deepEqual([left.paused, right.paused], [true, false]);
  right.end();
  assert.deepEqual([player.turn, player.playing, player.finished], ["stills", false, true]);
  assert.deepEqual(heard, ["begin left", "right", "begin right", "stills"]);
});

test("one is played again and leads back to both, without the other", async () => {
  player.go("stills");
  player.repeat("left");
  await settled();
  assert.deepEqual([player.turn, player.isRepeating, left.paused], ["left", true, false]);
  left.end();
  assert.deepEqual([player.turn, player.isRepeating, right.paused], ["stills", false, true]);
});

test("at rest, replay plays one after the other", async () => {
  player.go("stills");
  player.replay();
  await settled();
  assert.equal(left.paused, false);
  left.end();
  await settled();
  assert.deepEqual([player.turn, right.paused], ["right", false]);
  right.end();
  assert.equal(player.turn, "stills");
});

test("going on stops what plays, and after that nothing follows by itself", async () => {
  player.go("stills");
  player.replay();
  await settled();
  player.onward();
  assert.deepEqual([player.turn, left.paused, right.paused], ["stills", true, true]);
  player.repeat("left");
  await settled();
  left.end();
  assert.equal(player.turn, "stills");
});

test("past the first comes the second, past the second both", () => {
  player.play();
  player.onward();
  assert.deepEqual([player.turn, left.paused], ["right", true]);
  player.onward();
  assert.equal(player.turn, "stills");
});

test("clips in turn are not out of step, and the page begins with what was not watched", () => {
  assert.deepEqual([player.inTurn, player.driftMsMax], [true, 0]);
  const turns = [[false, false], [false, true], [true, false], [true, true]].map(([one, other]) => firstTurn({ left: one, right: other }));
  assert.deepEqual(turns, ["left", "left", "right", "stills"]);
});

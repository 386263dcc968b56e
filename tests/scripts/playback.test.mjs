import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Element, clock, fire, load, storage } from "./page.mjs";

const { PlaybackRecord, mergeRanges } = await load("participant/playback.js");
const { openStore } = await load("participant/store.js");
const SIDE_BY_SIDE = [{ top: 0, bottom: 200 }, { top: 0, bottom: 200 }];
let time;
let player;
let videos;

beforeEach(() => {
  storage();
  globalThis.document = { hidden: false };
  time = clock();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

class Video extends Element {
  duration = 4;
  currentTime = 1;
  playbackRate = 1;
  paused = false;
  ranges = [];

  get played() {
    const { ranges } = this;
    return { length: ranges.length, start: (i) => ranges[i][0], end: (i) => ranges[i][1] };
  }
}

/** The page's record as after a load: what an earlier load has saved is in the store. */
function loaded(places = SIDE_BY_SIDE) {
  player = Object.assign(new EventTarget(), { driftMsMax: 0 });
  videos = places.map((place) => new Video({ getBoundingClientRect: () => place }));
  return new PlaybackRecord(openStore("/p/abc", "submit-1"), player, { left: videos[0], right: videos[1] });
}

function played(record, ...ranges) {
  for (const one of videos) one.ranges = ranges;
  record.update();
  return record.clips.left.data;
}

test("ranges are merged where they touch, and cover what any of them covers", () => {
  assert.deepEqual(mergeRanges([[2, 3], [0, 1]]), [[0, 1], [2, 3]]);
  assert.deepEqual(mergeRanges([[0, 1], [1.015, 2]]), [[0, 2]]);
  assert.deepEqual(mergeRanges([[0, 1], [1.03, 2]]), [[0, 1], [1.03, 2]]);
  assert.deepEqual(mergeRanges([[0, 4], [1, 2]]), [[0, 4]]);
  assert.deepEqual(mergeRanges([]), []);
  const given = [[1, 2], [0, 1]];
  mergeRanges(given);
  assert.deepEqual(given, [[1, 2], [0, 1]]);
});

test("merged in any order, the ranges are the same", () => {
  const ranges = [[0, 0.5], [0.4, 1.2], [2, 2.5], [1.21, 1.3], [2.4, 2.45], [3, 4]];
  const expected = [[0, 1.3], [2, 2.5], [3, 4]];
  for (let shift = 0; shift < ranges.length; shift += 1) {
    const turned = [...ranges.slice(shift), ...ranges.slice(0, shift)];
    assert.deepEqual(mergeRanges(turned), expected);
    assert.deepEqual(mergeRanges(turned.reverse()), expected);
  }
});

test("a clip is watched once 95% of it and its last fifth of a second were played", () => {
  for (const [ranges, watched, duration = 4] of [
    [[[0, 4]], true],
    [[[0, 3.81]], true],
    [[[0, 3.79]], false], // the end is missing
    [[[0, 19.7]], false, 20], // likewise, of more than 95%
    [[[0, 19.85]], true, 20],
    [[[0.19, 4]], true],
    [[[0.21, 4]], false], // under 95%
    [[[3.8, 4]], false], // the end alone
    [[[0, 2], [2.1, 4]], true],
    [[], false],
  ]) {
    storage();
    const record = loaded();
    for (const one of videos) one.duration = duration;
    assert.equal(played(record, ...ranges).watched, watched, JSON.stringify(ranges));
  }
});

test("a pair is watched when both clips are", () => {
  const record = loaded();
  videos[0].ranges = [[0, 4]];
  record.update();
  assert.equal(record.watched, false);
  videos[1].ranges = [[0, 4]];
  record.update();
  assert.equal(record.watched, true);
});

test("one clip by itself is recorded as each of two is, and lies beside nothing", () => {
  const item = new Video({ getBoundingClientRect: () => ({ top: 0, bottom: 200 }) });
  const player = Object.assign(new EventTarget(), { driftMsMax: 0 });
  const record = new PlaybackRecord(openStore("/p/abc", "submit-1"), player, { item });
  assert.equal(record.watched, false);
  player.dispatchEvent(new Event("begin"));
  item.ranges = [[0, 4]];
  record.update();
  const { layout, item: clip, left } = record.toJSON();
  assert.deepEqual([record.watched, clip.plays, clip.played, layout, left], [true, 1, [[0, 4]], null, undefined]);
});

test("nothing is watched of a clip whose length is not known", () => {
  const record = loaded();
  for (const one of videos) one.duration = NaN;
  const data = played(record, [0, 4]);
  assert.deepEqual([data.watched, data.duration_s, record.clips.left.share], [false, null, 0]);
});

test("what was played before a reload counts with what is played after it", () => {
  const first = loaded();
  played(first, [0, 2]);
  first.save();
  const second = loaded();
  assert.equal(second.watched, false);
  const data = played(second, [2, 4]);
  assert.deepEqual([data.played, data.watched, second.toJSON().loads], [[[0, 4]], true, 2]);
});

test("time runs from the first frame and not between two loads", async () => {
  const first = loaded();
  await time.pass(3000);
  assert.equal(first.rtMs, null);
  fire(videos[0], "playing");
  await time.pass(2000);
  assert.equal(first.rtMs, 2000);
  first.save();
  await time.pass(60_000);
  const second = loaded();
  await time.pass(500);
  assert.equal(second.rtMs, 2500);
});

test("hidden time counts while the page is hidden after the first frame, and no gap between loads", async () => {
  const first = loaded();
  first.hidden();
  await time.pass(5000);
  first.seen();
  assert.equal(first.toJSON().hidden_ms, 0);
  fire(videos[1], "playing");
  await time.pass(1000);
  first.hidden();
  await time.pass(700);
  first.seen();
  await time.pass(300);
  first.hidden(); // the page is left
  await time.pass(9000);
  const second = loaded();
  assert.deepEqual([second.rtMs, second.toJSON().hidden_ms], [2000, 700]);
});

test("a clip that waits for data has stalled; seeking and the very first frame are no stalls", async () => {
  const { data } = loaded().clips.left;
  const [left] = videos;
  left.currentTime = 0;
  fire(left, "waiting");
  Object.assign(left, { currentTime: 2, seeking: true });
  fire(left, "waiting");
  assert.equal(data.stalls, 0);
  left.seeking = false;
  fire(left, "waiting");
  fire(left, "waiting");
  await time.pass(750);
  fire(left, "playing");
  await time.pass(750);
  fire(left, "pause");
  assert.deepEqual([data.stalls, data.stall_ms], [1, 750]);
});

test("the fastest rate at which a clip moved is kept, not one that was set while it stood", () => {
  const { data } = loaded().clips.left;
  Object.assign(videos[0], { playbackRate: 4, paused: true });
  fire(videos[0], "ratechange");
  assert.equal(data.max_rate, 0);
  Object.assign(videos[0], { playbackRate: 2, paused: false });
  fire(videos[0], "ratechange");
  videos[0].playbackRate = 1;
  fire(videos[0], "ratechange");
  assert.equal(data.max_rate, 2);
});

test("frames are added up, also when the clip is loaded anew", () => {
  const record = loaded();
  const { data } = record.clips.left;
  for (const [total, dropped] of [[50, 2], [120, 3], [30, 1]]) {
    videos[0].getVideoPlaybackQuality = () => ({ totalVideoFrames: total, droppedVideoFrames: dropped });
    record.update();
  }
  assert.deepEqual([data.frames, data.dropped_frames], [150, 4]);
});

test("plays are counted for both clips, drift is the most there was, errors are the last ten and short", () => {
  const record = loaded();
  player.dispatchEvent(new Event("begin"));
  player.dispatchEvent(new Event("begin"));
  for (const drift of [12.4, 61.6, 30]) {
    player.driftMsMax = drift;
    record.update();
  }
  for (let number = 0; number < 12; number += 1) record.clips.left.addError(`${number} ${"x".repeat(100)}`);
  const { left, right, drift_ms_max } = record.toJSON();
  assert.deepEqual([left.plays, right.plays, drift_ms_max], [2, 2, 62]);
  assert.deepEqual([left.errors.length, left.errors[0].slice(0, 2), left.errors[0].length], [10, "2 ", 80]);
});

test("the questions opened once, and the pair lies as it lies when the answer is sent", async () => {
  const record = loaded([{ top: 0, bottom: 200 }, { top: 200, bottom: 400 }]);
  fire(videos[0], "playing");
  await time.pass(1000);
  record.opened();
  await time.pass(1000);
  record.opened();
  const { opened_ms, layout } = record.toJSON();
  assert.deepEqual([opened_ms, layout], [1000, "stacked"]);
  assert.equal(loaded().toJSON().layout, "side-by-side");
});

test("a saved record of another kind is not taken over", () => {
  const store = openStore("/p/abc", "submit-1");
  store.set({ playback: { v: 2, loads: 9, left: { played: [[0, 4]] } } });
  const { loads, left } = loaded().toJSON();
  assert.deepEqual([loads, left.played], [1, []]);
});

test("of clips in turn only the one whose turn it is was played, they are in no layout but that, and do not drift", () => {
  const record = loaded([{ top: 0, bottom: 200 }, { top: 200, bottom: 400 }]);
  Object.assign(player, { inTurn: true, turn: "right", driftMsMax: 900 });
  player.dispatchEvent(new Event("begin"));
  record.update();
  const { left, right, layout, drift_ms_max } = record.toJSON();
  assert.deepEqual([left.plays, right.plays, layout, drift_ms_max], [0, 1, "sequential", null]);
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Element, clock, fire, formWith, json, open, replying, run, settled, storage } from "./page.mjs";

const SIDES = ["left", "right"];
const GONE = () => new Response(null, { status: 404 });
let time;
let page;
let trial;
let form;
let videos;
let radios;

/** A clip of four seconds that plays as far as pictures are drawn, once it has something to play. */
class Video extends Element {
  duration = 4;
  playbackRate = 1;
  paused = true;
  ended = false;
  refuses = null;
  reached = 0;
  #at = 0;

  get currentTime() {
    return this.#at;
  }

  set currentTime(seconds) {
    this.#at = seconds;
    this.ended = false;
    queueMicrotask(() => fire(this, "seeked"));
  }

  get played() {
    return { length: this.reached ? 1 : 0, start: () => 0, end: () => this.reached };
  }

  load() {
    if (this.src) queueMicrotask(() => fire(this, this.error ? "error" : "canplay"));
  }

  async play() {
    if (this.refuses) throw new DOMException("no", this.refuses);
    this.paused = false;
    for (const name of ["play", "playing"]) fire(this, name);
  }

  pause() {
    if (this.paused) return;
    this.paused = true;
    fire(this, "pause");
  }

  move(seconds) {
    if (this.paused) return;
    this.#at = this.reached = Math.min(this.#at + seconds, this.duration);
    if (this.#at < this.duration) return;
    this.paused = this.ended = true;
    fire(this, "ended");
  }
}

function clip(side) {
  const video = new Video({ getBoundingClientRect: () => ({ top: 0, bottom: 200 }) }, { attributes: { src: `/p/abc/clips/${side}` } });
  video.around["[data-stage]"] = new Element({ style: { setProperty() {} } });
  const parts = Object.fromEntries(["state", "trouble", "reason", "give-up", "again"].map((name) => [`[data-${name}]`, new Element({ hidden: true })]));
  return new Element({ dataset: { clip: side } }, { inside: { ...parts, video, progress: new Element() } });
}

/** The page of a pair, as it is after its clips have had time to arrive. */
async function opened(watch = "both-to-end", next = "") {
  const clips = Object.fromEntries(SIDES.map((side) => [side, clip(side)]));
  videos = SIDES.map((side) => clips[side].querySelector("video"));
  radios = SIDES.map((value) => new Element({ value, checked: false }));
  const classList = { add() {}, toggle() {} };
  trial = new Element({ dataset: { watch, next } }, {
    inside: {
      "[data-clip]": Object.values(clips),
      ...Object.fromEntries(SIDES.map((side) => [`[data-clip=${side}]`, clips[side]])),
      "[data-refused]": new Element({ hidden: true }, { inside: { "[data-give-up]": new Element() } }),
      ...Object.fromEntries(["watch-first", "own-speed", "slow"].map((name) => [`[data-${name}]`, new Element({ hidden: true })])),
      "[data-play]": new Element({ classList }, { inside: { "[data-label]": new Element() } }),
      "[data-replay]": new Element(),
      "[data-keys]": new Element(),
      "[data-controls]": new Element(),
      "[data-stage]": new Element({ scrollIntoView() {} }),
      "[data-gate]": new Element({ id: "gate", dataset: {}, classList }, { inside: { "[data-gate-text]": new Element() } }),
    },
  });
  const choices = Object.fromEntries(radios.map((radio) => [`input[data-choice][value=${radio.value}]`, radio]));
  form = formWith({ "[data-questions]": new Element({ disabled: false }), ...choices }, { fields: { choice: "left" } });
  page = open({ "[data-trial]": trial, "#answer": form }, time);
  await run("participant/trial.js");
}

beforeEach(() => {
  storage();
  time = clock();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const arrives = () => new Response(new Uint8Array(9), { headers: { "Content-Type": "video/mp4", "Content-Length": "9" } });
const part = (side, name) => trial.querySelector(`[data-clip=${side}]`).querySelector(`[data-${name}]`);
const isClosed = () => form.querySelector("[data-questions]").disabled;
const play = (ms) => page.frames(ms, 20, (seconds) => videos.forEach((video) => video.move(seconds)));

async function press(name = "play") {
  fire(trial.querySelector(`[data-${name}]`), "click");
  await settled();
}

/** What would be sent now. */
function told() {
  const { rt_ms, playback } = Object.fromEntries(new FormData(form));
  return { rt_ms, ...JSON.parse(playback) };
}

test("questions open when both clips were played to their end, and the answer tells how they were", async () => {
  const asked = replying(arrives(), arrives(), json({ next: "/p/abc" }));
  await opened();
  assert.equal(isClosed(), true);
  await time.pass(5_000);
  await press();
  await play(3_000);
  assert.equal(isClosed(), true);
  await play(1_040);
  assert.equal(isClosed(), false);
  fire(form, "submit");
  await settled();
  const { rt_ms, playback, choice } = Object.fromEntries(asked[2].body);
  const { left, right, ...pair } = JSON.parse(playback);
  assert.deepEqual([choice, rt_ms, pair.opened_ms, pair.hidden_ms, pair.layout], ["left", "4040", 4000, 0, "side-by-side"]);
  for (const one of [left, right]) assert.deepEqual([one.plays, one.watched, one.played, one.failed], [1, true, [[0, 4]], false]);
  assert.deepEqual([page.went, Object.keys(localStorage)], [["/p/abc"], []]);
});

test("whoever saves too early sends nothing and is led to Play; where questions are open from the start, it is sent", async () => {
  const asked = replying(arrives(), arrives(), arrives(), arrives(), json({ next: "/p/abc" }));
  await opened();
  fire(form, "submit");
  await settled();
  assert.deepEqual([asked.length, trial.querySelector("[data-watch-first]").hidden, trial.querySelector("[data-play]").focused], [2, false, 1]);
  await press();
  assert.equal(trial.querySelector("[data-watch-first]").hidden, true, "and is told so until the clips play");
  await opened("free");
  assert.deepEqual([isClosed(), told().opened_ms], [false, 0]);
  fire(form, "submit");
  await settled();
  assert.deepEqual(page.went, ["/p/abc"]);
});

test("nothing plays before both clips are there; the next pair's come after them, and unseen where they do not", async () => {
  let late;
  const asked = replying(arrives(), () => new Promise((resolve) => (late = resolve)), GONE(), arrives());
  const opening = opened("free", "/p/abc/clips/n1 /p/abc/clips/n2");
  for (let turn = 0; asked.length < 2 && turn < 100; turn += 1) await settled();
  await press();
  await press("replay");
  assert.deepEqual([videos[0].paused, asked.length], [true, 2]);
  late(arrives());
  await opening;
  await press();
  assert.deepEqual(videos.map(({ paused }) => paused), [false, false]);
  assert.deepEqual(asked.slice(2).map(({ address, priority }) => [address, priority]), [["/p/abc/clips/n1", "low"], ["/p/abc/clips/n2", "low"]]);
  assert.deepEqual(SIDES.map((side) => part(side, "trouble").hidden), [true, true]);
});

test("a clip that does not arrive can be asked for again, after a second time gone on without, and is told of", async () => {
  replying(arrives(), GONE(), GONE(), arrives());
  await opened();
  assert.deepEqual([part("right", "trouble").hidden, part("right", "give-up").hidden, part("left", "trouble").hidden], [false, true, true]);
  trial.inside["[data-trouble]:not([hidden]) [data-again]"] = part("right", "again");
  fire(form, "submit");
  assert.equal(part("right", "again").focused, 1, "whoever saves is led there");
  const again = async () => {
    fire(part("right", "again"), "click");
    await settled();
  };
  await again();
  assert.deepEqual([part("right", "give-up").hidden, told().right.failed, trial.querySelector("[data-play]").focused], [false, true, 1]);
  await again();
  assert.deepEqual([part("right", "trouble").hidden, told().right.failed, told().right.errors], [true, false, ["http 404", "http 404"]]);
});

test("a file that is no video fails once, whichever ways it was tried", async () => {
  replying(arrives(), GONE(), arrives());
  await opened();
  videos[1].error = { code: 4 };
  fire(part("right", "again"), "click");
  await settled();
  assert.deepEqual(told().right.errors, ["http 404", "from memory: not supported", "not supported"]);
});

test("a clip that breaks or stands still stops both, and they begin anew once it is there again", async () => {
  for (const [stop, says] of [
    [() => fire(Object.assign(videos[1], { error: { code: 3 } }), "error"), "decode"],
    [() => page.frames(25_500, 250), "stuck"],
  ]) {
    storage();
    replying(arrives(), arrives(), arrives());
    await opened();
    await press();
    await play(1_000);
    await stop();
    assert.deepEqual([videos[0].paused, part("right", "trouble").hidden && part("left", "trouble").hidden], [true, false]);
    const broken = SIDES.find((side) => told()[side].failed);
    assert.deepEqual(told()[broken].errors, [says]);
    await press();
    assert.equal(videos[0].paused, true);
    videos[1].error = null;
    fire(part(broken, "again"), "click");
    await settled();
    await press();
    assert.deepEqual([videos[0].currentTime, videos[0].paused, told().left.plays, told()[broken].failed], [0, false, 2, false]);
    assert.deepEqual(told().left.played, [[0, 1]], "what was played is not forgotten");
    time = clock();
  }
});

test("a start that the browser refuses blames no clip; after three presses there is a way on", async () => {
  replying(arrives(), arrives());
  await opened();
  const refused = trial.querySelector("[data-refused]");
  videos[1].refuses = "NotAllowedError";
  for (const isGivenUp of [false, false, true]) {
    await press();
    assert.deepEqual([refused.hidden, refused.querySelector("[data-give-up]").hidden], [false, !isGivenUp]);
  }
  assert.deepEqual([told().right.failed, told().right.errors.at(-1), part("right", "trouble").hidden], [false, "play not allowed", true]);
  videos[1].refuses = "NotSupportedError";
  await press();
  assert.deepEqual([told().right.failed, told().right.errors.at(-1)], [true, "play: NotSupportedError"]);
});

test("a hidden page plays nothing, and its time is told of", async () => {
  replying(arrives(), arrives());
  await opened();
  await press();
  await play(2_000);
  document.hidden = true;
  fire(document, "visibilitychange");
  await time.pass(3_000);
  document.hidden = false;
  fire(document, "visibilitychange");
  await time.pass(1_000);
  assert.deepEqual([videos[0].paused, told().hidden_ms, told().rt_ms], [true, 3_000, 6_000]);
});

test("what was watched is there after a reload, all but a second of it where the page was lost", async () => {
  replying(...Array.from({ length: 8 }, arrives));
  await opened();
  const kept = () => JSON.parse(Object.values(localStorage)[0]).playback.left.played[0][1];
  await press();
  await play(2_500);
  assert.equal(kept().toFixed(1), "2.0");
  fire(window, "pagehide");
  assert.equal(kept(), 2.5);
  time = clock();
  await opened();
  assert.equal(isClosed(), true);
  await press();
  await play(4_040);
  await opened();
  assert.deepEqual([isClosed(), part("left", "state").textContent, told().loads, told().left.plays], [false, "Watched", 3, 2]);
});

test("keys play and choose, as the page's own box lets them", async () => {
  replying(arrives(), arrives());
  await opened("free");
  const key = (name) => fire(document, "keydown", { key: name });
  key("k");
  await settled();
  key("2");
  assert.deepEqual([videos[0].paused, radios.map(({ checked }) => checked)], [false, [false, true]]);
  trial.querySelector("[data-keys]").checked = false;
  key("1");
  assert.equal(radios[0].checked, false);
});

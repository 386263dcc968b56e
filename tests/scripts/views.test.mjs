import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Element, fire, load, storage } from "./page.mjs";

const { ClipView, ControlsView, GateView, timeLeft } = await load("participant/views.js");
let entries;

beforeEach(() => {
  entries = storage();
});

function clip() {
  const names = ["state", "trouble", "reason", "give-up", "again"];
  const inside = Object.fromEntries(names.map((name) => [`[data-${name}]`, new Element()]));
  const video = new Element({ load() {} }, { attributes: { src: "/p/abc/clips/1" } });
  const part = new Element({}, { inside: { ...inside, video, progress: new Element() } });
  return { part, view: new ClipView(new Element({}, { inside: { "[data-clip=left]": part } }), "left") };
}

test("a clip is said to be watched when its record says so, and never all of it before", () => {
  const { part, view } = clip();
  for (const [share, watched, bar, says] of [
    [0, false, 0, "0% watched"],
    [0.336, false, 0.336, "33% watched"],
    [1, false, 0.99, "99% watched"],
    [0.97, true, 1, "Watched"],
  ]) {
    view.watched({ share, data: { watched }, update() {} });
    assert.deepEqual([part.querySelector("progress").value, part.querySelector("[data-state]").textContent], [bar, says]);
  }
});

test("a clip that has failed twice can be gone on without", () => {
  const { part, view } = clip();
  view.failed("network", false);
  assert.deepEqual([part.querySelector("[data-give-up]").hidden, part.querySelector("[data-trouble]").hidden], [true, false]);
  view.failed("playing", true);
  assert.equal(part.querySelector("[data-give-up]").hidden, false);
  view.loading(0.5);
  assert.deepEqual([part.querySelector("[data-trouble]").hidden, part.querySelector("[data-state]").textContent], [true, "Loading 50%"]);
});

function controls(player) {
  const label = new Element({ textContent: "Play both" });
  const refused = new Element({}, { inside: { "[data-give-up]": new Element() } });
  const play = new Element({ classList: { toggle() {} } }, { inside: { "[data-label]": label } });
  const inside = {
    "[data-refused]": refused,
    "[data-watch-first]": new Element(),
    "[data-own-speed]": new Element(),
    "[data-slow]": new Element(),
    "[data-play]": play,
    "[data-replay]": new Element(),
    "[data-keys]": new Element({ checked: true }),
    "[data-controls]": new Element(),
  };
  const trial = new Element({}, { inside });
  return { label, play, refused, trial, view: new ControlsView(trial, player) };
}

test("what is said over the clips goes as soon as they play", () => {
  const player = { playing: false };
  const { label, refused, trial, view } = controls(player);
  const first = trial.querySelector("[data-watch-first]");
  view.refused(false);
  assert.deepEqual([refused.hidden, first.hidden, refused.querySelector("[data-give-up]").hidden], [false, true, true]);
  view.refused(true);
  assert.equal(refused.querySelector("[data-give-up]").hidden, false, "a press that did not help leaves a way on");
  view.show(true);
  assert.equal(refused.hidden, false);
  player.playing = true;
  view.show(true);
  assert.deepEqual([refused.hidden, first.hidden, label.textContent], [true, true, "Pause"]);
});

test("the buttons are of no use before the clips are there, and keys stay off for who turned them off", () => {
  const { play, trial, view } = controls({ playing: false });
  view.show(false);
  assert.equal(play.getAttribute("aria-disabled"), "true");
  view.show(true);
  assert.equal(play.getAttribute("aria-disabled"), "false");
  assert.equal(view.keysOn, true);
  const keys = trial.querySelector("[data-keys]");
  keys.checked = false;
  fire(keys, "change");
  assert.equal(controls({ playing: false }).view.keysOn, false);
  assert.equal(Object.values(entries).length, 1);
});

test("closed questions are closed until the gate opens", () => {
  const note = new Element({ id: "gate", dataset: { opened: "The questions are open." }, classList: { add() {} } }, { inside: { "[data-gate-text]": new Element() } });
  const questions = new Element({ disabled: false });
  const trial = new Element({}, { inside: { "[data-gate]": note, "[data-play]": new Element() } });
  const gate = new GateView(trial, new Element({}, { inside: { "[data-questions]": questions } }));
  assert.deepEqual([gate.closed, questions.disabled], [false, false]);
  gate.close();
  assert.deepEqual([gate.closed, questions.disabled, note.hidden], [true, true, false]);
  gate.open();
  assert.deepEqual([gate.closed, questions.disabled, note.querySelector("[data-gate-text]").textContent], [false, false, "The questions are open."]);
});

test("at a slow line the page says how long the rest takes, once it knows the rate", () => {
  assert.equal(timeLeft(0, 0.1, 1_000), "", "too early to say");
  assert.equal(timeLeft(0, 0.25, 10_000), ", about 30 s left");
  assert.equal(timeLeft(0.5, 0.6, 30_000), ", about 2 min left", "what was there before does not count");
  assert.equal(timeLeft(0, 0.9, 10_000), "", "soon over");
  assert.equal(timeLeft(0, 0, 60_000), "");
});

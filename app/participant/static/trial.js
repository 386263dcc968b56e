/** One trial: load both clips, play them as one, open the questions, record what was watched, send the answer. */

import { describe, fetchClip, loadClip } from "./clips.js";
import { enhance } from "./form.js";
import { listenToKeys } from "./keys.js";
import { PlaybackRecord } from "./playback.js";
import { PairPlayer } from "./player.js";
import { openStore } from "./store.js";
import { ClipView, ControlsView, GateView } from "./views.js";

const SAVE_EVERY_MS = 1000;
const SIDES = ["left", "right"];

const trial = document.querySelector("[data-trial]");
const form = document.querySelector("form");
const store = openStore(form.getAttribute("action"), form.dataset.send);
const views = Object.fromEntries(SIDES.map((side) => [side, new ClipView(trial, side)]));
const { left, right } = Object.fromEntries(SIDES.map((side) => [side, views[side].video]));
const player = new PairPlayer(left, right);
const record = new PlaybackRecord(store, player, left, right);
const controls = new ControlsView(trial, player);
const gate = new GateView(trial, form);
const ready = { left: false, right: false };
const failures = { left: 0, right: 0 };

const sideOf = (video) => (video === left ? "left" : "right");
const bothReady = () => ready.left && ready.right;

function openIfWatched() {
  if (!gate.closed || !record.watched) return;
  record.opened();
  gate.open();
}

/** Bring record, browser memory and page to the same state. */
function refresh() {
  record.save();
  for (const side of SIDES) if (ready[side]) views[side].watched(record.clips[side]);
  openIfWatched();
  controls.show(bothReady());
}

function fail(side, kind, message) {
  ready[side] = false;
  failures[side] += 1;
  player.pause();
  record.clips[side].addError(message);
  record.clips[side].data.failed = true;
  views[side].failed(kind, failures[side] > 1);
  refresh();
}

async function load(side) {
  const { video, address } = views[side];
  try {
    await loadClip(video, address, {
      onProgress: (share) => views[side].loading(share),
      onTrouble: (message) => record.clips[side].addError(message),
    });
  } catch (error) {
    fail(side, error.kind, error.message);
    return;
  }
  ready[side] = true;
  record.clips[side].data.failed = false;
  views[side].ready();
  refresh();
}

async function retry(side) {
  views[side].loading(0);
  controls.focus();
  record.update(); // the browser forgets what was played when a clip is loaded anew
  await load(side);
  await player.toStart();
}

/** The next pair, into the browser's cache, once this one can no longer be slowed down by it. */
async function fetchNext() {
  for (const url of trial.dataset.next.split(" ").filter(Boolean)) {
    await fetchClip(url, { priority: "low" }).catch(() => {}); // the next page will try again, and say so
  }
}

function choose(side) {
  const radio = form.querySelector(`input[data-choice][value=${side}]`);
  if (!radio || radio.matches(":disabled")) return;
  radio.checked = true;
  radio.focus();
  radio.dispatchEvent(new Event("input", { bubbles: true }));
}

function listen() {
  const act = (action) => () => bothReady() && action();
  const actions = { toggle: act(() => player.toggle()), replay: act(() => player.replay()), choose };
  controls.listen(actions);
  listenToKeys(() => controls.keysOn, actions);
  player.addEventListener("change", refresh);
  player.addEventListener("stuck", ({ detail: video }) => fail(sideOf(video), "playing", "stuck"));
  player.addEventListener("refused", ({ detail: video }) => fail(sideOf(video), "playing", "refused"));
  for (const video of [left, right]) {
    video.addEventListener("timeupdate", () => views[sideOf(video)].watched(record.clips[sideOf(video)]));
    video.addEventListener("ended", refresh);
    // While it loads, `loadClip` deals with its errors.
    video.addEventListener("error", () => ready[sideOf(video)] && fail(sideOf(video), "playing", describe(video)));
  }
  for (const side of SIDES) views[side].onRetry(() => retry(side));
  setInterval(() => player.playing && record.save(), SAVE_EVERY_MS);
}

function listenToLeaving() {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return record.seen();
    player.pause();
    return record.hidden();
  });
  window.addEventListener("pagehide", () => record.hidden());
  form.addEventListener("formdata", ({ formData }) => {
    record.save();
    formData.set("rt_ms", record.rtMs ?? "");
    formData.set("playback", JSON.stringify(record));
  });
}

enhance(form, store);
listen();
listenToLeaving();
if (trial.dataset.watch === "both-to-end") gate.close();
else record.opened();
refresh();
await Promise.all(SIDES.map(load));
await fetchNext();

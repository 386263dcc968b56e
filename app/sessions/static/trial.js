/** One trial: load its one or two clips, play them as one or in turn, open the questions, record what was watched, send the answer. */

import { describe, fetchClip, loadClip } from "./clips.js";
import { showErrors } from "./fields.js";
import { enhance } from "./form.js";
import { KeptClips } from "./kept.js";
import { choose, listenToKeys } from "./keys.js";
import { areStacked, PlaybackRecord } from "./playback.js";
import { PairPlayer } from "./player.js";
import { openStore } from "./store.js";
import { ClipView, ControlsView, GateView } from "./views.js";

const SAVE_EVERY_MS = 1000;

const trial = document.querySelector("[data-trial]");
const SIDES = [...trial.querySelectorAll("[data-clip]")].map((clip) => clip.dataset.clip);
const form = document.querySelector("#answer");
const store = openStore(form.getAttribute("action"), form.dataset.send);
const views = Object.fromEntries(SIDES.map((side) => [side, new ClipView(trial, side)]));
const videos = Object.fromEntries(SIDES.map((side) => [side, views[side].video]));
const nextClips = trial.dataset.next.split(" ").filter(Boolean);
const clips = [...SIDES.map((side) => views[side].address), ...nextClips];
const kept = new KeptClips(clips.filter((url) => url.startsWith("/p/"))); // those of a draft's preview may change
const turns = isInTurn() ? await import("./turns.js") : null;
const player = turns ? new turns.TurnPlayer(videos) : new PairPlayer(...Object.values(videos));
const record = new PlaybackRecord(store, player, videos);
const turnsView = turns && new (await import("./turns-view.js")).TurnsView(trial, player, trial.dataset.watch === "free");
const controls = new ControlsView(trial, player, turnsView);
const gate = new GateView(trial, form);
const ready = Object.fromEntries(SIDES.map((side) => [side, false]));
const failures = Object.fromEntries(SIDES.map((side) => [side, 0]));
let refusals = 0;

const sideOf = (video) => SIDES.find((side) => videos[side] === video);
const allReady = () => (SIDES.includes(player.turn) ? [player.turn] : SIDES).every((side) => ready[side]);

/** As the study says; by the width, where the clips lie one above the other. A trial keeps this over reloads. */
function isInTurn() {
  const { layout } = trial.dataset;
  if (layout !== "by-width") return layout === "sequential";
  const is = store.get("in_turn") ?? areStacked(...trial.querySelectorAll("[data-clip]"));
  store.set({ in_turn: is });
  return is;
}

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
  controls.show(allReady());
  if (player.finished && record.losesFrames) controls.slow(true);
}

function fail(side, kind, message) {
  ready[side] = false;
  failures[side] += 1;
  player.pause();
  if (kind === "playing") kept.forget(views[side].address);
  record.clips[side].addError(message);
  record.clips[side].data.failed = true;
  views[side].failed(kind, failures[side] > 1);
  refresh();
}

/** Browsers that want a press for each start say `NotAllowedError`: the clip is sound, and a press away. */
function refused(side, error) {
  if (error.name !== "NotAllowedError") {
    fail(side, "playing", `play: ${error.name}`);
    return;
  }
  refusals += 1;
  record.clips[side].addError("play not allowed");
  controls.refused(refusals > SIDES.length);
  record.save();
}

async function load(side) {
  const { video, address } = views[side];
  try {
    await loadClip(video, address, {
      onProgress: (share) => views[side].loading(share),
      onTrouble: (message) => record.clips[side].addError(message),
      kept,
    });
  } catch (error) {
    fail(side, error.kind, error.message);
    return;
  }
  ready[side] = true;
  record.clips[side].data.failed = false;
  views[side].ready();
  refresh();
  turnsView?.show();
}

async function retry(side) {
  views[side].loading(0);
  controls.focus();
  record.update(); // the browser forgets what was played when a clip is loaded anew
  await load(side);
  await player.toStart();
}

/** The next pair, once this one can no longer be slowed down by it. */
async function fetchNext() {
  for (const url of nextClips) {
    await fetchClip(url, { priority: "low", kept }).catch(() => {}); // the next page will try again, and say so
  }
}

function listen() {
  const act = (action) => () => allReady() && action();
  const actions = { toggle: act(() => player.toggle()), replay: act(() => player.replay()), choose: (value) => choose(form, value) };
  controls.listen(actions);
  listenToKeys(() => controls.keysOn, actions);
  player.addEventListener("change", refresh);
  player.addEventListener("over", refresh);
  player.addEventListener("turn", refresh);
  player.addEventListener("begin", () => controls.slow(false));
  player.addEventListener("slow", () => controls.slow(true));
  player.addEventListener("rate", () => controls.say("own speed"));
  player.addEventListener("stuck", ({ detail }) => fail(sideOf(detail.video), "playing", "stuck"));
  player.addEventListener("refused", ({ detail }) => refused(sideOf(detail.video), detail.error));
  for (const video of Object.values(videos)) {
    video.addEventListener("timeupdate", () => views[sideOf(video)].watched(record.clips[sideOf(video)]));
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

/** Closed questions cannot be answered: whoever saves is led to the videos. True where it came to that. */
function holdBack() {
  if (!gate.closed) return false;
  controls.say("watch first");
  const again = [...trial.querySelectorAll("[data-trouble]:not([hidden]) [data-again]")];
  const troubled = again.find((button) => !button.closest("[data-away]")); // not of a clip whose turn is to come
  if (troubled) troubled.focus({ preventScroll: true });
  else controls.focus();
  trial.querySelector("[data-stage]").scrollIntoView({ block: "start" });
  return true;
}

enhance(form, store, holdBack);
listen();
listenToLeaving();
if (trial.dataset.watch === "both-to-end") {
  gate.close();
  // What the server said of questions that were open until this script came.
  showErrors(form, {});
  form.querySelector("[data-problem]").hidden = true;
} else record.opened();
if (turns) {
  const watched = Object.entries(record.clips).map(([side, clip]) => [side, clip.data.watched]);
  player.go(turns.firstTurn(Object.fromEntries(watched)));
}
refresh();
await Promise.all(SIDES.map(load));
await fetchNext();

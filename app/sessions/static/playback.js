/**
 * What is recorded of one trial's playback, over reloads: docs/data.md holds the meaning of each field. Whether a clip
 * was watched is decided by the server, from `played`; the rule here opens the questions, no more.
 *
 * `rt_ms` and `hidden_ms` run from the first frame, while the page is loaded: neither counts the time between two
 * loads, so that their difference is the time for which the pair could be seen. They are measured by a clock that
 * nobody can set, added up over loads.
 */

const WATCHED_SHARE = 0.95;
const END_SLACK_S = 0.2;
const DROPPED_SHARE = 0.2;
const DROPPED_FROM_FRAMES = 30;
const SAME_RANGE_S = 0.02;
const ERRORS_KEPT = 10;
const ERROR_LENGTH = 80;

const BLANK_CLIP = {
  duration_s: null,
  played: [],
  watched: false,
  plays: 0,
  stalls: 0,
  stall_ms: 0,
  dropped_frames: 0,
  frames: 0,
  errors: [],
  failed: false,
  max_rate: 0,
};

const now = () => performance.now();

/** Milliseconds counted while it runs, on from those of earlier loads. */
class Stopwatch {
  #before;
  #since = null;

  constructor(before) {
    this.#before = before;
  }

  get ms() {
    return Math.round(this.#before + (this.#since === null ? 0 : now() - this.#since));
  }

  start() {
    this.#since ??= now();
  }

  stop() {
    this.#before = this.ms;
    this.#since = null;
  }
}

const thousandths = (seconds) => Math.round(seconds * 1000) / 1000;

/** Sorted, and one range where two touch. */
export function mergeRanges(ranges) {
  const merged = [];
  for (const [start, end] of [...ranges].sort((one, other) => one[0] - other[0])) {
    const last = merged.at(-1);
    if (last && start - last[1] <= SAME_RANGE_S) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Whether the second of two elements lies below the first. */
export const areStacked = (one, other) => other.getBoundingClientRect().top >= one.getBoundingClientRect().bottom;

class ClipRecord {
  #video;
  #stalledAt = null;
  #seen = { frames: 0, dropped: 0 };

  constructor(video, saved) {
    this.#video = video;
    this.data = { ...BLANK_CLIP, ...saved, failed: false };
    const hear = (name, act) => video.addEventListener(name, act);
    hear("waiting", () => this.#stall());
    for (const name of ["playing", "pause", "ended", "emptied"]) hear(name, () => this.#flow());
    for (const name of ["playing", "ratechange"]) hear(name, () => this.#rate());
  }

  get share() {
    const played = this.data.played.reduce((sum, [start, end]) => sum + end - start, 0);
    return this.data.duration_s ? Math.min(played / this.data.duration_s, 1) : 0;
  }

  get losesFrames() {
    const { frames, dropped_frames: dropped } = this.data;
    return frames >= DROPPED_FROM_FRAMES && dropped > DROPPED_SHARE * frames;
  }

  /** Take over what the browser has counted since the last time. */
  update() {
    const { played, duration } = this.#video;
    const ranges = [...this.data.played];
    for (let i = 0; i < played.length; i += 1) {
      ranges.push([thousandths(played.start(i)), thousandths(played.end(i))]);
    }
    this.data.played = mergeRanges(ranges);
    if (Number.isFinite(duration)) this.data.duration_s = thousandths(duration);
    const end = this.data.played.at(-1)?.[1] ?? 0;
    const atEnd = this.data.duration_s !== null && end >= this.data.duration_s - END_SLACK_S;
    if (atEnd && this.share >= WATCHED_SHARE) this.data.watched = true;
    this.#countFrames();
  }

  addError(text) {
    this.data.errors = [...this.data.errors, text.slice(0, ERROR_LENGTH)].slice(-ERRORS_KEPT);
  }

  #countFrames() {
    const quality = this.#video.getVideoPlaybackQuality?.();
    if (!quality) return;
    const seen = { frames: quality.totalVideoFrames, dropped: quality.droppedVideoFrames };
    const before = seen.frames < this.#seen.frames ? { frames: 0, dropped: 0 } : this.#seen; // loaded anew
    this.data.frames += seen.frames - before.frames;
    this.data.dropped_frames += seen.dropped - before.dropped;
    this.#seen = seen;
  }

  #stall() {
    // `waiting` also comes with a seek and before the very first frame; neither is a stall.
    if (this.#video.seeking || this.#video.currentTime === 0 || this.#stalledAt !== null) return;
    this.data.stalls += 1;
    this.#stalledAt = now();
  }

  #flow() {
    if (this.#stalledAt === null) return;
    this.data.stall_ms += Math.round(now() - this.#stalledAt);
    this.#stalledAt = null;
  }

  #rate() {
    if (!this.#video.paused) this.data.max_rate = Math.max(this.data.max_rate, this.#video.playbackRate);
  }
}

export class PlaybackRecord {
  #store;
  #player;
  #videos;
  #begun;
  #time;
  #hidden;
  #pair;

  /** `videos` by the name of their place: `left` and `right`, or `item` where there is one. */
  constructor(store, player, videos) {
    const kept = store.get("playback");
    const saved = kept?.v === 1 ? kept : {};
    this.#store = store;
    this.#player = player;
    this.#videos = Object.values(videos);
    this.clips = Object.fromEntries(
      Object.entries(videos).map(([place, video]) => [place, new ClipRecord(video, saved[place])]),
    );
    this.#pair = {
      loads: (saved.loads ?? 0) + 1,
      drift_ms_max: saved.drift_ms_max ?? 0,
      opened_ms: saved.opened_ms ?? null,
    };
    this.#begun = typeof store.get("rt_ms") === "number";
    this.#time = new Stopwatch(store.get("rt_ms") ?? 0);
    this.#hidden = new Stopwatch(saved.hidden_ms ?? 0);
    if (this.#begun) this.#run();
    for (const video of this.#videos) video.addEventListener("playing", () => this.#begin());
    player.addEventListener("begin", () => this.#inTurn((clip) => (clip.data.plays += 1)));
  }

  get rtMs() {
    return this.#begun ? this.#time.ms : null;
  }

  get watched() {
    return Object.values(this.clips).every((clip) => clip.data.watched);
  }

  /** Of either clip so many that the server will say so, too (flags.py). */
  get losesFrames() {
    return Object.values(this.clips).some((clip) => clip.losesFrames);
  }

  hidden() {
    if (this.#begun) this.#hidden.start();
    this.save();
  }

  seen() {
    this.#hidden.stop();
    this.save();
  }

  opened() {
    this.#pair.opened_ms ??= this.rtMs ?? 0;
  }

  update() {
    this.#eachClip((clip) => clip.update());
    // Clips that are not shown at once cannot be out of step.
    this.#pair.drift_ms_max = this.#player.inTurn ? null : Math.max(this.#pair.drift_ms_max, Math.round(this.#player.driftMsMax));
  }

  toJSON() {
    const clips = Object.entries(this.clips).map(([place, clip]) => [place, clip.data]);
    return { v: 1, ...this.#pair, hidden_ms: this.#hidden.ms, layout: this.#layout(), ...Object.fromEntries(clips) };
  }

  save() {
    this.update();
    this.#store.set({ playback: this.toJSON(), rt_ms: this.rtMs });
  }

  #begin() {
    if (this.#begun) return;
    this.#begun = true;
    this.#run();
    this.save();
  }

  #run() {
    this.#time.start();
    if (document.hidden) this.#hidden.start();
  }

  /** As the pair lies now: the answer is sent from what is seen then. */
  #layout() {
    if (this.#player.inTurn) return "sequential";
    if (this.#videos.length < 2) return null;
    return areStacked(...this.#videos) ? "stacked" : "side-by-side";
  }

  /** Of clips that are shown in turn, the one whose turn it is; else all of them. */
  #inTurn(act) {
    const one = this.clips[this.#player.turn];
    if (one) act(one);
    else this.#eachClip(act);
  }

  #eachClip(act) {
    for (const clip of Object.values(this.clips)) act(clip);
  }
}

/**
 * Two clips played as one, or one clip by itself. Of two, the one that is ahead is held until the other has caught up;
 * the playing rate stays 1, as another would change how the movement looks: what else sets it is put back.
 *
 * How far they are apart is told by the pictures that are on the screen (shown.js). One picture apart is in step: the
 * two change one after the other.
 *
 * Events: `change` (playing or not), `begin` (from the start), `over` (a clip is at its end), `slow` (this device does
 * not keep them in step, or not moving), `rate` (a rate was put back), `stuck` and `refused` (detail: the video, and for `refused`
 * the browser's error).
 *
 * A clip is over when the browser says so, or when it stands still where it ends: WebKit now and then leaves out
 * `ended`, and reports the last frame's time as where it stopped.
 */

import { Shown } from "./shown.js";

// What is more than 100 ms apart was seen to be so when the next picture is drawn: held a little before that.
const HOLD_MS = 80;
// With one clip held, in all, since both began, or with a clip that stands still: one hiccup is got over in less.
const SLOW_MS = 2_000;
// Firefox, once out of decoded pictures, stands still for 15 s and plays on by itself (measured on a busy machine, 153).
const STUCK_MS = 25_000;
const LONGEST_TICK_MS = 250;
const REWIND_MS = 2_000;
const END_S = 0.2;
const AT_END_MS = 500;

function rewind(video) {
  if (video.currentTime === 0 && !video.seeking) return Promise.resolve();
  return new Promise((resolve) => {
    video.addEventListener("seeked", resolve, { once: true });
    setTimeout(resolve, REWIND_MS);
    video.currentTime = 0;
  });
}

function isAtEnd(video) {
  return !video.seeking && video.currentTime > 0 && video.currentTime >= video.duration - END_S;
}

export class PairPlayer extends EventTarget {
  driftMsMax = 0;
  #videos;
  #shown;
  #heldMs = 0;
  #isSlow = false;
  #wanted = false;
  #held = null;
  #rewinding = false;
  #fresh = true;
  #run = 0;
  #still = new Map();
  #over = new Set();

  constructor(...videos) {
    super();
    this.#videos = videos;
    this.#shown = videos.map((video) => new Shown(video));
    for (const video of this.#videos) {
      video.addEventListener("play", () => this.#onPlay(video));
      video.addEventListener("pause", () => this.#onPause(video));
      video.addEventListener("ended", () => video.ended && this.#end(video)); // not one that a replay overtook
      video.addEventListener("seeking", () => this.#over.delete(video));
      video.addEventListener("ratechange", () => this.#keepRate(video));
    }
  }

  get playing() {
    return this.#wanted;
  }

  get finished() {
    return this.#videos.every((video) => this.#isOver(video));
  }

  toggle() {
    if (this.#wanted) this.pause();
    else this.play();
  }

  play() {
    if (this.finished) this.replay();
    else this.#start();
  }

  pause() {
    this.#run += 1;
    this.#wanted = false;
    this.#rewinding = false;
    this.#held = null;
    for (const video of this.#videos) video.pause();
    this.#tell("change");
  }

  /** Both from the start; each is at its first frame before either moves. */
  async replay() {
    this.pause();
    const run = this.#run;
    this.#wanted = true;
    this.#rewinding = true;
    this.#tell("change");
    await this.toStart();
    if (run !== this.#run) return;
    this.#rewinding = false;
    this.#start();
  }

  toStart() {
    this.#fresh = true;
    this.#over.clear();
    return Promise.all(this.#videos.map(rewind));
  }

  #start() {
    this.#wanted = true;
    this.#still.clear();
    if (this.#fresh) {
      this.#heldMs = 0;
      this.#isSlow = false;
      this.#tell("begin");
    }
    this.#fresh = false;
    for (const video of this.#videos) if (!this.#isOver(video)) this.#go(video);
    this.#tell("change");
    this.#run += 1;
    this.#watch(this.#run, performance.now());
  }

  #go(video) {
    video.play().catch((error) => {
      if (error.name === "AbortError") return; // paused before it began, by us
      if (this.#wanted) this.pause();
      this.#tell("refused", { video, error });
    });
  }

  #watch(run, before) {
    requestAnimationFrame((now) => {
      if (run !== this.#run || !this.#wanted) return;
      this.#keepTogether(now - before);
      this.#findStuck(Math.min(now - before, LONGEST_TICK_MS));
      this.#watch(run, now);
    });
  }

  #keepTogether(tickMs) {
    const [left, right] = this.#videos;
    if (!right) return;
    // Over, also where the browser reports a time well before the end: nobody waits for what has ended.
    if ([left, right].some((video) => isAtEnd(video) || this.#isOver(video))) {
      this.#release();
      return;
    }
    if (left.seeking || right.seeking) return;
    const leadMs = this.#leadMs();
    this.driftMsMax = Math.max(this.driftMsMax, Math.abs(leadMs));
    if (this.#held) {
      this.#heldMs += tickMs;
      this.#findSlow(this.#heldMs);
      if ((this.#held === left ? leadMs : -leadMs) <= 0) this.#release();
    } else if (Math.abs(leadMs) > HOLD_MS) {
      this.#held = leadMs > 0 ? left : right;
      this.#held.pause();
    }
  }

  /** How far the left is ahead of the right, in ms; 0 where they are in step. */
  #leadMs() {
    const [left, right] = this.#shown;
    const leadS = left.atS - right.atS;
    return Math.abs(leadS) < 1.5 * Math.min(left.pictureS, right.pictureS) ? 0 : leadS * 1000;
  }

  /** Said once, until they begin anew. */
  #findSlow(ms) {
    if (ms <= SLOW_MS || this.#isSlow) return;
    this.#isSlow = true;
    this.#tell("slow");
  }

  /** Not at once, as who set it may be listening and set it again: once for each picture that is drawn. */
  #keepRate(video) {
    if (video.playbackRate === 1) return;
    this.#tell("rate");
    requestAnimationFrame(() => (video.playbackRate = 1));
  }

  #release() {
    const video = this.#held;
    this.#held = null;
    if (video && !this.#isOver(video)) this.#go(video);
  }

  /** Say of a clip that stands still that it is over, if it is where it ends, or else slow and, in the end, stuck. */
  #findStuck(tickMs) {
    for (const video of this.#videos) {
      const { at, ms } = this.#still.get(video) ?? { at: -1, ms: 0 };
      const moving = video.currentTime !== at || video === this.#held;
      const still = { at: video.currentTime, ms: moving ? 0 : ms + tickMs };
      this.#still.set(video, still);
      if (this.#isOver(video)) continue;
      if (still.ms > AT_END_MS && isAtEnd(video)) {
        this.#end(video);
      } else if (still.ms > STUCK_MS) {
        this.pause();
        this.#tell("stuck", { video });
        return;
      }
      this.#findSlow(still.ms);
    }
  }

  /** Played or paused by something else (a media key, the browser's menu): both do it, so that the pair stays one. */
  #onPlay(video) {
    if (!this.#wanted && !video.paused) this.play();
  }

  #onPause(video) {
    const ours = !this.#wanted || this.#rewinding || video === this.#held;
    if (ours || !video.paused || this.#isOver(video)) return;
    if (isAtEnd(video)) this.#end(video);
    else this.pause();
  }

  #isOver(video) {
    return video.ended || this.#over.has(video);
  }

  #end(video) {
    this.#over.add(video);
    this.#tell("over", { video });
    if (this.finished && this.#wanted) this.pause();
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/**
 * Two clips played as one. The one that is ahead is held until the other has caught up; the playing rate is never
 * touched, as it would change how the movement looks.
 *
 * Events: `change` (playing or not), `begin` (from the start), `stuck` and `refused` (detail: the video).
 */

const HOLD_MS = 40;
const RELEASE_MS = 15;
const STUCK_MS = 10_000;
const LONGEST_TICK_MS = 250;
const REWIND_MS = 2_000;

function rewind(video) {
  if (video.currentTime === 0 && !video.seeking) return Promise.resolve();
  return new Promise((resolve) => {
    video.addEventListener("seeked", resolve, { once: true });
    setTimeout(resolve, REWIND_MS);
    video.currentTime = 0;
  });
}

export class PairPlayer extends EventTarget {
  driftMsMax = 0;
  #videos;
  #wanted = false;
  #held = null;
  #rewinding = false;
  #fresh = true;
  #run = 0;
  #still = new Map();

  constructor(left, right) {
    super();
    this.#videos = [left, right];
    for (const video of this.#videos) {
      video.addEventListener("play", () => this.#onPlay(video));
      video.addEventListener("pause", () => this.#onPause(video));
      video.addEventListener("ended", () => this.#onEnded());
    }
  }

  get playing() {
    return this.#wanted;
  }

  get finished() {
    return this.#videos.every((video) => video.ended);
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
    return Promise.all(this.#videos.map(rewind));
  }

  #start() {
    this.#wanted = true;
    this.#still.clear();
    if (this.#fresh) this.#tell("begin");
    this.#fresh = false;
    for (const video of this.#videos) if (!video.ended) this.#go(video);
    this.#tell("change");
    this.#run += 1;
    this.#watch(this.#run, performance.now());
  }

  #go(video) {
    video.play().catch((error) => {
      if (error.name === "AbortError") return; // paused before it began, by us
      this.pause();
      this.#tell("refused", video);
    });
  }

  #watch(run, before) {
    requestAnimationFrame((now) => {
      if (run !== this.#run || !this.#wanted) return;
      this.#keepTogether();
      this.#findStuck(Math.min(now - before, LONGEST_TICK_MS));
      this.#watch(run, now);
    });
  }

  #keepTogether() {
    const [left, right] = this.#videos;
    if (left.ended || right.ended) {
      this.#release();
      return;
    }
    if (left.seeking || right.seeking) return;
    const rate = Math.max(left.playbackRate, right.playbackRate);
    const leadMs = ((left.currentTime - right.currentTime) * 1000) / rate;
    if (this.#held) {
      if ((this.#held === left ? leadMs : -leadMs) < RELEASE_MS) this.#release();
      return;
    }
    this.driftMsMax = Math.max(this.driftMsMax, Math.abs(leadMs));
    if (Math.abs(leadMs) > HOLD_MS) {
      this.#held = leadMs > 0 ? left : right;
      this.#held.pause();
    }
  }

  #release() {
    const video = this.#held;
    this.#held = null;
    if (video && !video.ended) this.#go(video);
  }

  #findStuck(tickMs) {
    for (const video of this.#videos) {
      const { at, ms } = this.#still.get(video) ?? { at: -1, ms: 0 };
      const moving = video.currentTime !== at || video.ended || video === this.#held;
      const still = { at: video.currentTime, ms: moving ? 0 : ms + tickMs };
      this.#still.set(video, still);
      if (still.ms > STUCK_MS) {
        this.pause();
        this.#tell("stuck", video);
        return;
      }
    }
  }

  /** Played or paused by something else (a media key, the browser's menu): both do it, so that the pair stays one. */
  #onPlay(video) {
    if (!this.#wanted && !video.paused) this.play();
  }

  #onPause(video) {
    const ours = !this.#wanted || this.#rewinding || video === this.#held;
    if (!ours && video.paused && !video.ended) this.pause();
  }

  #onEnded() {
    if (!this.finished) return;
    this.#wanted = false;
    this.#tell("change");
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

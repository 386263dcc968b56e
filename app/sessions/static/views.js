/** What the trial page shows of its state. */

import { keepChoiceOfKeys } from "./keys.js";
import { _ } from "./words.js";

const REASONS = {
  server: _("The server of this study cannot send this video. The problem is on the server, not yours and not your device's: please try again."),
  network: _("This video has not arrived. It is not your fault: please try again."),
  playing: _("This video cannot be shown here. It is not your fault: please try again."),
};

const RATE_AFTER_MS = 2000;
const WORTH_SAYING_S = 5;

/** How long the rest of a clip takes at the rate so far, in words; empty where that is short, or not known yet. */
export function timeLeft(from, share, ms) {
  if (ms < RATE_AFTER_MS || share <= from || share >= 1) return "";
  const seconds = ((1 - share) * ms) / (share - from) / 1000;
  if (seconds < WORTH_SAYING_S) return "";
  if (seconds < 90) return _(", about {seconds} s left", { seconds: Math.ceil(seconds / 5) * 5 });
  return _(", about {minutes} min left", { minutes: Math.round(seconds / 60) });
}

export class ClipView {
  #part;
  #state;
  #bar;
  #began = null;

  constructor(trial, side) {
    const clip = trial.querySelector(`[data-clip=${side}]`);
    this.#part = (name) => clip.querySelector(`[data-${name}]`);
    this.video = clip.querySelector("video");
    this.address = this.video.getAttribute("src");
    this.#state = this.#part("state");
    this.#bar = clip.querySelector("progress");
    this.video.removeAttribute("src"); // it is fetched once, by `loadClip`
    this.video.load();
    this.video.controls = false;
    this.video.muted = true;
    this.video.preload = "auto";
    this.#bar.hidden = false;
    this.loading(0);
  }

  loading(share) {
    this.#part("trouble").hidden = true;
    const now = performance.now();
    if (!this.#began || share < this.#began.share) this.#began = { now, share };
    const left = timeLeft(this.#began.share, share, now - this.#began.now);
    this.#state.textContent = _("Loading {percent}%{left}", { percent: Math.round(share * 100), left });
  }

  ready() {
    const { videoWidth: width, videoHeight: height } = this.video;
    // Both clips of a pair have one size; the stage keeps their shape.
    if (width && height) this.video.closest("[data-stage]").style.setProperty("--ratio", width / height);
  }

  watched(record) {
    record.update();
    const share = record.data.watched ? 1 : Math.min(record.share, 0.99);
    this.#bar.value = share;
    this.#state.textContent = record.data.watched ? _("Watched") : _("{percent}% watched", { percent: Math.floor(share * 100) });
  }

  failed(kind, again) {
    this.#state.textContent = _("Not playing");
    this.#part("reason").textContent = REASONS[kind];
    this.#part("give-up").hidden = !again;
    this.#part("trouble").hidden = false;
  }

  onRetry(act) {
    this.#part("again").addEventListener("click", act);
  }
}

export class ControlsView {
  #player;
  #play;
  #replay;
  #keys;
  #said;
  #label;
  #says;
  #slow;
  #turns;

  /** `turns` where the clips are shown in turn. */
  constructor(trial, player, turns = null) {
    this.#player = player;
    this.#turns = turns;
    this.#said = {
      refused: trial.querySelector("[data-refused]"),
      "watch first": trial.querySelector("[data-watch-first]"),
      "own speed": trial.querySelector("[data-own-speed]"),
    };
    this.#slow = trial.querySelector("[data-slow]");
    this.#play = trial.querySelector("[data-play]");
    this.#label = this.#play.querySelector("[data-label]");
    this.#says = this.#label.textContent;
    this.#replay = trial.querySelector("[data-replay]");
    this.#keys = trial.querySelector("[data-keys]");
    keepChoiceOfKeys(this.#keys);
    trial.querySelector("[data-controls]").hidden = false;
  }

  get keysOn() {
    return this.#keys.checked;
  }

  focus() {
    if (this.#turns) this.#turns.focus();
    else this.#play.focus({ preventScroll: true });
  }

  listen({ toggle, replay }) {
    this.#play.addEventListener("click", toggle);
    this.#replay.addEventListener("click", replay);
  }

  /** Over the videos, until they play: elsewhere it may be out of sight. */
  say(what) {
    for (const [name, line] of Object.entries(this.#said)) line.hidden = name !== what;
  }

  /** Whether this device shows the videos as they are; said until they begin anew. */
  slow(is) {
    this.#slow.hidden = !is;
  }

  /** The browser wants another press; `again` where that did not help, so that there is a way on. */
  refused(again) {
    this.#said.refused.querySelector("[data-give-up]").hidden = !again;
    this.say("refused");
    this.focus();
  }

  show(ready) {
    const { playing } = this.#player;
    if (playing) this.say(null);
    for (const button of [this.#play, this.#replay]) button.setAttribute("aria-disabled", String(!ready));
    this.#label.textContent = playing ? _("Pause") : (this.#turns?.playLabel ?? this.#says);
    this.#play.classList.toggle("playing", playing);
  }
}

export class GateView {
  closed = false;
  #note;
  #questions;
  #play;

  constructor(trial, form) {
    this.#note = trial.querySelector("[data-gate]");
    this.#play = trial.querySelector("[data-play]");
    this.#questions = form.querySelector("[data-questions]");
  }

  close() {
    this.closed = true;
    this.#questions.disabled = true;
    this.#note.hidden = false;
    this.#play.setAttribute("aria-describedby", this.#note.id);
  }


  open() {
    this.closed = false;
    this.#questions.disabled = false;
    this.#note.classList.add("open");
    this.#note.querySelector("[data-gate-text]").textContent = this.#note.dataset.opened;
    this.#play.removeAttribute("aria-describedby");
  }
}

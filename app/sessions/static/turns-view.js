/** What the page of a trial shows of its turns: one clip, or both at rest, and the buttons of each. */

import { _ } from "./words.js";

const LAST_PICTURE_S = 0.05;
const SAYS = {
  left: _("The first of two videos"),
  right: _("The second of two videos"),
  stills: _("The last picture of both videos"),
};
const PLAY = { left: _("Play first video"), right: _("Play second video"), stills: "" };

export class TurnsView {
  #trial;
  #player;
  #isFree;
  #part;

  /** `isFree`: clips need not be watched to the end. */
  constructor(trial, player, isFree) {
    this.#trial = trial;
    this.#player = player;
    this.#isFree = isFree;
    this.#part = (name) => trial.querySelector(`[data-${name}]`);
    this.#part("turn").hidden = false;
    this.#part("onward").addEventListener("click", () => player.onward());
    for (const again of this.#agains()) again.addEventListener("click", () => player.repeat(again.dataset.againOf));
    player.addEventListener("turn", () => this.show());
  }

  get playLabel() {
    return PLAY[this.#player.turn];
  }

  show() {
    const { turn, isRepeating } = this.#player;
    const isAtRest = turn === "stills";
    const hadFocus = this.#part("controls").contains(document.activeElement);
    this.#trial.dataset.inTurn = turn;
    for (const clip of this.#trial.querySelectorAll("[data-clip]")) {
      const isAway = !isAtRest && clip.dataset.clip !== turn;
      clip.toggleAttribute("data-away", isAway);
      if (isAtRest) toLastPicture(clip.querySelector("video"));
    }
    this.#part("turn").textContent = SAYS[turn];
    for (const name of ["play", "replay"]) this.#part(name).hidden = isAtRest;
    for (const again of this.#agains()) again.hidden = !isAtRest;
    const onward = this.#part("onward");
    onward.hidden = isAtRest || !(this.#isFree || isRepeating);
    onward.textContent = turn === "left" && !isRepeating ? _("Go to the second video") : _("Back to both pictures");
    if (hadFocus && document.activeElement.closest("[hidden]")) this.focus();
    if (hadFocus && document.activeElement === document.body) this.focus();
  }

  focus() {
    [this.#part("play"), ...this.#agains()].find((button) => !button.hidden).focus({ preventScroll: true });
  }

  #agains() {
    return [...this.#trial.querySelectorAll("[data-again-of]")];
  }
}

/** A clip that was not played in this load of the page, or only in part, rests at its end as one that was played. */
export function toLastPicture(video) {
  if (!(video.duration > 0) || video.ended || video.currentTime >= video.duration - 2 * LAST_PICTURE_S) return;
  video.currentTime = video.duration - LAST_PICTURE_S;
}

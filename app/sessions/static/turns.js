/**
 * Two clips played one after the other, then both at rest: turns `left`, `right`, `stills`. Each clip has a player of
 * its own, so that nothing is kept together. When the clip of a turn is over, the next turn comes; one played again,
 * from the stills, returns there.
 *
 * Events are those of `PairPlayer`, of the clip whose turn it is, and `turn`.
 */

import { PairPlayer } from "./player.js";

export const TURNS = ["left", "right", "stills"];
const FORWARDED = ["change", "begin", "slow", "rate", "stuck", "refused"];

/** The first turn of a page: the first clip that was not watched to its end, in an earlier load. */
export const firstTurn = (watched) => TURNS[watched.left ? (watched.right ? 2 : 1) : 0];

export class TurnPlayer extends EventTarget {
  inTurn = true;
  driftMsMax = 0;
  turn = "left";
  isRepeating = false;
  #players;
  #queue = [];

  /** `videos` by side. */
  constructor(videos) {
    super();
    this.#players = Object.fromEntries(Object.entries(videos).map(([side, video]) => [side, new PairPlayer(video)]));
    for (const [side, player] of Object.entries(this.#players)) {
      for (const name of FORWARDED) player.addEventListener(name, ({ detail }) => this.#tell(name, detail));
      player.addEventListener("over", ({ detail }) => this.#over(side, detail));
    }
  }

  get playing() {
    return this.#current?.playing ?? false;
  }

  /** Whether the clips of this turn are at their end. */
  get finished() {
    return this.#current?.finished ?? true;
  }

  get #current() {
    return this.#players[this.turn];
  }

  go(turn) {
    if (turn !== this.turn) this.pause();
    this.turn = turn;
    if (turn === "stills") this.isRepeating = false;
    this.#tell("turn");
  }

  toggle() {
    if (this.#current) this.#current.toggle();
    else this.replay();
  }

  play() {
    this.#current?.play();
  }

  pause() {
    for (const player of Object.values(this.#players)) player.pause();
  }

  /** The clip of this turn from its start; of the stills, one after the other. */
  replay() {
    if (this.#current) this.#current.replay();
    else this.repeat("left", "right");
  }

  /** From the stills: one clip again, or one after the other. */
  repeat(side, ...then) {
    this.isRepeating = true;
    this.#queue = then;
    this.go(side);
    this.#current.replay();
  }

  /** Past this clip: to the second, or to the stills. */
  onward() {
    this.#queue = [];
    this.go(this.turn === "left" && !this.isRepeating ? "right" : "stills");
  }

  toStart() {
    return this.#current?.toStart();
  }

  #over(side, detail) {
    this.#tell("over", detail);
    if (side !== this.turn) return;
    const next = this.#queue.shift();
    if (this.isRepeating && next) {
      this.go(next);
      this.#current.replay();
    } else {
      this.onward();
    }
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

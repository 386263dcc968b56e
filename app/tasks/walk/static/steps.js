// How somebody gets about the map, a tick at a time: stimuli/steps.py in the browser, to the last digit. The server
// computes every walk anew from what was pressed and turned, so nothing here decides where anybody is.

const M = 1_000_000;
const TURN = 360_000;
const [FORWARD, BACK, LEFT, RIGHT, TURN_LEFT, TURN_RIGHT] = [1, 2, 4, 8, 16, 32];
export const KEYS = Object.freeze({ FORWARD, BACK, LEFT, RIGHT, TURN_LEFT, TURN_RIGHT });

// JavaScript's own % keeps the sign of what is divided.
const modulo = (value, by) => ((value % by) + by) % by;
const held = (keys, key) => (keys & key ? 1 : 0);

export class Steps {
  constructor(ground) {
    this.ground = ground;
  }

  step(walker, keys, turn) {
    const { key_turn: keyTurn, speed, one } = this.ground;
    const byKeys = keyTurn * (held(keys, TURN_LEFT) - held(keys, TURN_RIGHT));
    const heading = modulo(walker.heading + turn + byKeys, TURN);
    const wantedAhead = held(keys, FORWARD) - held(keys, BACK);
    const wantedAside = held(keys, LEFT) - held(keys, RIGHT);
    const pace = wantedAhead && wantedAside ? Math.floor((speed * 7071) / 10_000) : speed;
    const ahead = this.towards(walker.ahead, wantedAhead * pace);
    const aside = this.towards(walker.aside, wantedAside * pace);
    const east = this.cosine(heading);
    const north = this.cosine(heading - TURN / 4);
    const alongX = Math.floor((ahead * east - aside * north) / one);
    const alongY = Math.floor((ahead * north + aside * east) / one);
    return { ...this.moved(walker.x, walker.y, alongX, alongY), heading, ahead, aside };
  }

  hasArrived(walker, goal) {
    return (walker.x - goal.x) ** 2 + (walker.y - goal.y) ** 2 <= this.ground.reached ** 2;
  }

  fits(x, y) {
    const { obstacle, ring, drop } = this.ground;
    const cell = this.cell(x, y);
    if (obstacle[cell]) return false;
    const height = this.height(cell, x, y);
    return ring.every(([east, north]) => {
      const there = this.cell(x + east, y + north);
      return !obstacle[there] && Math.abs(this.height(there, x + east, y + north) - height) <= drop;
    });
  }

  /** Nanometres. */
  height(cell, x, y) {
    const { base, slope_x: slopeX, slope_y: slopeY } = this.ground;
    return base[cell] + slopeX[cell] * x + slopeY[cell] * y;
  }

  cell(x, y) {
    const { size } = this.ground;
    const within = (value) => Math.max(0, Math.min(size - 1, Math.floor(value / M)));
    return within(x) * size + within(y);
  }

  towards(now, wanted) {
    const { gain } = this.ground;
    return now + Math.max(-gain, Math.min(gain, wanted - now));
  }

  cosine(angle) {
    const { cosines, apart } = this.ground;
    let at = modulo(angle, TURN);
    if (at > TURN / 2) at = TURN - at;
    if (at > TURN / 4) return -this.cosine(TURN / 2 - at);
    const first = Math.floor(at / apart);
    const rest = at % apart;
    if (rest === 0) return cosines[first];
    return cosines[first] + Math.floor(((cosines[first + 1] - cosines[first]) * rest) / apart);
  }

  moved(x, y, alongX, alongY) {
    if (alongX === 0 && alongY === 0) return { x, y };
    const { slides, one } = this.ground;
    for (const [cos, sin] of slides) {
      const toX = x + Math.floor((alongX * cos - alongY * sin) / one);
      const toY = y + Math.floor((alongX * sin + alongY * cos) / one);
      if (this.fits(toX, toY)) return { x: toX, y: toY };
    }
    return { x, y };
  }
}

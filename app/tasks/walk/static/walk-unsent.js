// Steps that the server has not confirmed, kept over a reload and a lost line.

const MOST_STEPS = 600;

export class Unsent {
  /** `tick` is how far the server has got. What is kept of other steps is stale. */
  constructor(storage, trial, tick) {
    Object.assign(this, { storage, name: `likely-human.walk.${trial}`, from: tick, steps: [] });
    try {
      const kept = JSON.parse(storage.getItem(this.name));
      if (kept && kept.from <= tick && tick <= kept.from + kept.steps.length) this.steps = kept.steps.slice(tick - kept.from);
    } catch {
      // nothing that can be read
    }
  }

  /** The tick after the last step. */
  get tick() {
    return this.from + this.steps.length;
  }

  add(keys, turn) {
    this.steps.push([keys, turn]);
    if (this.steps.length % 10 === 0) this.keep();
  }

  batch() {
    return this.steps.length ? { from: this.from, steps: this.steps.slice(0, MOST_STEPS) } : null;
  }

  goesOnFrom(tick) {
    return tick >= this.from && tick <= this.tick;
  }

  stored(tick) {
    if (!this.goesOnFrom(tick)) return;
    this.steps = this.steps.slice(tick - this.from);
    this.from = tick;
    this.keep();
  }

  keep() {
    try {
      this.storage.setItem(this.name, JSON.stringify({ from: this.from, steps: this.steps }));
    } catch {
      // kept in this page alone
    }
  }

  forget() {
    this.steps = [];
    try {
      this.storage.removeItem(this.name);
    } catch {
      // there is nothing kept
    }
  }
}

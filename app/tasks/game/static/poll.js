/** Ask again and again what there is to see; the server answers when that has changed, or with nothing after a while. */

const TIMEOUT_MS = 40_000;
const WAITS_S = [1, 2, 4, 8, 15];
// A server that answers at once with nothing is not asked more often than this.
const LEAST_MS = 1_000;
const GONE = new Set([401, 403, 404, 409, 410]);

async function ask(address, abort) {
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(address, {
      headers: { Accept: "application/json" },
      credentials: "same-origin",
      cache: "no-store",
      signal: abort.signal,
    });
    if (response.status === 204) return { nothing: true };
    if (GONE.has(response.status)) return { reload: true, gone: true };
    // A page in place of JSON, said to be fine, is a hotel's login page.
    if (!response.ok || !response.headers.get("Content-Type")?.startsWith("application/json")) return null;
    return await response.json();
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

export class Poll {
  #version;
  #abort = null;
  #wake = () => {};
  #asked = false;
  #running = true;

  /** `on.state(data)`, `on.gone()`, and `on.line(seconds)` while there is no connection: null when it is back. */
  constructor(address, version, on) {
    this.address = address;
    this.on = on;
    this.#version = version;
  }

  /** Ask now, whatever is known, and whatever is being waited for. */
  now() {
    this.#version = "";
    this.#asked = true;
    this.#wake();
    this.#abort?.abort();
  }

  stop() {
    this.#running = false;
    this.#abort?.abort();
    this.#wake();
  }

  async start() {
    let failures = 0;
    while (this.#running) {
      const began = performance.now();
      this.#asked = false;
      this.#abort = new AbortController();
      const reply = await ask(`${this.address}?after=${encodeURIComponent(this.#version)}`, this.#abort);
      if (!this.#running) return;
      if (reply === null && this.#asked) continue;
      if (reply === null) {
        await this.#pause(WAITS_S[Math.min(failures, WAITS_S.length - 1)]);
        failures += 1;
        continue;
      }
      if (failures) this.on.line(null);
      failures = 0;
      if (reply.reload) {
        this.#running = false;
        if (reply.gone) await this.#sleep(LEAST_MS); // a page that is there, and its state not, is not reloaded for ever at once
        this.on.gone();
        return;
      }
      if (reply.version && reply.version !== this.#version) {
        this.#version = reply.version;
        this.on.state(reply);
      }
      if (performance.now() - began < LEAST_MS && !this.#asked) await this.#sleep(LEAST_MS);
    }
  }

  async #pause(seconds) {
    this.on.line(seconds);
    const back = () => this.#wake();
    window.addEventListener("online", back);
    await this.#sleep(seconds * 1000);
    window.removeEventListener("online", back);
  }

  #sleep(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

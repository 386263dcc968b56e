/** Keeps a form's fields saved: a little after the last change, one request at a time, again until it succeeds. */

import { send } from "./send.js";

const PAUSE_MS = 700;
const LONGEST_PAUSE_MS = 4000;
const FIRST_RETRY_MS = 2000;
const LONGEST_RETRY_MS = 30_000;
const NO_ENTRY = new Set([401, 403]);

/** After a login in another tab, this page's token is that of a login that has ended. */
async function renewToken() {
  const response = await fetch(location.pathname, { credentials: "same-origin" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const token = page.querySelector("meta[name=csrf]")?.content;
  const meta = document.querySelector("meta[name=csrf]");
  const isNew = Boolean(token) && token !== meta.content;
  if (isNew) {
    meta.content = token;
    for (const field of document.querySelectorAll("input[name=csrf]")) field.value = token;
  }
  return isNew;
}

export class Saver {
  #address;
  #revision;
  #collect;
  #tell;
  #edits = 0;
  #saved = 0;
  #queue = Promise.resolve(true);
  #timer;
  #since = 0;
  #retryMs = 0;
  #conflicted = false;

  /** `collect` gives the fields; `tell` hears `saving`, `saved`, `failed` and `conflicted`. */
  constructor(address, revision, collect, tell) {
    this.#address = address;
    this.#revision = revision;
    this.#collect = collect;
    this.#tell = tell;
    window.addEventListener("online", () => this.#retryMs && this.save(""));
  }

  set address(address) {
    this.#address = address;
  }

  get isSaved() {
    return this.#edits === this.#saved;
  }

  /** Something has changed. */
  mark() {
    this.#edits += 1;
  }

  /** Something has changed, and will be saved soon. */
  touch() {
    this.mark();
    this.#since ||= performance.now();
    const left = this.#since + LONGEST_PAUSE_MS - performance.now();
    this.#later(Math.max(0, Math.min(PAUSE_MS, left)));
  }

  giveUp() {
    this.#saved = this.#edits;
  }

  /**
   * Save now and do what `action` says; resolves to whether it was. `over` saves over what somebody else has saved.
   */
  save(action, options = {}) {
    clearTimeout(this.#timer);
    this.#queue = this.#queue.then(() => this.#attempt(action, options));
    return this.#queue;
  }

  #later(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(""), ms);
  }

  async #attempt(action, { over = false }) {
    if (this.#conflicted && !over) return false;
    if (!action && !over && this.isSaved) return true;
    const edits = this.#edits;
    const wasTrouble = this.#retryMs > 0;
    this.#since = 0;
    this.#tell.saving();
    const sent = this.#collect();
    try {
      const named = action === "settle" ? "save" : action;
      const body = { revision: this.#revision, fields: sent, action: named, over };
      const reply = await this.#send(body);
      this.#revision = reply.revision;
      this.#saved = edits;
      this.#retryMs = 0;
      this.#conflicted = false;
      this.#tell.saved(reply, { sent, action, wasTrouble });
      return true;
    } catch (error) {
      this.#fail(error, action);
      return false;
    }
  }

  async #send(body) {
    try {
      return await send("POST", this.#address, body);
    } catch (error) {
      if (!NO_ENTRY.has(error.status) || !(await renewToken())) throw error;
      return send("POST", this.#address, body);
    }
  }

  #fail(error, action) {
    if (error.status === 409) {
      this.#conflicted = true;
      this.mark();
      this.#tell.conflicted(error.message);
    } else if (error.status && error.status < 500 && !NO_ENTRY.has(error.status)) {
      this.#tell.failed(`Not saved: ${error.message}`);
      if (action && !this.isSaved) this.#later(FIRST_RETRY_MS); // what was typed is saved without it
    } else {
      this.#retry(error, action);
    }
  }

  #retry(error, action) {
    const reason = error.status ? error.message : "offline";
    const isButton = action && action !== "settle";
    this.#tell.failed(
      `Not saved: ${reason}${/[.!]$/.test(reason) ? " Will" : ", will"} retry` + (isButton ? "; then press the button again" : ""),
    );
    this.#retryMs = Math.min(this.#retryMs * 2 || FIRST_RETRY_MS, LONGEST_RETRY_MS);
    if (!this.isSaved) this.#later(this.#retryMs);
  }
}

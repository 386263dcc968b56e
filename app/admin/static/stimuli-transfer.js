/** One file on its way: sent in pieces, gone on with after any interruption, then followed while it is processed. */

import { Refused, send } from "./send.js";

const ADDRESS = "/admin/stimuli/uploads";
const PIECE = 8 * 1024 * 1024;
const SMALLEST_PIECE = 256 * 1024;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30000;
const BUSY_WAIT_MS = 5000;
const FULL = 507;
const LOGGED_OUT = [401, 403];
const KEPT = "likely-human-upload ";

/** Where the token of a file is kept, so that the same file chosen again goes on where it was. */
function keptUnder(file) {
  return `${KEPT}${file.name.slice(0, 300)}|${file.size}|${file.lastModified}`;
}

function kept(file) {
  try {
    return localStorage.getItem(keptUnder(file));
  } catch {
    return null; // no storage: then an upload is begun anew
  }
}

function keep(file, token) {
  try {
    if (token) localStorage.setItem(keptUnder(file), token);
    else localStorage.removeItem(keptUnder(file));
  } catch {
    // as above
  }
}

/** Resolves after the time, or at once when the connection is back or `signal` aborts. */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    addEventListener("online", resolve, { once: true });
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** PATCH with progress, which fetch cannot tell. Throws Refused, or TypeError for a connection that was lost. */
function patch(address, piece, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open("PATCH", address);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-CSRF-Token", document.querySelector("meta[name=csrf]").content);
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded));
    request.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    request.addEventListener("error", () => reject(new TypeError("The connection was lost.")));
    request.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
    request.addEventListener("load", () => {
      let reply = {};
      try {
        reply = JSON.parse(request.responseText);
      } catch {
        reply = { message: `The server answered ${request.status}.`, isForeign: true };
      }
      if (request.status >= 200 && request.status < 300) resolve(reply);
      else reject(new Refused(request.status, reply.message, reply));
    });
    signal.addEventListener("abort", abort);
    request.send(piece);
  });
}

export class Transfer {
  /** `about` is {source, attributes}; `onChange` is called whenever there is something new to show. */
  constructor(file, about, onChange, address = ADDRESS) {
    this.address = address;
    this.file = file;
    this.about = about;
    this.onChange = onChange;
    this.state = "ready"; // ready, sending, lost, paused, waiting, done, refused, cancelled
    this.message = "";
    this.sent = 0;
    this.token = null;
    this.asked = null; // while the server has not answered yet that the upload is begun
    this.stimulus = "";
    this.place = ""; // in the queue of the worker
    this.line = ""; // how long all files in it take
    this.piece = PIECE;
    this.stopper = new AbortController();
  }

  get isOver() {
    return ["done", "refused", "cancelled"].includes(this.state);
  }

  get wantsToSend() {
    return this.state === "ready";
  }

  show(state, message = "") {
    this.state = state;
    this.message = message;
    this.onChange(this);
  }

  refuse(message) {
    keep(this.file, null);
    this.show("refused", message);
  }

  /** Send all that has not come yet. Resolves when that is done, refused, paused or cancelled. */
  async run() {
    const { signal } = (this.stopper = new AbortController()); // a later run has another: this one stays stopped
    this.show("sending");
    let wait = FIRST_WAIT_MS;
    while (!signal.aborted) {
      const before = this.sent;
      try {
        await this.sendAll(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!this.mayPass(error)) return this.giveUp(error);
        if (this.sent > before) wait = FIRST_WAIT_MS;
        const isBusy = error.status === 429;
        this.show("lost", isBusy ? error.message : "The connection was lost; trying again …");
        await pause(isBusy ? BUSY_WAIT_MS : wait, signal);
        wait = Math.min(wait * 2, LONGEST_WAIT_MS);
      }
    }
  }

  /** Whether it may well succeed when tried again. */
  mayPass(error) {
    if (!(error instanceof Refused)) return error instanceof TypeError;
    if (error.status === 404) {
      this.forget(); // what had come is gone: from the beginning
      return true;
    }
    if (error.status === 413 && error.body.isForeign && this.piece > SMALLEST_PIECE) {
      this.piece = Math.max(SMALLEST_PIECE, this.piece / 4); // a proxy in between takes small requests only
      return true;
    }
    return [408, 429].includes(error.status) || (error.status >= 500 && error.status !== FULL);
  }

  giveUp(error) {
    if (LOGGED_OUT.includes(error.status)) this.show("paused", error.message);
    else this.refuse(error.message);
  }

  forget() {
    keep(this.file, null);
    this.token = null;
    this.sent = 0;
  }

  async sendAll(signal) {
    let offset = await this.begin(signal);
    while (offset < this.file.size && !signal.aborted) {
      if (this.state !== "sending") this.show("sending");
      offset = await this.sendPiece(offset, signal);
    }
    if (!signal.aborted) this.show("waiting");
  }

  /** Where to go on: at the start of a new upload, or where an earlier one of the same file stopped. */
  async begin(signal) {
    if (this.asked) return await this.asked;
    this.token ??= kept(this.file);
    if (this.token) {
      try {
        const found = await send("GET", `${this.address}/${this.token}`);
        if (found.status === "receiving") {
          this.sent = found.offset;
          return found.offset < found.bytes ? found.offset : await this.sendPiece(found.offset, signal);
        }
        if (found.status === "waiting") return this.file.size;
      } catch (error) {
        if (error.status !== 404) throw error;
      }
    }
    signal.throwIfAborted();
    this.asked = this.ask().finally(() => (this.asked = null));
    return await this.asked;
  }

  async ask() {
    const { name, size } = this.file;
    const begun = await send("POST", this.address, { file_name: name, bytes: size, ...this.about });
    this.token = begun.token;
    keep(this.file, begun.token);
    return begun.offset;
  }

  async sendPiece(offset, signal) {
    const piece = this.file.slice(offset, offset + this.piece);
    const tell = (loaded) => {
      this.sent = Math.min(offset + loaded, this.file.size);
      this.onChange(this);
    };
    try {
      const got = await patch(`${this.address}/${this.token}?offset=${offset}`, piece, tell, signal);
      this.sent = got.offset;
      return got.offset;
    } catch (error) {
      if (error.status === 409 && Number.isInteger(error.body.offset)) {
        this.sent = error.body.offset;
        return error.body.offset;
      }
      throw error;
    }
  }

  stop() {
    this.stopper.abort();
    this.show("paused");
  }

  async cancel() {
    this.stopper.abort();
    keep(this.file, null);
    this.show("cancelled");
    try {
      await this.asked; // of an upload that is only being begun, too, nothing stays
      keep(this.file, null);
      if (this.token) await send("DELETE", `${this.address}/${this.token}`);
    } catch {
      // it was never begun, is over, or goes stale by itself
    }
  }

  /** While it waits for the worker, or is being processed. */
  async look() {
    try {
      const found = await send("GET", `${this.address}/${this.token}`);
      if (this.state !== "waiting") return;
      this.place = found.place;
      this.line = found.queue ?? "";
      this.processing = found.doing ? { doing: found.doing, done: found.done, total: found.total } : null;
      if (found.status === "waiting") {
        this.onChange(this);
      } else if (found.status === "receiving") {
        this.show("ready"); // another connection sent the end, and was lost before it could say so
      } else {
        keep(this.file, null);
        this.stimulus = found.status === "done" ? found.name : "";
        this.show(found.status, found.message);
      }
    } catch (error) {
      if (error.status === 404) this.refuse("This upload no longer exists.");
    }
  }
}

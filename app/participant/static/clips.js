/** Fetch a clip whole and play it from memory, so that playing never waits for the network. */

const TRIES = 3;
const FIRST_WAIT_MS = 500;
const SILENCE_MS = 15_000;
const METADATA_MS = 15_000;
const CANPLAY_MS = 2_000;

export class ClipError extends Error {
  /** `kind` is `network` or `playing`; `passing` says whether the same request may succeed a moment later. */
  constructor(kind, message, passing = false) {
    super(message);
    this.kind = kind;
    this.passing = passing;
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The body, with the share received told on the way; given up when nothing arrives for a while. */
async function download(url, priority, onProgress) {
  const abort = new AbortController();
  let timer;
  const stillComing = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), SILENCE_MS);
  };
  try {
    stillComing();
    const response = await fetch(url, { priority, signal: abort.signal, credentials: "same-origin" });
    if (!response.ok) throw new ClipError("network", `http ${response.status}`, response.status >= 500);
    const total = Number(response.headers.get("Content-Length"));
    const reader = response.body.getReader();
    const chunks = [];
    let received = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      stillComing();
      chunks.push(part.value);
      received += part.value.length;
      if (total) onProgress(Math.min(received / total, 1));
    }
    return new Blob(chunks, { type: response.headers.get("Content-Type") ?? "video/mp4" });
  } catch (error) {
    if (error instanceof ClipError) throw error;
    throw new ClipError("network", abort.signal.aborted ? "timeout" : "no connection", true);
  } finally {
    clearTimeout(timer);
  }
}

export async function fetchClip(url, { priority = "high", onProgress = () => {} } = {}) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await download(url, priority, onProgress);
    } catch (error) {
      if (!error.passing || attempt === TRIES) throw error;
      await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  }
}

/**
 * Ready once the browser says it can play; or, as some phones decode nothing before the first tap, a little after
 * it knows the clip's length.
 */
function attach(video, address) {
  return new Promise((resolve, reject) => {
    const settled = new AbortController();
    const listen = (name, act) => video.addEventListener(name, act, { signal: settled.signal });
    const settle = (act, value) => {
      clearTimeout(timer);
      settled.abort();
      act(value);
    };
    const fail = (message) => settle(reject, new ClipError("playing", message));
    let timer = setTimeout(() => fail("no metadata"), METADATA_MS);
    listen("loadedmetadata", () => {
      clearTimeout(timer);
      timer = setTimeout(() => settle(resolve), CANPLAY_MS);
    });
    listen("canplay", () => settle(resolve));
    listen("error", () => fail(describe(video)));
    video.src = address;
    video.load();
  });
}

export function describe(video) {
  const names = { 1: "aborted", 2: "network", 3: "decode", 4: "not supported" };
  return names[video.error?.code] ?? "unknown";
}

/** Load `url` into `video`; `onTrouble` hears of a failure that was got round. */
export async function loadClip(video, url, { onProgress, onTrouble }) {
  const memory = URL.createObjectURL(await fetchClip(url, { onProgress }));
  try {
    await attach(video, memory);
  } catch (error) {
    URL.revokeObjectURL(memory);
    onTrouble(`from memory: ${error.message}`);
    await attach(video, url);
  }
}

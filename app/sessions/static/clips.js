/** Fetch a clip whole and play it from memory, so that playing never waits for the network. */

const TRIES = 3;
const FIRST_WAIT_MS = 500;
const KEEP_BYTES = 2 ** 16;
const SILENCE_MS = 15_000;
const METADATA_MS = 15_000;
const CANPLAY_MS = 2_000;

export class ClipError extends Error {
  /** `kind` is `network`, `server` or `playing`; `passing` says whether the same request may succeed a moment later. */
  constructor(kind, message, passing = false) {
    super(message);
    this.kind = kind;
    this.passing = passing;
  }
}

const sizeOf = (parts) => parts.reduce((sum, part) => sum + part.length, 0);

function joined(parts) {
  const whole = new Uint8Array(sizeOf(parts));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Where the body of a reply begins, and how long the whole is (null where that is not said of the body itself). */
function extentOf(response) {
  if (response.headers.has("Content-Encoding")) return { start: 0, total: null };
  if (response.status !== 206) return { start: 0, total: Number(response.headers.get("Content-Length")) || null };
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "") ?? [];
  return { start: Number(start), total: Number(total) };
}

/** Ask for what `clip` lacks. A reply that does not go on where it stops makes it begin again. */
async function ask(url, clip, kept, options) {
  const rest = clip.received ? { headers: { Range: `bytes=${clip.received}-` }, cache: "no-store" } : {};
  const response = await fetch(url, { ...options, ...rest, credentials: "same-origin" });
  const refused = response.status === 416;
  if (!response.ok && !refused) {
    const isBroken = response.status >= 500;
    throw new ClipError(isBroken || response.status === 404 ? "server" : "network", `http ${response.status}`, isBroken);
  }
  if (!refused && !response.headers.get("Content-Type")?.startsWith("video/")) {
    throw new ClipError("network", "not a video", true); // a hotel's log-in page
  }
  const { start, total } = extentOf(response);
  if (clip.received && (refused || start !== clip.received || total !== clip.total)) {
    Object.assign(clip, { parts: [], received: 0, total: null });
    await kept?.forget(url);
    if (refused || start !== 0) throw new ClipError("network", "range", true);
  }
  clip.total = total;
  return response.body.getReader();
}

/** Add the rest of the body to `clip`; given up when nothing arrives for a while. */
async function download(url, clip, { priority, onProgress, kept }) {
  const abort = new AbortController();
  let timer;
  const stillComing = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), SILENCE_MS);
  };
  let unkept = [];
  const keep = () => {
    const bytes = joined(unkept);
    if (clip.total && bytes.length) kept?.add(url, clip.received - bytes.length, clip.total, bytes);
    unkept = [];
  };
  try {
    stillComing();
    const reader = await ask(url, clip, kept, { priority, signal: abort.signal });
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      stillComing();
      clip.parts.push(part.value);
      clip.received += part.value.length;
      unkept.push(part.value);
      if (sizeOf(unkept) >= KEEP_BYTES) keep();
      if (clip.total) onProgress(Math.min(clip.received / clip.total, 1));
    }
    clip.total ??= clip.received;
    if (clip.received !== clip.total) throw new ClipError("network", "cut short", true);
  } catch (error) {
    if (error instanceof ClipError) throw error;
    throw new ClipError("network", abort.signal.aborted ? "timeout" : "no connection", true);
  } finally {
    clearTimeout(timer);
    keep();
  }
}

/** The clip as a Blob. What has arrived of it is not asked for again, by a later try or, with `kept`, a later page. */
export async function fetchClip(url, { priority = "high", onProgress = () => {}, kept = null } = {}) {
  const clip = (await kept?.read(url)) ?? { parts: [], received: 0, total: null };
  for (let tries = 1; clip.received !== clip.total; tries += 1) {
    const before = clip.received;
    try {
      await download(url, clip, { priority, onProgress, kept });
    } catch (error) {
      if (clip.received > before) tries = 1;
      if (!error.passing || tries === TRIES) throw error;
      await sleep(FIRST_WAIT_MS * 2 ** (tries - 1));
    }
  }
  return new Blob(clip.parts, { type: "video/mp4" });
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
export async function loadClip(video, url, { onProgress, onTrouble, kept }) {
  const memory = URL.createObjectURL(await fetchClip(url, { onProgress, kept }));
  try {
    await attach(video, memory);
  } catch (error) {
    URL.revokeObjectURL(memory);
    onTrouble(`from memory: ${error.message}`);
    await kept.forget(url);
    await attach(video, url);
  }
}

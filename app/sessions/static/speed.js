/** How fast a connection is, and whether a browser shows videos smoothly, as far as either can be found out. */

const TRIES = 2;
const LONGEST_MS = 20_000;
const VIDEO = { contentType: 'video/mp4; codecs="avc1.64001f"', bitrate: 4_000_000 };

/**
 * Mbit/s of a file at `address`: the better of two tries where the first is below `enough`; null where nothing came.
 * Timed from the first bytes on, as the way there says nothing of the speed; where most came with these, from the
 * request on.
 */
export async function mbpsOf(address, enough) {
  let best = null;
  for (let tries = 0; tries < TRIES && (best === null || best < enough); tries += 1) {
    const mbps = await timed(address);
    if (mbps !== null) best = Math.max(best ?? 0, mbps);
  }
  return best;
}

async function timed(address) {
  const asked = performance.now();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), LONGEST_MS);
  let first = 0;
  let all = 0;
  let began = null;
  try {
    const response = await fetch(address, { cache: "no-store", credentials: "same-origin", signal: abort.signal });
    if (!response.ok) return null;
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (began === null) {
        began = performance.now();
        first = part.value.length;
      }
      all += part.value.length;
    }
  } catch {
    if (!abort.signal.aborted) return null; // cut off, which says nothing of the speed
  } finally {
    clearTimeout(timer);
  }
  if (!all) return null;
  const isMostFirst = first > all / 2;
  const bytes = isMostFirst ? all : all - first;
  return (8 * bytes) / 1000 / Math.max(performance.now() - (isMostFirst ? asked : began), 1);
}

/** As the browser says by Media Capabilities of a video of `frame`, as `640x400@30`; null where it says nothing. */
export async function showsSmoothly(frame) {
  const [width, height, framerate] = frame.split(/[x@]/).map(Number);
  try {
    const video = { ...VIDEO, width, height, framerate };
    const { supported, smooth } = await navigator.mediaCapabilities.decodingInfo({ type: "file", video });
    return supported && smooth;
  } catch {
    return null;
  }
}

/**
 * What has arrived of this pair's clips and the next one's, kept over the change of page, so that an unfinished
 * download goes on where it stopped. A page forgets all clips but those it names, and pages without clips forget all.
 * Where nothing can be kept (denied, full), nothing is: the clip is then fetched anew.
 */

const DATABASE = "likely-human-clips";
const PARTS = "parts";
const MOST_BYTES = 64 * 2 ** 20; // of one clip
const OPENING_MS = 2_000; // some browsers leave the question open

const nothing = () => ({ parts: [], received: 0, total: null });

function open() {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), OPENING_MS);
    try {
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(PARTS, { keyPath: ["url", "at"] });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

/** The result of one request, or null where it failed. */
async function ask(opening, mode, act) {
  const database = await opening;
  if (!database) return null;
  return new Promise((resolve) => {
    try {
      const transaction = database.transaction(PARTS, mode);
      const request = act(transaction.objectStore(PARTS));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

const allOf = (url) => IDBKeyRange.bound([url, 0], [url, Infinity]);

/** What there is from the first byte on, without a gap. */
function joined(records) {
  const clip = nothing();
  for (const { at, total, bytes } of records) {
    clip.total ??= total;
    const end = at + bytes.byteLength;
    if (total !== clip.total || at > clip.received || end > total) break;
    if (end > clip.received) clip.parts.push(bytes.subarray(clip.received - at));
    clip.received = Math.max(clip.received, end);
  }
  return clip;
}

export class KeptClips {
  #opening = open();
  #urls;

  /** Only the clips at `urls` are kept. An address stands for the same bytes for as long as its session lasts. */
  constructor(urls) {
    this.#urls = new Set(urls);
    this.#forgetOthers();
  }

  async read(url) {
    if (!this.#urls.has(url)) return nothing();
    return joined((await ask(this.#opening, "readonly", (store) => store.getAll(allOf(url)))) ?? []);
  }

  add(url, at, total, bytes) {
    if (!this.#urls.has(url) || total > MOST_BYTES) return;
    ask(this.#opening, "readwrite", (store) => store.put({ url, at, total, bytes }));
  }

  forget(url) {
    return ask(this.#opening, "readwrite", (store) => store.delete(allOf(url)));
  }

  async #forgetOthers() {
    const keys = (await ask(this.#opening, "readonly", (store) => store.getAllKeys())) ?? [];
    const others = new Set(keys.map(([url]) => url).filter((url) => !this.#urls.has(url)));
    for (const url of others) await this.forget(url);
  }
}

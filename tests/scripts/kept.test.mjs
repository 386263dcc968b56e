import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, load, settled } from "./page.mjs";

const { KeptClips } = await load("participant/kept.js");
const A = "/p/abc/clips/a";
const B = "/p/abc/clips/b";
const bytes = (from, to) => Uint8Array.from({ length: to - from }, (_, place) => from + place);
let records;

/** The part of IndexedDB that is used: records by [url, at], each request in a transaction of its own. */
function database() {
  globalThis.IDBKeyRange = { bound: ([low]) => low };
  const transaction = () => {
    const running = { objectStore: () => store };
    queueMicrotask(() => queueMicrotask(() => running.oncomplete()));
    return running;
  };
  const of = (url) => records.filter((one) => one.url === url).sort((one, other) => one.at - other.at);
  const store = {
    getAll: (url) => ({ result: of(url) }),
    getAllKeys: () => ({ result: records.map(({ url, at }) => [url, at]) }),
    put(record) {
      records = [...records.filter(({ url, at }) => url !== record.url || at !== record.at), record];
      return {};
    },
    delete(url) {
      records = records.filter((one) => one.url !== url);
      return {};
    },
  };
  globalThis.indexedDB = {
    open() {
      const request = { result: { transaction } };
      queueMicrotask(() => request.onsuccess());
      return request;
    },
  };
}

beforeEach(() => {
  records = [];
  clock();
  database();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const read = async (kept, url = A) => {
  const { parts, received, total } = await kept.read(url);
  return { bytes: Uint8Array.from(parts.flatMap((part) => [...part])), received, total };
};

test("what one page kept is there for the next, in one piece", async () => {
  const first = new KeptClips([A, B]);
  first.add(A, 30, 100, bytes(30, 60));
  first.add(A, 0, 100, bytes(0, 30));
  first.add(B, 0, 7, bytes(0, 7));
  await settled();
  assert.deepEqual(await read(new KeptClips([A, B])), { bytes: bytes(0, 60), received: 60, total: 100 });
});

test("after a gap, or of another length, nothing is taken; what comes twice is taken once", async () => {
  for (const [parts, expected] of [
    [[[0, 100, 0, 30], [40, 100, 40, 60]], 30],
    [[[10, 100, 10, 60]], 0],
    [[[0, 100, 0, 30], [20, 100, 20, 60]], 60],
    [[[0, 100, 0, 60], [20, 100, 20, 30]], 60],
    [[[0, 100, 0, 30], [30, 90, 30, 60]], 30],
    [[[0, 50, 0, 60]], 0],
  ]) {
    records = parts.map(([at, total, from, to]) => ({ url: A, at, total, bytes: bytes(from, to) }));
    const kept = await read(new KeptClips([A]));
    assert.deepEqual([kept.bytes, kept.received], [bytes(0, expected), expected], JSON.stringify(parts));
  }
});

test("a page forgets all clips but its own, and one without clips forgets all", async () => {
  const kept = new KeptClips([A, B]);
  for (const url of [A, B]) kept.add(url, 0, 9, bytes(0, 9));
  await settled();
  new KeptClips([B]);
  await settled();
  assert.deepEqual(records.map(({ url }) => url), [B]);
  new KeptClips([]);
  await settled();
  assert.deepEqual(records, []);
});

test("clips that are not the page's, and huge ones, are not kept", async () => {
  const kept = new KeptClips([A]);
  kept.add(B, 0, 9, bytes(0, 9));
  kept.add(A, 0, 64 * 2 ** 20 + 1, bytes(0, 9));
  await settled();
  assert.deepEqual(records, []);
  assert.deepEqual(await kept.read(B), { parts: [], received: 0, total: null });
});

test("where nothing can be kept, nothing is, and nothing fails", async () => {
  for (const broken of [
    undefined,
    { open: () => { throw new DOMException("denied", "SecurityError"); } },
    { open() { const request = {}; queueMicrotask(() => request.onerror()); return request; } },
    { open() {
      const result = { transaction() { throw new DOMException("closing", "InvalidStateError"); } };
      const request = { result };
      queueMicrotask(() => request.onsuccess());
      return request;
    } },
  ]) {
    globalThis.indexedDB = broken;
    const kept = new KeptClips([A]);
    kept.add(A, 0, 9, bytes(0, 9));
    assert.deepEqual(await kept.read(A), { parts: [], received: 0, total: null });
    await kept.forget(A);
  }
});

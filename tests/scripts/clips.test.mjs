import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, load, replying, settled, silence } from "./page.mjs";

const { fetchClip } = await load("participant/clips.js");
const ADDRESS = "/p/abc/clips/c1";
const WHOLE = Uint8Array.from({ length: 100 }, (_, place) => place);
let time;
let progress;
let outcome;

beforeEach(() => {
  time = clock();
  progress = [];
  outcome = null;
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

/** Begin to fetch; `outcome` becomes the bytes, or the error. */
function begin(options = {}) {
  fetchClip(ADDRESS, { onProgress: (share) => progress.push(share), ...options })
    .then((blob) => blob.bytes())
    .then(
      (bytes) => (outcome = bytes),
      (error) => (outcome = error),
    );
  return settled();
}

/** A body of `parts` that then ends, or breaks off. */
function body(parts, breaks) {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      if (next < parts.length) controller.enqueue(parts[next++]);
      else if (breaks) controller.error(new TypeError("network"));
      else controller.close();
    },
  });
}

function whole({ until = 100, breaks = until < 100, headers = {} } = {}) {
  const parts = [];
  for (let at = 0; at < until; at += 30) parts.push(WHOLE.slice(at, Math.min(at + 30, until)));
  return new Response(body(parts, breaks), { headers: { "Content-Type": "video/mp4", "Content-Length": "100", ...headers } });
}

function rest(from, { total = 100, said = `bytes ${from}-${total - 1}/${total}` } = {}) {
  const headers = { "Content-Type": "video/mp4", "Content-Range": said };
  return new Response(body([WHOLE.slice(from)]), { status: 206, headers });
}

const ranges = (asked) => asked.map(({ headers }) => headers?.Range);

test("a clip comes whole, and its share is told on the way", async () => {
  const asked = replying(whole());
  await begin();
  assert.deepEqual(outcome, WHOLE);
  assert.deepEqual(progress, [0.3, 0.6, 0.9, 1]);
  assert.deepEqual(ranges(asked), [undefined]);
});

test("after a break only the rest is asked for", async () => {
  const asked = replying(whole({ until: 60 }), rest(60));
  await begin();
  await time.pass(500);
  assert.deepEqual(outcome, WHOLE);
  assert.deepEqual(ranges(asked), [undefined, "bytes=60-"]);
  assert.equal(asked[1].cache, "no-store");
});

test("a body that ends before its length is cut short, not whole", async () => {
  const asked = replying(whole({ until: 60, breaks: false }), rest(60));
  await begin();
  assert.equal(outcome, null);
  await time.pass(500);
  assert.deepEqual(outcome, WHOLE);
  assert.deepEqual(ranges(asked), [undefined, "bytes=60-"]);
});

test("a reply that does not go on where the last one stopped makes it begin again", async () => {
  for (const reply of [rest(50), rest(60, { total: 120 }), rest(60, { said: "nonsense" }), new Response(null, { status: 416 })]) {
    outcome = null;
    const asked = replying(whole({ until: 60 }), reply, whole());
    await begin();
    await time.pass(3000);
    assert.deepEqual(outcome, WHOLE);
    assert.deepEqual(ranges(asked), [undefined, "bytes=60-", undefined]);
  }
});

test("the whole clip in place of the rest is taken as the whole", async () => {
  const asked = replying(whole({ until: 60 }), whole());
  await begin();
  await time.pass(500);
  assert.deepEqual(outcome, WHOLE);
  assert.equal(asked.length, 2);
});

test("without progress it is given up after three tries; with progress it goes on", async () => {
  const lost = new TypeError("network");
  let asked = replying(lost, lost, lost);
  await begin();
  await time.pass(5000);
  assert.deepEqual([outcome.kind, outcome.message, asked.length], ["network", "no connection", 3]);

  outcome = null;
  asked = replying(lost, lost, whole({ until: 30 }), lost, whole({ until: 60, headers: { "Content-Length": "100" } }), whole());
  await begin();
  await time.pass(20_000);
  assert.deepEqual(outcome, WHOLE);
});

test("a clip that is not there is not asked for again; a server in trouble and a hotel's page are", async () => {
  let asked = replying(new Response(null, { status: 404 }));
  await begin();
  assert.deepEqual([outcome.kind, outcome.message, asked.length], ["server", "http 404", 1]);

  outcome = null;
  asked = replying(...[503, 503, 503].map((status) => new Response(null, { status })));
  await begin();
  await time.pass(5000);
  assert.deepEqual([outcome.kind, outcome.message, asked.length], ["server", "http 503", 3], "the fault is said to be the server's");

  outcome = null;
  replying(new Response(null, { status: 403 }));
  await begin();
  assert.equal(outcome.kind, "network", "of who stands between, the server knows nothing");

  outcome = null;
  const hotel = new Response("<title>Hotel</title>", { headers: { "Content-Type": "text/html" } });
  asked = replying(new Response(null, { status: 503 }), hotel, whole());
  await begin();
  await time.pass(1500);
  assert.deepEqual(outcome, WHOLE);
});

test("a connection that brings nothing for 15 seconds is given up and tried again", async () => {
  const asked = replying(silence, whole());
  await begin();
  await time.pass(14_750);
  assert.equal(asked.length, 1);
  await time.pass(750);
  assert.deepEqual(outcome, WHOLE);
});

test("what an earlier page kept is not asked for again, and what arrives is kept without a gap", async () => {
  const added = [];
  const kept = {
    read: async () => ({ parts: [WHOLE.slice(0, 40)], received: 40, total: 100 }),
    add: (url, at, total, bytes) => added.push([url, at, total, bytes.length]),
    forget: async () => {},
  };
  const asked = replying(rest(40));
  await begin({ kept });
  assert.deepEqual(outcome, WHOLE);
  assert.deepEqual(ranges(asked), ["bytes=40-"]);
  assert.deepEqual(added, [[ADDRESS, 40, 100, 60]]);

  kept.read = async () => ({ parts: [WHOLE], received: 100, total: 100 });
  const none = replying();
  await begin({ kept });
  assert.deepEqual(outcome, WHOLE);
  assert.equal(none.length, 0);
});

test("kept bytes of what is another clip by now are forgotten", async () => {
  const forgotten = [];
  const kept = {
    read: async () => ({ parts: [new Uint8Array(40)], received: 40, total: 90 }),
    add: () => {},
    forget: async (url) => void forgotten.push(url),
  };
  replying(rest(40), whole());
  await begin({ kept });
  await time.pass(500);
  assert.deepEqual(outcome, WHOLE);
  assert.deepEqual(forgotten, [ADDRESS]);
});

test("the length of a compressed body is not the clip's", async () => {
  replying(whole({ headers: { "Content-Encoding": "gzip", "Content-Length": "70" } }));
  await begin();
  assert.deepEqual(outcome, WHOLE);
  assert.deepEqual(progress, []);
});

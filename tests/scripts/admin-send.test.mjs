import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { json, load, replying } from "./page.mjs";

const { Refused, send } = await load("experimenter/send.js");

globalThis.document = { querySelector: (selector) => (selector === "meta[name=csrf]" ? { content: "token" } : null) };
afterEach(() => mock.restoreAll());

test("an object goes as JSON with the page's token, anything else as it is", async () => {
  const form = new URLSearchParams({ a: "1" });
  const asked = replying(json({ done: 1 }), json({}), new Response(""));
  assert.deepEqual(await send("POST", "/admin/x", { a: 1 }), { done: 1 });
  await send("POST", "/admin/x", form);
  assert.deepEqual(await send("DELETE", "/admin/x"), {});
  assert.deepEqual(asked.map(({ method, body }) => [method, body]), [["POST", '{"a":1}'], ["POST", form], ["DELETE", undefined]]);
  assert.deepEqual(asked.map(({ headers }) => headers["Content-Type"]), ["application/json", undefined, undefined]);
  for (const { headers, credentials, redirect } of asked) {
    assert.deepEqual([headers["X-CSRF-Token"], credentials, redirect], ["token", "same-origin", "error"]);
  }
});

test("a refusal has the server's status, words and body", async () => {
  replying(json({ message: "Somebody else saved.", revision: 4 }, 409));
  await assert.rejects(send("POST", "/admin/x", {}), (error) => {
    assert.ok(error instanceof Refused);
    assert.deepEqual([error.status, error.message, error.body.revision], [409, "Somebody else saved.", 4]);
    return true;
  });
});

test("a reply in no words of ours is told by its status", async () => {
  for (const reply of [new Response("<h1>Bad gateway</h1>", { status: 502 }), json({}, 502)]) {
    replying(reply);
    await assert.rejects(send("GET", "/admin/x"), { status: 502, message: "The server answered 502." });
  }
});

test("no connection is another error than a refusal", async () => {
  replying(new TypeError("network"));
  await assert.rejects(send("GET", "/admin/x"), (error) => error instanceof TypeError && !(error instanceof Refused));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

process.env.TZ = "Europe/Berlin";
const { inWords } = await load("experimenter/time.js");

test("a time is said in one format with its zone, in summer and in winter", () => {
  assert.equal(inWords(new Date("2026-03-01T12:05:09Z")), "2026-03-01 13:05 GMT+1");
  assert.equal(inWords(new Date("2026-07-31T22:05:09Z")), "2026-08-01 00:05 GMT+2");
  assert.equal(inWords(new Date("2026-03-01T12:05:09Z"), { seconds: true }), "2026-03-01 13:05:09 GMT+1");
});

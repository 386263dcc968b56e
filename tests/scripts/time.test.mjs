import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

process.env.TZ = "Europe/Berlin";
const { inWords, inZone, zoneInWords } = await load("experimenter/time.js");

test("a time is said in one format, in the zone that is named, in summer and in winter", () => {
  assert.equal(zoneInWords(), "Europe/Berlin");
  assert.equal(inWords(new Date("2026-03-01T12:05:09Z")), "1 Mar 2026, 13:05");
  assert.equal(inWords(new Date("2026-07-31T22:05:09Z")), "1 Aug 2026, 00:05");
  assert.equal(inWords(new Date("2026-03-01T12:05:09Z"), { seconds: true }), "1 Mar 2026, 13:05:09");
});

test("times are put into the reader's zone, and a day without a time stays that day", () => {
  const time = { dataset: {}, dateTime: "2026-12-28T23:30:00+00:00", textContent: "28 Dec 2026, 23:30" };
  const day = { dataset: {}, dateTime: "2026-12-28", textContent: "28 Dec 2026" };
  inZone({ querySelectorAll: () => [time, day] });
  assert.deepEqual([time.textContent, day.textContent], ["29 Dec 2026, 00:30", "28 Dec 2026"]);
});

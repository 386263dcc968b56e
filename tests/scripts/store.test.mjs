import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, storage } from "./page.mjs";

const { loadPreference, openStore, savePreference } = await load("participant/store.js");
let entries;
beforeEach(() => {
  entries = storage();
});

test("what is kept of a page is there after a reload, field by field", () => {
  openStore("/p/abc", "submit-1").set({ draft: { rationale: "It turns late" }, rt_ms: 900 });
  openStore("/p/abc", "submit-1").set({ rt_ms: 1800 });
  const again = openStore("/p/abc", "submit-1");
  assert.deepEqual(again.get("draft"), { rationale: "It turns late" });
  assert.equal(again.get("rt_ms"), 1800);
  assert.equal(again.get("playback"), undefined);
});

test("opening a page forgets the session's other pages, and nobody else's", () => {
  openStore("/p/abc", "submit-1").set({ rt_ms: 1 });
  openStore("/p/xyz", "submit-1").set({ rt_ms: 2 });
  savePreference("keys", "off");
  openStore("/p/abc", "submit-2");
  assert.equal(openStore("/p/xyz", "submit-1").get("rt_ms"), 2);
  assert.equal(loadPreference("keys"), "off");
  assert.equal(openStore("/p/abc", "submit-1").get("rt_ms"), undefined);
});

test("a save that comes after the answer was accepted does not bring the record back", () => {
  const store = openStore("/p/abc", "submit-1");
  store.set({ rt_ms: 900 });
  store.close();
  store.set({ rt_ms: 950 });
  assert.deepEqual(entries, {});
});

test("where storage is denied or full, the record lasts as long as the page", () => {
  for (const fault of ["all", "setItem"]) {
    storage({}, fault);
    const store = openStore("/p/abc", "submit-1");
    store.set({ rt_ms: 900 });
    assert.equal(store.get("rt_ms"), 900, fault);
    store.close();
    savePreference("keys", "off");
    assert.equal(loadPreference("keys"), null, fault);
  }
});

test("a record that is no record counts as none", () => {
  for (const text of ["", "null", "7", '"text"', "{broken", undefined]) {
    storage({ "likely-human:/p/abc:submit-1": text });
    assert.equal(openStore("/p/abc", "submit-1").get("rt_ms"), undefined, String(text));
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { charactersLeft, said, worth, written } = await load("game/tells.js");
const { kept } = await load("game/regions.js");

test("an amount is written as the server writes it", () => {
  assert.deepEqual([0, 10_000, -3, 1234.567].map(written), ["0", "10,000", "−3", "1,234.57"]);
});

test("what an amount means is a line: what is left of the whole, or what it is worth now", () => {
  assert.equal(worth(4, "-1", "10"), 6);
  assert.equal(worth(5000, "0.512", "0"), 2560);
});

test("the button says what it will do once everything is chosen", () => {
  assert.equal(said("Offer {amount} to {to}", { amount: "4", to: "Player 3" }), "Offer 4 to Player 3");
  assert.equal(said("Offer {amount} to {to}", { amount: "4" }), null);
  assert.equal(said("Offer: {rest-alice_gain} for me", { "rest-alice_gain": "5,000" }), "Offer: 5,000 for me");
});

test("characters are counted as the server counts them", () => {
  assert.equal(charactersLeft("héllo", 10), 5);
  assert.equal(charactersLeft("👍🏽", 10), 8);
});

test("a part stays that is served the same, or in which somebody types; another is new", () => {
  const before = new Map([["said", "<a>"], ["move-1", "<b>"], ["past", "<c>"]]);
  const after = new Map([["said", "<A>"], ["move-1", "<B>"], ["past", "<c>"], ["leave", "<d>"]]);
  assert.deepEqual([...kept(before, after, new Set(["move-1"]))], ["move-1", "past"]);
  assert.deepEqual([...kept(before, new Map([["move-2", "<b>"]]), new Set(["move-2"]))], []);
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, fire, json, load, open, replying, run, settled, silence, storage } from "./page.mjs";

const { Regions } = await load("game/regions.js");
const lost = new TypeError("network");
const SENDING = '<span data-status></span><span data-countdown></span><button type="button" data-retry hidden>Retry now</button>';
let time;
let page;
let served = 0;

const clockOf = (ms) => `<div data-clock data-remaining="${ms}" data-warn="5000" data-mine="no"><b data-left>-</b><progress></progress></div>`;
const purse = (points, left = "") => `<div data-part="purse"><p>${points} points</p>${left}</div>`;
const leave = () => `<form data-part="leave"><input type="hidden" name="submit_id" value="id-${(served += 1)}"></form>`;
const older = (text) => `<section data-part="past"><details data-keep="older"><summary>Earlier</summary>${text}</details></section>`;

/** The form of a move: its id is another each time that it is served. */
const move = (phase, { value = "", note = "" } = {}) => `<section data-part="move-${phase}" data-typed>
  <form action="/p/abc" data-act="move" data-draft="${phase}"><input type="hidden" name="submit_id" value="id-${(served += 1)}">
  <p data-problem hidden></p><fieldset class="questions"><div data-question="gain"><input type="number" name="gain" value="${value}" required><p data-error>${note}</p></div></fieldset>
  <button type="submit" data-saying="Offer {gain}">Offer</button><button type="submit" name="answer" value="no">Reject</button>${SENDING}</form></section>`;

/** What the server says there is to see. */
function state(version, parts, { acts = "no", headline = version } = {}) {
  const html = `<div data-state data-version="${version}" data-heading="${headline}" data-acts="${acts}"><div data-part="said"><h1 data-headline>${headline}</h1></div>${parts.join("")}</div>`;
  return { version, html };
}

const reply = (...about) => () => json(state(...about));
const find = (selector) => document.querySelector(selector);
const form = () => find("form[data-act]");

/** The page of a match, as it is served; `replies` are what is answered from then on. */
async function opened(first, ...replies) {
  const updates = globalThis.EventSource ? "server-sent-events" : "polls";
  const asked = replying(...replies, silence);
  page = open(
    `<details data-rules><summary>Rules</summary><div class="sheet">One rule</div></details>
    <div data-game data-key="k1" data-action="/p/abc" data-title="A study" data-updates="${updates}"><p data-say></p><p data-clock-say></p><p data-line hidden></p>
    <div data-state-here>${first.html}</div></div><textarea></textarea>`,
    time,
  );
  window.EventSource = globalThis.EventSource;
  await run("game/game.js");
  return asked;
}

const posts = (asked) => asked.filter(({ method }) => method === "POST").map(({ body }) => Object.fromEntries(body));

async function send(submitter = null) {
  fire(form(), "submit", { submitter });
  await settled();
}

function type(value) {
  find("[name=gain]").value = value;
  fire(find("[name=gain]"), "input");
}

beforeEach(() => {
  storage();
  time = clock();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

/** Each state of these parts is shown after the other, and before that `act` is done; which parts were new at the last. */
function shown([first, ...states], act = () => {}) {
  open(`<div id="holder">${state("v0", first).html}</div>`, time);
  const regions = new Regions(find("#holder"));
  act();
  return states.map((parts, at) => regions.show(state(`v${at + 1}`, parts).html)).at(-1).map((part) => part.dataset.part);
}

test("only what has changed is put in place anew; what is being typed in stays, with its id", () => {
  let kept;
  const fresh = shown([[purse(1), older("a"), move("p1", { value: "1" }), leave()], [purse(2), older("a"), move("p1", { note: "other" }), leave()]], () => {
    kept = ["[data-state]", "[data-part=past]", "[name=gain]"].map(find);
    kept[2].value = "55";
    kept[2].focus();
  });
  assert.deepEqual(fresh, ["said", "purse"]);
  assert.deepEqual([find("[data-state]"), find("[data-part=past]"), find("[name=gain]"), document.activeElement], [...kept, kept[2]]);
  assert.deepEqual([find("p").textContent, find("[name=gain]").value, find("[data-state]").dataset.version], ["2 points", "55", "v1"]);
  assert.equal(find("[name=submit_id]").value, `id-${served - 3}`);
  assert.deepEqual(shown([[purse(1)], [purse(2)], [purse(2)]]), ["said"]);
});

test("where parts come or go the others stay themselves, with the focus; one that is gone is the headline's", () => {
  let kept;
  const act = () => {
    kept = find("[name=gain]");
    kept.focus();
  };
  assert.deepEqual(shown([[move("p1")], [purse(1), move("p1")]], act), ["said", "purse"]);
  assert.deepEqual([find("[name=gain]"), document.activeElement], [kept, kept]);
  assert.deepEqual(shown([[move("p1")], [purse(1)]], act), ["said", "purse"]);
  assert.equal(document.activeElement, find("[data-headline]"));
});

test("what was unfolded is unfolded in what comes in its place", () => {
  shown([[older("a")], [older("b")]], () => (find("details").open = true));
  assert.equal(find("details").open, true);
});

test("a part that stays has the server's time; one whose clock goes has none", () => {
  assert.deepEqual(shown([[purse(1, clockOf(9_000))], [purse(1, clockOf(4_000))]]), ["said"]);
  assert.equal(find("[data-clock]").dataset.remaining, "4000");
  assert.deepEqual(shown([[purse(1, clockOf(9_000))], [purse(1)]]), ["said", "purse"]);
  assert.equal(find("[data-clock]"), null);
});

test("news is shown, said once, and scrolled to where it has become one's turn", async () => {
  const turn = (version, headline) => reply(version, [purse(2), move("p1")], { acts: "yes", headline });
  await opened(state("v1", [purse(1)]), reply("v2", [purse(2)], { headline: "Please wait" }), turn("v3", "Make an offer"), turn("v4", "Hurry up"));
  assert.deepEqual([document.title, find("[data-say]").textContent, find("[data-headline]").scrolls], ["Please wait · A study", "Please wait", 0]);
  find("[data-say]").textContent = "";
  await time.pass(1_000);
  assert.deepEqual([document.title, find("[data-say]").textContent, find("[data-headline]").scrolls], ["Make an offer · A study", "Make an offer", 1]);
  type("40");
  assert.deepEqual([Object.values(localStorage), find("button").textContent], [['{"draft":{"gain":"40"}}'], "Offer 40"]);
  await time.pass(1_000);
  assert.deepEqual([find("[data-say]").textContent, find("[data-headline]").scrolls, find("[name=gain]").value], ["Hurry up", 0, "40"]);
});

test("the time that is left is counted down, and at its end it is asked what there is to see", async () => {
  const timed = [purse(1, clockOf(9_000))];
  for (const [first, ...replies] of [[state("v1", timed)], [state("v1", [purse(1)]), reply("v2", timed)]]) {
    time = clock();
    const asked = await opened(first, ...replies, silence);
    await time.pass(1_000);
    assert.equal(find("[data-left]").textContent, "0:08");
    await time.pass(8_000);
    assert.deepEqual([asked.length, asked.at(-1).address], [replies.length + 2, "/p/abc/state?after="]);
  }
});

test("a move is sent once, with the button that was pressed, and what was typed is forgotten when it is stored", async () => {
  const later = [];
  const late = () => new Promise((resolve) => later.push(resolve));
  const asked = await opened(state("v1", [move("p1")], { acts: "yes" }), silence, late, late);
  type("40");
  const [, reject] = document.querySelectorAll("button[type=submit]");
  await send(reject);
  await send(reject);
  assert.deepEqual([posts(asked), find("fieldset").disabled, reject.getAttribute("aria-disabled")], [[{ submit_id: `id-${served}`, gain: "40", answer: "no" }], true, "true"]);
  assert.equal(find("[data-status]").textContent, "Sending…");
  later[0](json({}));
  await settled();
  assert.deepEqual([find("[data-status]").textContent, Object.keys(localStorage), asked.at(-1).address], ["Sent.", [], "/p/abc/state?after="]);
  await send(reject);
  assert.equal(posts(asked).length, 1, "until the page shows what it led to");
  later[1](json(state("v2", [move("p1")])));
  await settled();
  assert.deepEqual([find("[data-status]").textContent, find("fieldset").disabled], ["", false]);
});

test("a move that somebody made in another tab is forgotten, and one that could not be taken is kept; both ask what there is", async () => {
  for (const [status, kept] of [[409, 0], [404, 1]]) {
    storage();
    const asked = await opened(state("v1", [move("p1")]), silence, () => json({}, status), silence);
    type("40");
    await send();
    assert.deepEqual([Object.keys(localStorage).length, asked.at(-1).address], [kept, "/p/abc/state?after="]);
  }
});

test("what is missing is said at its field and not sent; what the server refuses can be sent again", async () => {
  const asked = await opened(state("v1", [move("p1")]), silence, () => json({ errors: { gain: "Too much." } }, 422), () => json({ message: "Not now." }, 422));
  await send();
  assert.deepEqual([posts(asked), find("[data-error]").textContent], [[], "Please answer this question."]);
  type("9");
  await send();
  assert.deepEqual([find("[data-error]").textContent, find("fieldset").disabled, find("[data-problem]").hidden], ["Too much.", false, true]);
  await send();
  assert.deepEqual([find("[data-problem]").textContent, find("[data-problem]").hidden, document.activeElement], ["Not now.", false, find("[data-problem]")]);
  assert.equal(find("[name=gain]").value, "9");
});

test("over a lost line a move is kept and sent again with its id", async () => {
  const asked = await opened(state("v1", [move("p1")]), silence, lost, lost, () => new Promise(() => {}));
  type("40");
  await send();
  assert.match(find("[data-status]").textContent, /^No connection to the study. What you chose is kept/);
  assert.equal(find("[data-retry]").hidden, false);
  fire(find("[data-retry]"), "click");
  await settled();
  await time.pass(2_000);
  assert.deepEqual([posts(asked).length, new Set(posts(asked).map(({ submit_id }) => submit_id)).size], [3, 1]);
});

test("a state that shows another form frees it, though the reply to the last is not there yet", async () => {
  const later = [];
  const late = () => new Promise((resolve) => later.push(resolve));
  const asked = await opened(state("v1", [move("p1")]), late, late, late, late);
  type("40");
  await send();
  later[0](json(state("v2", [purse(1), move("p1")])));
  await settled();
  assert.deepEqual([find("[data-status]").textContent, find("fieldset").disabled], ["Sending…", true], "it is still on its way");
  await time.pass(1_000);
  later[2](json(state("v3", [move("p2")])));
  await settled();
  assert.deepEqual([find("[data-status]").textContent, find("fieldset").disabled], ["", false]);
  type("41");
  await send();
  later[1](json({ message: "Late." }, 422));
  await settled();
  assert.deepEqual([find("[data-status]").textContent, find("fieldset").disabled, find("[data-problem]").hidden], ["Sending…", true, true]);
  assert.deepEqual(posts(asked).map(({ gain }) => gain), ["40", "41"]);
});

test("a page that is over, or comes from memory, is asked for anew", async () => {
  await opened(state("v1", []), () => json({ reload: true }));
  assert.deepEqual(page.went, ["/p/abc"]);
  fire(window, "pageshow", { persisted: false });
  fire(window, "pageshow", { persisted: true });
  assert.deepEqual(page.went, ["/p/abc", "again"]);
});

test("a lost line is said over the page, until it is back", async () => {
  await opened(state("v1", []), lost, reply("v1", []));
  assert.match(find("[data-line]").textContent, /^No connection to the study/);
  assert.equal(find("[data-line]").hidden, false);
  await time.pass(1_000);
  assert.equal(find("[data-line]").hidden, true);
});

test("the second press of a double click presses nothing that has just come", async () => {
  await opened(state("v1", [move("p1")]));
  assert.deepEqual([1, 2].map((detail) => fire(find("button"), "click", { detail }).defaultPrevented), [false, true]);
  assert.equal(fire(find("[data-headline]"), "click", { detail: 2 }).defaultPrevented, false);
});

test("? and R open and close the rules and Escape closes them, but not for who is typing", async () => {
  await opened(state("v1", [purse(1)]));
  const press = (key, more = {}, at = document.body) => fire(at, "keydown", { key, ...more }).defaultPrevented;
  assert.deepEqual([press("r", {}, find("textarea")), press("r", { ctrlKey: true }), press("r", { repeat: true }), press("Escape"), find("details").open, document.activeElement], [false, false, false, false, false, document.body]);
  assert.deepEqual([press("?"), find("details").open, document.activeElement], [true, true, find(".sheet")]);
  press("Escape");
  assert.deepEqual([find("details").open, document.activeElement], [false, find("summary")]);
  press("R");
  press("r");
  assert.equal(find("details").open, false);
});

test("where the study says so, news comes by events", async () => {
  globalThis.EventSource = class extends EventTarget {
    constructor(address) {
      super();
      page.source = Object.assign(this, { address, close() {} });
    }
  };
  const asked = await opened(state("v1", [purse(1)]));
  delete globalThis.EventSource;
  fire(page.source, "message", { data: JSON.stringify(state("v2", [purse(2)])) });
  assert.deepEqual([page.source.address, find("[data-part=purse] p").textContent, asked], ["/p/abc/state/events?after=v1", "2 points", []]);
});

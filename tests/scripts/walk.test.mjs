import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Element, clock, fire, formWith, json, open, replying, run, settled, silence, storage } from "./page.mjs";

const M = 1_000_000;
const MS = 25; // of a frame, and of a tick
const [FORWARD, LEFT, TURN_RIGHT] = [1, 4, 32];
const GREY = { floor: 100, "fine-floor": 200, walls: 50, "fine-walls": 50, sky: 10 };
const lost = () => new TypeError("network");
const hotel = () => new Response("<title>Hotel</title>", { headers: { "Content-Type": "text/html" } });
let time;
let page;
let parts;
let form;
let kept;
let sent;
let forms;
let faults;
let ground;
let broken;

/** What is asked of a canvas: of a picture its grey, of what was drawn the grey at the walker's feet. */
function context() {
  let grey = 0;
  const given = {
    drawImage: ({ src }) => void (grey = GREY[src]),
    getImageData: (x, y, width, height) => ({ data: new Uint8ClampedArray(4 * width * height).fill(grey) }),
    createImageData: (width, height) => ({ data: new Uint8ClampedArray(4 * width * height) }),
    putImageData: ({ data }) => void (parts.feet = data[4 * 14]),
    createRadialGradient: () => ({ addColorStop() {} }),
  };
  return new Proxy(given, { get: (object, name) => object[name] ?? (() => {}) });
}

/** The page of a walk of ten metres square, from one metre eastwards to a goal five metres on, at four metres a second. */
async function opened({ tick = 0, x = 1, most_ticks = 400, over = "", pointer = "fine" } = {}) {
  const n = 100;
  const cells = () => Array(n).fill(0);
  ground = {
    size: 10, cosines: [10_000, 0], apart: 90_000, one: 10_000, base: cells(), slope_x: cells(), slope_y: cells(), obstacle: cells(),
    ring: [], slides: [[10_000, 0]], speed: M / 10, gain: M / 10, key_turn: 3_000, drop: 0, reached: M / 2,
  };
  const picture = (src) => ({ src, per_m: 1 });
  const world = {
    width: 4, height: 4, focal: 2, horizon: 2, eye_m: 1.6, haze: [0, 0, 0], haze_from_m: 1000, haze_length_m: 1, kinds: cells(), ramps: cells(),
    floor: picture("floor"), walls: { ...picture("walls"), width_m: 1, height_m: 1 }, sky: picture("sky"),
    fine: { floor: picture("fine-floor"), walls: picture("fine-walls"), within_m: 10 },
  };
  const at = { tick, walker: [x * M, 5 * M, 0, 0, 0] };
  const settings = { ground, world, goal: { x: 6 * M, y: 5 * M }, at, most_ticks, ticks_per_s: 1000 / MS, over, trial: "t1", batches: "/p/abc/walk" };
  parts = {
    view: new Element({ getContext: context, getBoundingClientRect: () => ({ left: 0, width: 400 }), setPointerCapture() {}, requestPointerLock: mock.fn() }),
    pad: new Element({ getBoundingClientRect: () => ({ left: 0, width: 400 }), setPointerCapture() {} }),
    say: new Element(), line: new Element({ hidden: true }), start: new Element({ hidden: true }), left: new Element(), next: new Element(),
  };
  const inside = Object.fromEntries(Object.entries(parts).map(([name, element]) => [`[data-${name}]`, element]));
  form = formWith({ "[data-next]": parts.next }, { fields: { walked: "", rt_ms: "" } });
  form.requestSubmit = (submitter) => fire(form, "submit", { submitter });
  page = open({ ...inside, "form[data-send]": form }, time);
  Object.assign(document, { getElementById: () => ({ textContent: JSON.stringify(settings) }), createElement: () => new Element({ getContext: context }) });
  globalThis.matchMedia = (query) => ({ matches: query === `(pointer: ${pointer})` });
  globalThis.Image = class {
    width = 10;
    height = 10;
    decode = async () => {
      if (broken) throw new DOMException("no picture", "EncodingError");
    };
  };
  await run("walk/walk.js");
  await draw(MS);
}

const stored = () => json({ tick: sent.at(-1).from + sent.at(-1).steps.length });

/** The server has what was sent, but for the replies that are to be given first. */
function answer({ body }) {
  if (typeof body !== "string") {
    forms.push(Object.fromEntries(body));
    return json({ next: "/p/abc/next" });
  }
  sent.push(JSON.parse(body));
  return (faults.shift() ?? stored)(...arguments);
}

function begun() {
  storage();
  kept = storage({}, null, "sessionStorage");
  time = clock();
}

beforeEach(() => {
  begun();
  [sent, forms, faults, broken] = [[], [], [], false];
  replying(...Array.from({ length: 60 }, () => answer));
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const begin = () => fire(parts.start, "click");
const press = (code, more) => fire(window, "keydown", { code, ...more });
const letGo = (code, more) => fire(window, "keyup", { code, ...more });
const draw = (ms, each = MS) => page.frames(ms, each);
const touch = (name, id, x, y) => fire(parts.view, name, { pointerType: "touch", pointerId: id, clientX: x, clientY: y });
const reported = () => JSON.parse(Object.fromEntries(new FormData(form)).walked);

/** The steps that were sent, each at its tick. */
function steps() {
  const all = [];
  for (const batch of sent) all.splice(batch.from, batch.steps.length, ...batch.steps);
  return all;
}

async function hide(hidden) {
  document.hidden = hidden;
  fire(document, "visibilitychange");
  await settled();
}

test("nothing is walked before the start; then each tick is sent once a second, with what was pressed and drawn", async () => {
  await opened();
  press("KeyD");
  await draw(1_000);
  assert.deepEqual([sent, parts.start.hidden], [[], false]);
  begin();
  press("KeyW");
  await draw(200);
  press("KeyA");
  letGo("KeyW");
  await draw(2_000);
  assert.deepEqual(sent.map(({ from, trial, input }) => [from, trial, input]), [[0, "t1", "keys"], [sent[0].steps.length, "t1", "keys"]]);
  assert.deepEqual(sent[1].fps, [40, 1_000]);
  const keys = steps().map(([held]) => held);
  assert.deepEqual([keys.slice(0, 8), new Set(keys.slice(8))], [Array(8).fill(FORWARD), new Set([LEFT])]);
  assert.deepEqual([parts.left.textContent, parts.start.hidden], ["8 s", true]);
});

test("keys that are not for walking and shortcuts are left alone; a key let go is let go whatever else is held", async () => {
  await opened();
  begin();
  assert.deepEqual([press("KeyX"), press("KeyW", { ctrlKey: true }), press("KeyW", { metaKey: true })].map((event) => event.defaultPrevented), [false, false, false]);
  assert.equal(press("ArrowRight").defaultPrevented, true);
  await draw(100);
  letGo("ArrowRight", { ctrlKey: true });
  await draw(100);
  press("KeyW");
  fire(window, "blur");
  await draw(900);
  const held = steps().map(([keys]) => keys);
  assert.deepEqual([held.slice(0, 4), new Set(held.slice(4))], [Array(4).fill(TURN_RIGHT), new Set([0])]);
});

test("the mouse turns while it is held by the picture or a button is, and not otherwise", async () => {
  await opened();
  const move = (movementX, buttons = 0) => fire(parts.view, "mousemove", { movementX, buttons });
  move(500, 1);
  begin();
  move(100);
  await draw(100);
  move(4, 1);
  await draw(100);
  document.pointerLockElement = parts.view;
  move(-2);
  move(9_999);
  fire(parts.view, "click");
  assert.equal(parts.view.requestPointerLock.mock.callCount(), 2, "at the start, and at a click into the picture");
  await draw(1_000);
  assert.deepEqual(steps().map(([, turn]) => turn).filter(Boolean), [-600, -180_000]);
  assert.equal(sent[0].input, "mouse");
});

test("a finger on the left half walks as far as it is drawn aside, one on the right turns", async () => {
  await opened({ pointer: "coarse" });
  touch("pointerdown", 1, 100, 200);
  touch("pointermove", 1, 100, 100);
  begin();
  assert.equal(parts.view.requestPointerLock.mock.callCount(), 0);
  await draw(MS);
  touch("pointerdown", 1, 100, 200);
  touch("pointermove", 1, 100, 190);
  await draw(MS);
  touch("pointermove", 1, 80, 150);
  touch("pointerdown", 2, 300, 200);
  touch("pointermove", 2, 310, 200);
  touch("pointermove", 2, 310, 200);
  await draw(50);
  touch("pointerup", 1, 80, 150);
  touch("pointermove", 1, 80, 10);
  await draw(1_000);
  assert.deepEqual(steps().slice(0, 6), [[0, 0], [0, 0], [FORWARD | LEFT, -3_000], [FORWARD | LEFT, 0], [0, 0], [0, 0]]);
  assert.equal(sent[0].input, "touch");
});

test("a lost line, a hotel's page and one that brings nothing are told, and no step is lost", async () => {
  for (const [fault, wait] of [[lost, 0], [hotel, 0], [() => json({ message: "trouble" }, 503), 0], [silence, 20_000]]) {
    sent = [];
    faults = [fault];
    await opened({ most_ticks: 4_000 });
    begin();
    press("KeyA");
    await draw(1_000);
    await draw(wait, 250);
    assert.equal(parts.line.hidden, false, `${fault}`);
    await draw(1_000);
    assert.deepEqual([parts.line.hidden, sent[1].from], [true, 0]);
    assert.deepEqual(sent[1].steps.slice(0, sent[0].steps.length), sent[0].steps);
    assert.ok(sent[1].fps[0] >= sent[0].fps[0] + 30, "what was drawn meanwhile counts");
    begun();
  }
});

test("faster than the server's clock is sent again later, and is no trouble of the line", async () => {
  faults = [() => json({ message: "too soon", tick: 0 }, 429)];
  await opened();
  begin();
  await draw(1_000);
  assert.deepEqual([sent.length, parts.line.hidden], [1, true]);
  await draw(1_000);
  assert.deepEqual([sent[1].from, sent[1].fps], [0, [78, 1_950]]);
});

test("where the server has come further it is gone on from there; where it is elsewhere the page is loaded anew", async () => {
  const conflict = (tick) => () => json({ message: "gap", tick }, 409);
  for (const [fault, from, went] of [
    [conflict(7), 7, []],
    [conflict(500), null, ["again"]],
    [() => json({ moved: true }, 404), null, ["again"]],
  ]) {
    [sent, faults] = [[], [fault]];
    await opened();
    begin();
    await draw(1_000);
    assert.deepEqual([page.went, "likely-human.walk.t1" in kept], [went, went.length === 0]);
    if (from !== null) {
      await draw(1_000);
      assert.equal(sent[1].from, from);
    }
    begun();
  }
});

test("a hidden page stands still with no key held, and says for how long it was", async () => {
  await opened();
  begin();
  press("KeyA");
  await draw(1_000);
  await hide(true);
  await draw(3_000);
  await hide(false);
  assert.deepEqual([parts.start.hidden, parts.start.textContent, steps().length], [false, "Go on", 40]);
  begin();
  await draw(1_000);
  assert.deepEqual(steps().slice(40).filter(([keys]) => keys), []);
  assert.deepEqual([reported().hidden_ms, reported().loads, reported().stalls], [3_000, 1, 0]);
});

test("what was walked and reported goes on over a reload, and nothing is walked until it is gone on with", async () => {
  faults = [lost];
  await opened();
  begin();
  press("KeyW");
  await draw(500);
  await hide(true);
  await draw(700);
  fire(window, "pagehide");
  time = clock();
  await opened();
  assert.equal(parts.start.textContent, "Go on");
  await draw(1_000);
  assert.deepEqual([sent.at(-1).from, sent.at(-1).steps], [0, Array(20).fill([FORWARD, 0])]);
  assert.equal(reported().loads, 2);
  begin();
  press("KeyW");
  await draw(800);
  assert.equal(parts.say.textContent, "You have arrived.", "20 ticks of 45 were walked before");
});

test("at the goal the rest is sent first, over a lost line, and then the form with its report", async () => {
  faults = [stored, lost, lost];
  await opened();
  begin();
  press("KeyW");
  await draw(1_200);
  assert.deepEqual([parts.say.textContent, forms, parts.line.hidden], ["You have arrived.", [], false]);
  fire(window, "pagehide");
  assert.equal(JSON.parse(kept["likely-human.walk.t1"]).steps.length, steps().length - sent[0].steps.length, "a page left now has all of it");
  await time.pass(3_000);
  assert.equal(steps().length, 45);
  assert.deepEqual([forms.length, forms[0].rt_ms, JSON.parse(forms[0].walked).loads], [1, String(45 * MS), 1]);
  assert.deepEqual([page.went, "likely-human.walk.t1" in kept], [["/p/abc/next"], false]);
});

test("when the time is over it is said, and a walk that is over at once is sent as it is", async () => {
  await opened({ most_ticks: 20 });
  begin();
  await draw(600);
  assert.deepEqual([parts.say.textContent, steps().length, forms[0].rt_ms], ["The time for this walk is over.", 20, "500"]);
  await opened({ over: "arrived", tick: 90 });
  assert.deepEqual([parts.say.textContent, forms[1].rt_ms, sent.length, parts.start.hidden], ["You have arrived.", "2250", 1, true]);
});

test("a page that stood still catches up six ticks, no more, and reports it", async () => {
  await opened();
  begin();
  await draw(25);
  await draw(2_000, 2_000);
  await draw(1_000);
  assert.deepEqual([reported().stalls, reported().stall_ms], [1, 2_000]);
  assert.equal(steps().length < 50, true);
});

test("near ground is of the fine picture, until frames come too slowly for it", async () => {
  await opened();
  begin();
  await draw(50, 50); // one frame says nothing of a second
  await hide(true);
  await draw(1_000);
  await hide(false);
  begin();
  await draw(1_000);
  assert.equal(parts.feet, 200);
  await draw(1_100, 50);
  await draw(50);
  assert.equal(parts.feet, 100);
});

test("a page without its pictures says so, and whoever cannot walk tells what was reported until then", async () => {
  broken = true;
  await opened();
  assert.deepEqual([parts.say.textContent, parts.start.hidden], ["The map cannot be drawn in this browser.", true]);
  fire(form, "submit", { submitter: new Element({ name: "unable", value: "1" }) });
  await settled();
  const { unable, rt_ms, walked } = forms[0];
  assert.deepEqual([unable, rt_ms, JSON.parse(walked).errors], ["1", "", ["EncodingError: no picture"]]);
  await opened();
  assert.equal(reported().loads, 2);
});

test("the field below the picture takes thumbs as the picture does, and a walk by touch alone is recorded as that", async () => {
  await opened({ pointer: "coarse" });
  begin();
  const thumb = (name, id, x, y) => fire(parts.pad, name, { pointerType: "touch", pointerId: id, clientX: x, clientY: y });
  await draw(1_200);
  thumb("pointerdown", 1, 50, 100);
  thumb("pointermove", 1, 50, 60);
  await draw(2_000);
  assert.ok(steps().some(([held]) => held === FORWARD));
  assert.deepEqual(new Set(sent.map(({ input }) => input)), new Set(["", "touch"]));
});

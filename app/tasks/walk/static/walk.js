// The page of a walk: keys, mouse or touch to steps, a thirtieth of a second each; the server walks them again.

import { enhance } from "./form.js";
import { KEYS, Steps } from "./steps.js";
import { openStore } from "./store.js";
import { Unsent } from "./walk-unsent.js";
import { openView } from "./walk-view.js";
import { _ } from "./words.js";

const TURN = 360_000;
const MDEG_PER_PIXEL = 150;
const MOST_BEHIND = 6; // ticks that are caught up; a longer stall is one
const SEND_MS = 1000;
const TIMEOUT_MS = 20_000;
const SLOW_FPS = 30;
const HELD = {
  KeyW: KEYS.FORWARD,
  ArrowUp: KEYS.FORWARD,
  KeyS: KEYS.BACK,
  ArrowDown: KEYS.BACK,
  KeyA: KEYS.LEFT,
  KeyD: KEYS.RIGHT,
  KeyQ: KEYS.TURN_LEFT,
  KeyE: KEYS.TURN_RIGHT,
  ArrowLeft: KEYS.TURN_LEFT,
  ArrowRight: KEYS.TURN_RIGHT,
};

const form = document.querySelector("form[data-send]");
enhance(form, openStore(form.getAttribute("action"), form.dataset.send));
const settings = JSON.parse(document.getElementById("walk-settings").textContent);
const canvas = document.querySelector("[data-view]");
const say = document.querySelector("[data-say]");
const line = document.querySelector("[data-line]");
const start = document.querySelector("[data-start]");
const left = document.querySelector("[data-left]");

/** What this tab may keep over a reload; nothing where storage is denied, and naming it throws. */
function openStorage() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

const storage = openStorage();
const steps = new Steps(settings.ground);
const unsent = new Unsent(storage, settings.trial, settings.at.tick);
const [x, y, heading, ahead, aside] = settings.at.walker;
let walker = { x, y, heading, ahead, aside };
let before = walker;
const at = { over: settings.over };
const input = { keys: 0, touch: 0, turn: 0, device: "" };
const report = { hidden_ms: 0, loads: 0, stalls: 0, stall_ms: 0, errors: [] };
let drawn = { frames: 0, ms: 0 };
let walking = false;
let walked = 0;
let view = null;

/** The report goes on over reloads; where nothing can be kept, every load is the first. */
function keepReport() {
  try {
    storage?.setItem(`likely-human.walk-report.${settings.trial}`, JSON.stringify(report));
  } catch {
    // full, or denied
  }
}

try {
  Object.assign(report, JSON.parse(storage?.getItem(`likely-human.walk-report.${settings.trial}`) ?? "{}"));
} catch {
  // not what this page wrote
}
report.loads += 1;
keepReport();

const ended = () => (steps.hasArrived(walker, settings.goal) ? "arrived" : unsent.tick >= settings.most_ticks ? "time" : null);

function step(keys, turn) {
  before = walker;
  walker = steps.step(walker, keys, turn);
  walked += 1;
  at.over = ended();
}

for (const [keys, turn] of unsent.steps) if (!at.over) step(keys, turn);

function tick() {
  const turn = Math.max(-180_000, Math.min(180_000, Math.round(input.turn)));
  input.turn = 0;
  const keys = input.keys | input.touch;
  unsent.add(keys, turn);
  step(keys, turn);
}

/** Where to draw from: between the last two ticks, as much of the way as time has gone since. */
function seenFrom(part) {
  const turned = ((((walker.heading - before.heading) % TURN) + 1.5 * TURN) % TURN) - TURN / 2;
  return {
    x: before.x + (walker.x - before.x) * part,
    y: before.y + (walker.y - before.y) * part,
    heading: before.heading + turned * part,
  };
}

function showLeft() {
  const seconds = Math.max(0, Math.ceil((settings.most_ticks - unsent.tick) / settings.ticks_per_s));
  const text = _("{seconds} s", { seconds });
  if (left.textContent !== text) left.textContent = text;
}

function frame() {
  let last = null;
  let due = 0;
  const each = (now) => {
    if (at.over) return finish();
    if (walking && last !== null) {
      const passed = now - last;
      drawn.ms += passed;
      due += (passed * settings.ticks_per_s) / 1000;
      if (due > MOST_BEHIND) {
        report.stalls += 1;
        report.stall_ms += Math.round(passed);
        due = MOST_BEHIND;
      }
      for (; due >= 1 && !at.over; due -= 1) tick();
      view.draw(seenFrom(due), (unsent.tick + due) / settings.ticks_per_s);
      drawn.frames += 1;
      showLeft();
    }
    last = now;
    requestAnimationFrame(each);
  };
  requestAnimationFrame(each);
}

/** Send what is not sent yet; the server's answer, or null where the line is lost. */
async function send() {
  const batch = unsent.batch();
  if (!batch) return { tick: unsent.tick };
  const { frames, ms } = drawn;
  drawn = { frames: 0, ms: 0 };
  if (ms > SEND_MS / 2 && frames * 1000 < SLOW_FPS * ms) view?.coarsen();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(settings.batches, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ trial: settings.trial, ...batch, fps: [frames, Math.round(ms)], input: input.device }),
      credentials: "same-origin",
      signal: abort.signal,
    });
    const reply = await response.json();
    if (reply.moved || (response.status === 409 && !unsent.goesOnFrom(reply.tick))) {
      unsent.forget();
      location.reload();
      return null;
    }
    if (response.status === 429) {
      drawn = { frames: drawn.frames + frames, ms: drawn.ms + ms };
      return null; // what is walked faster than the server's clock goes again a second later
    }
    if (!response.ok && response.status !== 409) throw new Error(reply.message);
    unsent.stored(reply.tick);
    line.hidden = true;
    return response.ok ? reply : null;
  } catch {
    drawn = { frames: drawn.frames + frames, ms: drawn.ms + ms };
    line.hidden = false;
    return null;
  } finally {
    clearTimeout(timer);
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function sending() {
  while (!at.over) {
    await pause(SEND_MS);
    await send();
  }
}

let isOver = false;
async function finish() {
  if (isOver) return;
  isOver = true;
  walking = false;
  document.exitPointerLock?.();
  say.textContent = at.over === "arrived" ? _("You have arrived.") : _("The time for this walk is over.");
  while (unsent.steps.length) if (!(await send())) await pause(SEND_MS);
  unsent.forget();
  const next = form.querySelector("[data-next]");
  next.hidden = false;
  next.focus();
  form.requestSubmit(next);
}

/** The left half of a surface walks, its right half turns. */
function listenToThumbs(surface) {
  const fingers = new Map();
  surface.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" || !walking) return;
    event.preventDefault();
    const box = surface.getBoundingClientRect();
    const walks = event.clientX < box.left + box.width / 2;
    fingers.set(event.pointerId, { walks, x: event.clientX, y: event.clientY });
    surface.setPointerCapture(event.pointerId);
    input.device = "touch";
  });
  surface.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const [across, down] = [event.clientX - finger.x, event.clientY - finger.y];
    if (!finger.walks) {
      input.turn -= across * 2 * MDEG_PER_PIXEL;
      finger.x = event.clientX;
      return;
    }
    const far = (value, more, less) => (value > 15 ? more : value < -15 ? less : 0);
    input.touch = far(-down, KEYS.FORWARD, KEYS.BACK) | far(across, KEYS.RIGHT, KEYS.LEFT);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    surface.addEventListener(name, (event) => {
      if (fingers.get(event.pointerId)?.walks) input.touch = 0;
      fingers.delete(event.pointerId);
    });
  }
}

function listen() {
  const hold = (event, isDown) => {
    const key = HELD[event.code];
    if (!key || !walking) return;
    if (isDown && (event.ctrlKey || event.metaKey || event.altKey)) return; // let go, a key is let go whatever else is held
    event.preventDefault();
    if (isDown && !(input.keys & key)) input.device = "keys";
    input.keys = isDown ? input.keys | key : input.keys & ~key;
  };
  addEventListener("keydown", (event) => hold(event, true));
  addEventListener("keyup", (event) => hold(event, false));
  addEventListener("blur", () => {
    input.keys = input.touch = 0;
  });
  canvas.addEventListener("mousemove", (event) => {
    if (!walking || (document.pointerLockElement !== canvas && !event.buttons)) return;
    input.turn -= event.movementX * MDEG_PER_PIXEL;
    if (event.movementX) input.device = "mouse";
  });
  for (const surface of [canvas, document.querySelector("[data-pad]")]) listenToThumbs(surface);
  addEventListener("pagehide", () => {
    if (unsent.steps.length) unsent.keep();
    keepReport();
  });
  let hiddenAt = 0;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = performance.now();
    else if (hiddenAt) report.hidden_ms += Math.round(performance.now() - hiddenAt);
    if (document.hidden) stop();
    keepReport();
  });
  canvas.addEventListener("click", () => lock());
}

async function lock() {
  if (!walking || matchMedia("(pointer: coarse)").matches) return;
  try {
    await canvas.requestPointerLock?.();
  } catch {
    // without it the mouse turns while a button is held
  }
}

function stop() {
  if (!walking) return;
  walking = false;
  input.keys = input.touch = 0;
  start.hidden = false;
  start.textContent = _("Go on");
}

async function open() {
  say.textContent = _("The map is loading…");
  view = await openView(canvas, settings);
  say.textContent = "";
  if (matchMedia("(pointer: fine)").matches) view.refine().catch(() => {}); // half size does
  view.draw(walker, unsent.tick / settings.ticks_per_s);
  showLeft();
  listen();
  start.hidden = false;
  if (walked || settings.at.tick) start.textContent = _("Go on");
  start.addEventListener("click", () => {
    start.hidden = true;
    walking = true;
    canvas.focus();
    lock();
  });
  frame();
  sending();
}

form.addEventListener("formdata", ({ formData }) => {
  formData.set("walked", JSON.stringify(report));
  if (at.over) formData.set("rt_ms", String(Math.round((unsent.tick * 1000) / settings.ticks_per_s)));
});
if (at.over) finish();
else {
  open().catch((error) => {
    report.errors.push(String(error));
    say.textContent = _("The map cannot be drawn in this browser.");
  });
}

/** What a script finds in a browser and node has not: elements, kept storage, a clock that the test moves. */

import { readdirSync } from "node:fs";
import { registerHooks } from "node:module";
import { mock } from "node:test";
import { documentOf } from "./markup.mjs";

const STATIC = {
  participant: new URL("../../app/sessions/static/", import.meta.url),
  question: new URL("../../app/questions/static/", import.meta.url),
  rating: new URL("../../app/tasks/rating/static/", import.meta.url),
  pair: new URL("../../app/tasks/pair/static/", import.meta.url),
  game: new URL("../../app/tasks/game/static/", import.meta.url),
  walk: new URL("../../app/tasks/walk/static/", import.meta.url),
  experimenter: new URL("../../app/admin/static/", import.meta.url),
};

// A browser finds those of participants' pages in one folder; all are modules by the way in which pages name them.
const SERVED = new Map();
for (const folder of Object.values(STATIC).slice(0, -1)) {
  for (const file of readdirSync(folder)) SERVED.set(file, new URL(file, folder).href);
}
registerHooks({
  resolve(specifier, context, next) {
    const isServed = specifier.startsWith("/static/") || !context.parentURL?.startsWith(STATIC.experimenter.href);
    const url = isServed && SERVED.get(specifier.replace(/^(\.|\/static)\//, ""));
    const found = url ? { url, shortCircuit: true } : next(specifier, context);
    return found.url.includes("/static/") ? { ...found, format: "module" } : found;
  },
});

/** `load("participant/store.js")`: the script itself, as it is served. */
export function load(name, again = "") {
  const [side, file] = name.split("/");
  return import(new URL(file + again, STATIC[side]));
}

let loads = 0;

/** A script that does all when it is loaded: each time it begins anew. */
export async function run(name) {
  loads += 1;
  await load(name, `?${loads}`);
  await settled();
}

/** An element: attributes and properties, and by selector what is found in it, around it, and whether it matches. */
export class Element extends EventTarget {
  textContent = "";
  hidden = false;
  focused = 0;

  constructor(properties = {}, { attributes = {}, inside = {}, around = {}, matching = [] } = {}) {
    super();
    Object.assign(this, properties);
    this.attributes = { ...attributes };
    this.inside = inside;
    this.around = around;
    this.matching = new Set(matching);
    this.placed = [];
  }

  getAttribute = (name) => this.attributes[name] ?? null;
  hasAttribute = (name) => name in this.attributes;
  setAttribute = (name, value) => void (this.attributes[name] = String(value));
  removeAttribute = (name) => void delete this.attributes[name];
  toggleAttribute = (name, on) => (on ? this.setAttribute(name, "") : this.removeAttribute(name));
  querySelector = (selector) => [this.inside[selector] ?? null].flat()[0];
  querySelectorAll = (selector) => [this.inside[selector] ?? []].flat();
  closest = (selector) => this.around[selector] ?? null;
  matches = (selector) => this.matching.has(selector);
  before = (...elements) => void this.placed.push(...elements);
  focus = () => void (this.focused += 1);
}

/** Dispatch an event of which `target` is `element`. */
export function fire(element, name, properties = {}) {
  const event = Object.assign(new Event(name, { cancelable: true, bubbles: true }), properties);
  element.dispatchEvent(event);
  return event;
}

/** `localStorage` over `entries`, which outlive a page; `fault` is thrown by what it names: "all" or "setItem". */
export function storage(entries = {}, fault = null, name = "localStorage") {
  const methods = {
    getItem: (name) => (Object.hasOwn(entries, name) ? entries[name] : null),
    setItem(name, value) {
      if (fault === "setItem") throw new DOMException("full", "QuotaExceededError");
      entries[name] = String(value);
    },
    removeItem: (name) => void delete entries[name],
  };
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      if (fault === "all") throw new DOMException("denied", "SecurityError");
      return Object.assign(Object.create(methods), entries);
    },
  });
  return entries;
}

/** Timers, `performance.now` and `Date` move only by `pass`, which lets what waits for them run on; earlier ones are gone. */
export function clock() {
  let at = 0;
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  mock.method(performance, "now", () => at);
  return {
    async pass(ms, step = 250) {
      for (let left = ms; left > 0; left -= step) {
        const by = Math.min(left, step);
        at += by;
        mock.timers.tick(by);
        await settled();
      }
    },
  };
}

/**
 * The page that a script finds: `inside` by selector, or markup. `went` says where it was sent; `frames` lets pictures be drawn
 * for so long, which move `time`.
 */
export function open(inside, time) {
  const window = new EventTarget();
  const document = typeof inside === "string" ? documentOf(inside) : new Element({ documentElement: { lang: "en" }, getElementById: (id) => inside[`#${id}`] ?? null }, { inside });
  const page = { window, document, went: [], drawn: null };
  const location = Object.assign(new URL("http://localhost/here"), { replace: (address) => page.went.push(address), reload: () => page.went.push("again") });
  const history = { replaceState: (state, title, address) => (location.href = address) };
  const requestAnimationFrame = (act) => void (page.drawn = act);
  const addEventListener = window.addEventListener.bind(window);
  Object.assign(globalThis, { window, document, location, history, requestAnimationFrame, addEventListener, FormData: FormFields });
  page.frames = async (ms, each = 20, move = () => {}) => {
    for (let left = ms; left > 0; left -= each) {
      await time.pass(each, each);
      move(each / 1000);
      const act = page.drawn;
      page.drawn = null;
      act?.(performance.now());
    }
    await settled();
  };
  return page;
}

class FormFields extends Map {
  constructor(form) {
    super(Object.entries(form.fields));
    form.dispatchEvent(Object.assign(new Event("formdata"), { formData: this }));
  }
}

/** A form as pages have it: `fields` are what is entered, by name. */
export function formWith(inside = {}, { fields = {}, dataset = { send: "s1" }, ...more } = {}) {
  const lines = Object.fromEntries(["status", "countdown", "retry", "problem"].map((name) => [`[data-${name}]`, new Element({ hidden: true })]));
  return new Element({ fields: { submit_id: "s1", ...fields }, dataset, ...more }, { attributes: { action: "/p/abc" }, inside: { ...lines, ...inside } });
}

/** Once everything that needs no timer is done. */
export async function settled() {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}

/** `fetch` that gives `replies` one after another (a function, a Response, or an error to throw) and notes what was asked. */
export function replying(...replies) {
  const asked = [];
  mock.method(globalThis, "fetch", async (address, options = {}) => {
    asked.push({ address, ...options });
    const reply = replies.shift();
    if (reply === undefined) throw new Error(`nothing to reply to request ${asked.length}: ${address}`);
    const given = typeof reply === "function" ? await reply(options) : reply;
    if (given instanceof Error) throw given;
    return given;
  });
  return asked;
}

export const json = (data, status = 200) => Response.json(data, { status });

/** A connection that brings nothing until it is given up. */
export const silence = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("given up", "AbortError")));
  });

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { fire, load, open, storage } from "./page.mjs";

const { Preview } = await load("experimenter/design-preview.js");
let went;
let told;
let frame;
let preview;
let widened;

beforeEach(() => storage());

/** The page of a participant beside the form: it is there, or still on its way. */
function opened({ readyState = "complete", clientWidth = 640 } = {}) {
  open(
    `<div data-preview><iframe data-frame></iframe><div data-screen></div><a data-page="trial" href="/trial" aria-current="true">Pair</a>
    <a data-page="consent" href="/consent">Consent</a><div data-widths hidden><button data-width="1280"></button><button data-width="390"></button></div></div>`,
    null,
  );
  [went, told] = [[], []];
  globalThis.ResizeObserver = class {
    observe() {}
  };
  frame = document.querySelector("iframe");
  frame.contentDocument = { readyState };
  frame.contentWindow = { location: { replace: (address) => went.push(address) }, postMessage: (words) => told.push(words) };
  const screen = document.querySelector("[data-screen]");
  Object.assign(screen, { clientWidth, style: { setProperty: (name, value) => (screen.scale = value) } });
  widened = 0;
  preview = new Preview(document.querySelector("[data-preview]"), () => (widened += 1));
  return screen;
}

const pressed = () => document.querySelectorAll("[data-width]").map((button) => button.getAttribute("aria-pressed"));

test("the page that belongs to what is written is shown once, and its link is the current one", () => {
  opened();
  for (const kind of ["consent", "consent", "unknown"]) preview.show(kind);
  assert.deepEqual([went, document.querySelector("[aria-current]").dataset.page], [["/consent"], "consent"]);
  assert.equal(fire(document.querySelector("[data-page=trial]"), "click").defaultPrevented, true);
  assert.deepEqual(went, ["/consent", "/trial"]);
});

test("a page that is there is brought up to date in place, one that is on its way as soon as it is there", () => {
  opened();
  preview.refresh();
  assert.deepEqual(told, ["refresh"]);
  for (const begin of [() => opened({ readyState: "loading" }), () => preview.show("consent")]) {
    told.length = 0;
    begin();
    preview.refresh();
    assert.deepEqual(told, []);
    fire(frame, "load");
    fire(frame, "load");
    assert.deepEqual(told, ["refresh"]);
  }
});

test("it is a phone at first, then as wide as was chosen last, and fits its place", () => {
  let screen = opened({ clientWidth: 800 });
  assert.deepEqual([pressed(), screen.scale, screen.hasAttribute("data-wide")], [["false", "true"], 1, false]);
  fire(document.querySelector("[data-width=1280]"), "click");
  assert.deepEqual([pressed(), screen.scale, screen.hasAttribute("data-wide"), widened], [["true", "false"], 0.625, true, 0]);
  opened({ clientWidth: 800 });
  assert.deepEqual(pressed(), ["true", "false"]);
  screen = opened({ clientWidth: 0 });
  assert.equal(screen.scale, undefined, "a page that is not seen has no size");
});

test("a computer's page that would be too small to be read asks for the whole width", () => {
  opened({ clientWidth: 330 });
  fire(document.querySelector("[data-width=1280]"), "click");
  assert.equal(widened, 1);
  opened({ clientWidth: 330 });
  assert.deepEqual(pressed(), ["false", "true"], "beside the form a phone is shown");
});

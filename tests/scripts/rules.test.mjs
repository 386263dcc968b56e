import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, fire, open, run, settled } from "./page.mjs";

const find = (selector) => document.querySelector(selector);
const all = (selector) => document.querySelectorAll(selector);
const fieldset = (n, values = [10, 10, 20, 20]) => `<fieldset data-mask><legend></legend>${["x", "y", "width", "height"]
  .map((side, at) => `<input data-side="${side}" name="mask.${n}.${side}" value="${values[at]}">`)
  .join("")}<button data-remove hidden>Remove<span></span></button></fieldset>`;
let video;

/** The page of a clip of ten seconds with one mask; a percent of its picture is a pixel. */
async function opened() {
  const trims = ["start", "end"].map((end) => `<input name="trim_${end}_s" value="1"><input type="range" data-trim="trim_${end}_s" hidden>`);
  open(
    `<form data-rules><div data-stage data-duration="10"><video></video><div data-layer hidden></div></div><div data-masks>${fieldset(0)}</div>
    <template data-blank>${fieldset("N")}</template><button data-add hidden>Add</button>${trims.join("")}
    <div data-timeline hidden><div class="kept"></div><div class="now"></div></div><button data-play-kept hidden>Play what is kept</button></form>
    <video data-before></video><video data-after></video><button data-both hidden></button>`,
    null,
  );
  find("[data-layer]").box = { left: 0, top: 0, width: 100, height: 100 };
  for (const each of all("video")) {
    Object.assign(each, { paused: true, currentTime: 0, readyState: 4, videoWidth: 160, videoHeight: 100, play: mock.fn(async () => {}), pause: mock.fn() });
  }
  [video] = all("video");
  await run("experimenter/stimuli-rules.js");
}

const box = (at = 0) => all("[data-mask]").filter((row) => !row.closest("template"))[at].querySelectorAll("[data-side]").map(({ value }) => Number(value));
const point = (name, clientX, clientY, at = window) => fire(at, name, { clientX, clientY, button: 0 });

beforeEach(() => {
  clock();
  return opened();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("a box is moved and sized by keys, and stays within the picture", () => {
  const press = (key, more = {}) => fire(find(".mask-box"), "keydown", { key, ...more }).defaultPrevented;
  for (const [key, more, expected] of [
    ["ArrowLeft", {}, [9, 10, 20, 20]],
    ["ArrowUp", { ctrlKey: true }, [9, 5, 20, 20]],
    ["ArrowUp", { ctrlKey: true }, [9, 0, 20, 20]],
    ["ArrowUp", {}, [9, 0, 20, 20]],
    ["ArrowRight", { shiftKey: true }, [9, 0, 21, 20]],
  ]) {
    assert.equal(press(key, more), true);
    assert.deepEqual(box(), expected);
  }
  for (let n = 0; n < 30; n += 1) press("ArrowRight", { shiftKey: true, ctrlKey: true });
  assert.deepEqual([box(), press("x")], [[9, 0, 91, 20], false]);
  for (let n = 0; n < 2; n += 1) press("ArrowLeft", { ctrlKey: true });
  assert.equal(find(".mask-box").getAttribute("aria-label"), "Mask 1: 0% from the left, 0% from the top, 91% by 20%");
  press("Delete");
  assert.deepEqual([find(".mask-box"), document.activeElement], [null, find("[data-add]")]);
});

test("a box is drawn and dragged by the pointer until it is let go or taken away; a click draws none", () => {
  const layer = find("[data-layer]");
  point("pointerdown", 50, 50, layer);
  point("pointermove", 50.5, 50);
  point("pointerup", 50.5, 50);
  fire(layer, "pointerdown", { clientX: 50, clientY: 50, button: 2 });
  point("pointermove", 80, 80);
  assert.equal(all(".mask-box").length, 1);
  point("pointerdown", 50, 50, layer);
  point("pointermove", 30, 120);
  point("pointercancel", 0, 0);
  point("pointermove", 90, 90);
  assert.deepEqual(box(1), [30, 50, 20, 50]);
  find("[data-add]").focus();
  point("pointerup", 0, 0);
  assert.equal(document.activeElement, find("[data-add]"), "nothing of the last drag is left");
  const [first] = all(".mask-box");
  point("pointerdown", 0, 0, first);
  point("pointermove", 5, 200);
  point("pointerup", 5, 200);
  assert.deepEqual(box(0), [15, 80, 20, 20]);
  point("pointerdown", 0, 0, first.querySelector("i"));
  point("pointermove", -50, 3);
  assert.deepEqual(box(0), [15, 80, 1, 20], "by its corner it is sized");
});

test("a mask that is added has fields of its own, and those that stay are counted anew", () => {
  find("[data-add]").click();
  assert.deepEqual([box(1), all("[data-mask]")[1].querySelector("input").name], [[40, 40, 20, 20], "mask.1.x"]);
  find("[data-remove]").click();
  assert.deepEqual([find("legend").textContent, box(0), all(".mask-box").length], ["Mask 1", [40, 40, 20, 20], 1]);
  find("[data-add]").click();
  assert.equal(all("[data-mask]")[1].querySelector("input").name, "mask.2.x", "a name is not given twice");
});

test("a trim is set by its slider or its field; what is kept is played round and round", () => {
  const [start, end] = all("[data-trim]");
  assert.deepEqual(find(".kept").style, { left: "10%", width: "80%" });
  start.value = 2;
  fire(start, "input");
  assert.deepEqual([find("[name=trim_start_s]").value, video.currentTime, find(".kept").style], ["2", 2, { left: "20%", width: "70%" }]);
  find("[name=trim_end_s]").value = 3;
  fire(find("[name=trim_end_s]"), "input");
  assert.equal(end.value, "3");
  find("[data-play-kept]").click();
  assert.equal(video.play.mock.callCount(), 1);
  Object.assign(video, { paused: false, currentTime: 7.1 });
  fire(video, "play");
  fire(video, "timeupdate");
  assert.deepEqual([video.currentTime, find("[data-play-kept]").textContent], [2, "Pause"]);
  find("[data-play-kept]").click();
  assert.equal(video.pause.mock.callCount(), 1);
  fire(video, "pause");
  video.duration = 20;
  fire(video, "loadedmetadata");
  assert.deepEqual([start.max, find(".kept").style, find("[data-play-kept]").textContent], [20, { left: "10%", width: "75%" }, "Play what is kept"]);
});

test("before and after play from the same moment; an original that cannot be played is a picture", async () => {
  const [, before, after] = all("video");
  find("[data-both]").click();
  await settled();
  assert.deepEqual([before.currentTime, after.currentTime, before.play.mock.callCount(), after.play.mock.callCount()], [1, 0, 1, 1]);
  Object.assign(video, { poster: "/poster.jpg" });
  fire(video, "error");
  assert.deepEqual([find("[data-stage] img").src, find("[data-play-kept]").hidden], ["/poster.jpg", true]);
});

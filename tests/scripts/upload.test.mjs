import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Parser } from "./markup.mjs";
import { clock, fire, json, load, open, replying, run, settled, storage } from "./page.mjs";

const find = (selector) => document.querySelector(selector);
const never = () => new Promise(() => {});
let time;

beforeEach(() => {
  storage();
  time = clock();
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

async function opened(...replies) {
  const row = '<li><b data-name></b><i data-size></i><span data-state></span><progress></progress><button data-pause></button><button data-cancel></button></li>';
  open(
    `<form data-upload data-largest="5000000000"><div data-drop><input type="file" id="files" name="files"></div><input name="source" value=" human "><p class="attribute"><input value="goal"><input value="north"></p>
    <p class="attribute"><input value=""><input value=""></p><button data-send>Upload</button></form><div data-sending hidden><h2>Files</h2><p data-summary></p><p data-line></p><button data-cancel-all></button><ul data-files></ul></div><template data-row>${row}</template>`,
    time,
  );
  find("#files").setCustomValidity = (words) => (find("#files").wrong = words);
  const asked = replying(...replies);
  await run("experimenter/stimuli-upload.js");
  return asked;
}

const file = (name, size = 9) => ({ name, size, lastModified: 1, type: "video/mp4", slice: () => new Blob(["x"]), arrayBuffer: async () => new ArrayBuffer(1) });

function choose(...files) {
  find("#files").files = files;
  fire(find("#files"), "change");
}

async function begin() {
  fire(find("form"), "submit");
  await settled();
}

test("files are sent when the button is pressed, three at a time; what need not be tried is said in a line", async () => {
  const asked = await opened(never, never, never);
  choose(...Array.from({ length: 1_001 }, (_, n) => file(`${n}.mp4`)));
  assert.deepEqual([find("[data-send]").textContent, find("#files").wrong], ["Upload 1001 files", "Choose at most 1000 files at once."]);
  choose(...["a", "b", "c", "d"].map((name) => file(`${name}.mp4`)), file("none.mp4", 0), file("huge.mp4", 6e9));
  assert.deepEqual([asked.length, find("#files").wrong], [0, ""]);
  await begin();
  const states = () => document.querySelectorAll("ul li").map((row) => row.dataset.is);
  assert.deepEqual(states(), ["sending", "sending", "sending", "ready"]);
  assert.equal(find("[data-summary]").textContent, "4 to send. 1 file is empty and not sent: none.mp4. 1 file is larger than 5 GB and not sent: huge.mp4.");
  assert.deepEqual([find("[data-sending]").hidden, document.activeElement, find("[data-send]").textContent], [false, find("h2"), "Upload"]);
});

test("without a source each file has the first word of its name, where all have one; what is written holds for all", async () => {
  const asked = await opened(never, never, never);
  const source = find("[name=source]");
  source.value = "";
  choose(file("clip.mp4"), file("real-1.mp4"));
  assert.equal(source.required, true);
  choose(file("real-01.mp4"), file("Fake 2.mp4"), file("fake_x.mp4"));
  assert.equal(source.required, false);
  await begin();
  assert.deepEqual(asked.map(({ body }) => JSON.parse(body).source), ["real", "fake", "fake"]);
});

test("the sides of chosen videos are measured, of what the browser cannot read none, spread evenly over many files", async () => {
  const { measured, spread } = await load("experimenter/stimuli-frame.js");
  assert.deepEqual([spread([1, 2, 3, 4, 5, 6], 3), spread([1, 2], 3)], [[1, 3, 5], [1, 2]]);
  const files = ["a.mp4", "b.mkv", "c.mp4"].map((name) => file(name));
  const sides = await measured(files, async ({ name }) => (name === "b.mkv" ? null : [1920, 1080]));
  assert.deepEqual(sides, [[1920, 1080], [1920, 1080]]);
});

test("a dropped file is chosen, and whoever leaves while files are on their way is asked", async () => {
  await opened(never);
  const leave = () => fire(window, "beforeunload").defaultPrevented;
  assert.equal(fire(find("[data-drop]"), "drop", { dataTransfer: { files: [file("a.mp4")] } }).defaultPrevented, true);
  assert.equal(leave(), false);
  await begin();
  assert.deepEqual([leave(), find("[data-name]").textContent, find("[data-size]").textContent], [true, "a.mp4", "0.0 kB"]);
  find("[data-cancel-all]").click();
  await settled();
  assert.deepEqual([leave(), find("[data-summary]").textContent], [false, "1 cancelled."]);
});

test("files sent before the page was loaded are followed until each is over, over a lost line", async () => {
  const row = (token) => `<li data-token="${token}"><span data-place></span><form></form></li>`;
  const collections = (n) => `<form data-collection><select><option value="lib">Library (${n} clips)</option></select></form>`;
  globalThis.DOMParser = Parser;
  open(`${collections(0)}<section data-queue><p data-estimate></p>${row("t1")}${row("t2")}</section>`, time);
  const uploads = (...all) => () => json({ uploads: all });
  const asked = replying(
    uploads({ token: "t1", status: "processing", total: 4, done: 1 }, { token: "t2", status: "waiting", place: "2 before it", queue: "About 4 minutes for 2 files." }),
    new TypeError("network"),
    uploads({ token: "t1", status: "done" }, { token: "t2", status: "refused", message: "No video." }),
    new Response(collections(1)),
  );
  await run("experimenter/stimuli-upload.js");
  const places = () => document.querySelectorAll("[data-place]").map((place) => place.textContent);
  await time.pass(1_000);
  assert.deepEqual(places(), ["Being processed 25%", "2 before it"]);
  assert.equal(find("[data-estimate]").textContent, "About 4 minutes for 2 files.");
  await time.pass(2_000);
  assert.deepEqual([places(), document.querySelectorAll("li form").map((form) => form.hidden)], [["In the library", "Refused: No video."], [true, true]]);
  assert.equal(find("[data-estimate]").textContent, "");
  await time.pass(3_000);
  assert.deepEqual([asked.length, find("option").textContent], [4, "Library (1 clips)"]);
});

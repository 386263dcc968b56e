import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { clock, fire, json, open, replying, run, settled, storage } from "./page.mjs";

const find = (selector) => document.querySelector(selector);
const fields = (title, extra = "") => `<section id="basics"><input id="title" name="title" value="${title}"><p data-error id="title-error"></p>
  <input type="hidden" name="open" value="no"><input type="checkbox" id="open" name="open" value="yes">
  <input id="scale" name="scale" value="5" data-settles><textarea id="list" name="list" data-table></textarea>
  <details data-fold="more" id="more"><summary>More</summary><input id="more.why" name="more.why" value=""></details>${extra}</section>`;
let time;
let copied;

async function opened(...replies) {
  const asked = replying(...replies);
  open(
    `<p data-saved></p><p data-said></p><form data-after-saving data-steps><button data-undo disabled></button><button data-redo disabled></button></form><div data-clashes></div><div data-views hidden><button data-view="form"></button><button data-view="page"></button></div>
    <div data-conflict hidden><p data-conflict-words></p><a data-load href="http://localhost/saved">Load</a><button data-copy hidden>Copy</button></div>
    <div data-editor data-shows="form"><div data-faults></div><form data-design data-draft="/draft"><input type="hidden" name="revision" value="3">
    <fieldset data-fields>${fields("Walks")}</fieldset></form>
    <aside data-preview><div data-widths></div><div data-screen></div><iframe data-frame></iframe></aside></div>
    <form data-version data-after-saving><input type="hidden" name="revision" value="3"><p data-to-correct hidden><b data-n-faults></b></p><button data-needs-correcting>Save version 1</button></form>
    <nav data-index><a href="http://localhost/admin/studies/nav/design/basics" data-section="basics">Basics <b data-count></b><span class="vh"> to do</span></a></nav><a id="here" href="#basics">Basics</a>
    <a id="away" href="http://localhost/away">Away</a>`,
    time,
  );
  Object.assign(globalThis, { innerWidth: 1280, ResizeObserver: class { observe() {} } });
  Object.assign(find("[data-frame]"), { contentDocument: { readyState: "complete" }, contentWindow: { postMessage() {} } });
  find("[data-version]").requestSubmit = mock.fn();
  await run("experimenter/design-form.js");
  return asked;
}

const reply = (more = {}, status = 200) => () => json({ revision: 4, marks: {}, n_faults: 0, list: "", saved_at: "2026-03-01T12:05:00Z", ...more }, status);
const bodies = (asked) => asked.map(({ body }) => JSON.parse(body));

function type(id, value) {
  find(`#${id}`).value = value;
  fire(find(`#${id}`), "input");
}

async function press(name, value) {
  fire(find("[data-design]"), "submit", { submitter: { name, value } });
  await settled();
}

beforeEach(() => {
  storage();
  time = clock();
  copied = [];
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard: { writeText: async (text) => copied.push(text) } } });
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("what is typed is saved with all fields, and what is wrong is said at its field, in the index and before a version", async () => {
  const marks = { title: "There are two of this name: choose another." };
  const asked = await opened(reply({ marks, n_faults: 1, counts: { basics: 1 }, list: "<p>One thing</p>" }), reply({ revision: 5 }));
  type("title", "Runs");
  await time.pass(750);
  assert.deepEqual(bodies(asked)[0].fields, { title: "Runs", open: "no", scale: "5", list: "", "more.why": "" });
  const state = () => [find("#title").getAttribute("aria-invalid"), find("[data-count]").textContent, find("[data-needs-correcting]").disabled, find("[data-to-correct]").hidden, find("[data-faults]").innerHTML];
  assert.deepEqual([find("#title-error").textContent, ...state()], ["There are two of this name: choose another.", "true", "1", true, false, "<p>One thing</p>"]);
  assert.deepEqual(document.querySelectorAll("[name=revision]").map(({ value }) => value), ["4", "4"]);
  find("#open").checked = true;
  type("title", "Run");
  await time.pass(750);
  assert.deepEqual([bodies(asked)[1].revision, bodies(asked)[1].fields.open, ...state()], [4, "yes", null, "", false, true, ""]);
});

test("a field that shapes the form counts once it is left; what is typed meanwhile stays, and what was open", async () => {
  let arrive;
  const asked = await opened(reply(), () => new Promise((resolve) => (arrive = resolve)));
  type("scale", "7");
  type("title", "Runs");
  await time.pass(750);
  assert.equal(bodies(asked)[0].fields.scale, "5");
  fire(find("#scale"), "change");
  await time.pass(1);
  assert.deepEqual([bodies(asked)[1].fields.scale, bodies(asked)[1].action], ["7", "save"]);
  type("title", "Runs and walks");
  find("details").open = true;
  find("#title").focus();
  arrive(reply({ html: fields("Runs", "<p>Seven levels</p>") })());
  await settled();
  assert.deepEqual([find("#title").value, find("details").open, document.activeElement.id], ["Runs and walks", true, "title"]);
  assert.match(find("section").textContent, /Seven levels/);
  assert.equal(document.querySelectorAll("input[type=file]").length, 1);
});

test("a list is read from a file in UTF-8 or UTF-16, and one that is neither is refused", async () => {
  const asked = await opened(reply(), reply(), reply());
  const choose = async (bytes) => {
    const file = find("input[type=file]");
    file.files = [new Blob([bytes])];
    fire(file, "input");
    fire(file, "change");
    await settled();
    await settled();
  };
  await choose(new Uint8Array([0xff, 0x41]));
  await time.pass(750);
  assert.deepEqual([asked.length, find("[data-saved]").textContent.startsWith("This file is no text that can be read"), find("[data-said]").textContent !== ""], [0, true, true]);
  await choose("pair,a,b\n");
  assert.deepEqual([bodies(asked)[0].fields.list, bodies(asked)[0].action], ["pair,a,b\n", "save"]);
  const spelled = Buffer.from("\ufeffq\u00fc\tb\n", "utf16le");
  for (const bytes of [spelled, Buffer.from(spelled).swap16()]) {
    await choose(bytes);
    assert.equal(find("#list").value, "q\u00fc\tb\n");
    find("#list").value = "";
  }
  await choose(new Uint8Array([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])); // UTF-32
  assert.equal(find("#list").value, "");
});

test("what was removed can be brought back, all as it was", async () => {
  const asked = await opened(reply({ html: fields("Gone"), undo: "Questions" }), reply({ redo: "Questions" }));
  await press("action", "remove:questions.0");
  assert.match(find("[data-said]").textContent, /^Removed/);
  const steps = () => ["undo", "redo"].map((name) => [find(`[data-${name}]`).disabled, find(`[data-${name}]`).title]);
  assert.deepEqual(steps(), [[false, "Undo: Questions"], [true, ""]]);
  type("title", "Runs");
  await time.pass(750);
  assert.deepEqual(steps(), [[true, ""], [false, "Redo: Questions"]]);
  assert.deepEqual(bodies(asked).map(({ action }) => action), ["remove:questions.0", ""]);
});

test("what two people changed is merged: what is typed meanwhile stays, and where both changed one place mine stands beside theirs", async () => {
  const clashes = `<form id="clashes" tabindex="-1"><input type="hidden" data-mine="title" name="value.1" value="1"></form>`;
  let arrive;
  await opened(() => new Promise((resolve) => (arrive = resolve)));
  type("title", "Runs");
  await time.pass(750);
  type("title", "Runs and walks");
  type("list", "more");
  arrive(reply({ html: fields("Theirs"), merged_with: "ada@example.org", clashes })());
  await settled();
  assert.deepEqual([find("#title").value, find("#list").value, find("[data-mine]").name, find("[data-mine]").value], ["Theirs", "more", "field.1", "Runs and walks"]);
  assert.match(find("[data-saved]").textContent, /with what ada@example.org changed meanwhile/);
});

test("after somebody else's change what was typed can be copied, saved over theirs or given up", async () => {
  const asked = await opened(reply({ message: "Ada has saved." }, 409), reply());
  type("title", "Runs");
  await time.pass(750);
  assert.deepEqual([find("[data-conflict]").hidden, find("[data-conflict-words]").textContent.startsWith("Ada has saved. What you typed is still here")], [false, true]);
  find("[data-copy]").click();
  await settled();
  assert.match(copied[0], /title \(title\)\nRuns\n/);
  assert.doesNotMatch(copied[0], /more.why/, "what is empty is left out");
  navigator.clipboard.writeText = async () => {
    throw new Error("denied");
  };
  find("[data-copy]").click();
  await settled();
  assert.equal(find("[data-copy]").textContent, "Your browser does not let this page copy");
  assert.equal(fire(find("[data-load]"), "click").defaultPrevented, false);
  assert.equal(fire(window, "beforeunload").defaultPrevented, false, "nobody is asked about what was given up");
  await press("over", "yes");
  assert.deepEqual([bodies(asked)[1].over, find("[data-conflict]").hidden], [true, true]);
});

test("a page that is left or hidden saves first; other windows and places on the page are nobody's leaving", async () => {
  const asked = await opened(reply(), reply(), reply());
  const away = find("#away");
  assert.deepEqual([fire(away, "click").defaultPrevented, fire(window, "beforeunload").defaultPrevented], [false, false], "all is saved");
  type("title", "Runs");
  for (const more of [{ ctrlKey: true }, { shiftKey: true }]) assert.equal(fire(away, "click", more).defaultPrevented, false);
  assert.equal(fire(find("#here"), "click").defaultPrevented, false);
  assert.equal(fire(away, "click").defaultPrevented, true);
  await settled();
  assert.deepEqual([asked.length, location.href], [1, "http://localhost/away"]);
  type("title", "Run");
  assert.equal(fire(window, "beforeunload").defaultPrevented, true);
  await settled();
  type("title", "R");
  document.hidden = true;
  fire(document, "visibilitychange");
  await settled();
  assert.deepEqual(bodies(asked).map((body) => body.fields.title), ["Runs", "Run", "R"]);
});

test("a version is of what was typed last: that is saved first, and no version is made where it cannot be", async () => {
  await opened(reply(), reply({ marks: { "": "No pair: add one." }, n_faults: 1 }));
  const button = find("[data-needs-correcting]");
  const submit = async () => {
    const { defaultPrevented } = fire(find("[data-version]"), "submit", { submitter: button });
    await settled();
    return [defaultPrevented, find("[data-version]").requestSubmit.mock.callCount()];
  };
  assert.deepEqual(await submit(), [false, 0]);
  type("title", "Runs");
  assert.deepEqual(await submit(), [true, 1]);
  type("title", "");
  assert.deepEqual(await submit(), [true, 1]);
});

test("what is open stays with its entry when entries are moved or removed", async () => {
  const cards = (...open) => open.map((is, at) => `<details data-fold="rows.${at}"${is ? " open" : ""} id="rows.${at}"><summary>Row</summary><details data-fold="rows.${at}.more"${is ? " open" : ""}></details><p data-error></p></details>`).join("");
  const list = (...open) => `<section>${cards(...open)}</section>`;
  const asked = await opened(reply({ html: list(false, true, true) }), reply({ html: list(true, false, false) }), reply({ html: list(false, false) }));
  const states = () => [...document.querySelectorAll("[data-fold]")].filter(({ dataset }) => dataset.fold.startsWith("rows")).map(({ open: is }) => Boolean(is));
  await press("action", "add:rows");
  assert.deepEqual(states(), [false, false, true, true, true, true]);
  find('[data-fold="rows.2"]').open = false;
  find('[data-fold="rows.2.more"]').open = false;
  await press("action", "up:rows.1");
  assert.deepEqual(states(), [true, true, false, false, false, false]);
  await press("action", "remove:rows.1");
  assert.deepEqual(states(), [true, true, false, false]);
  assert.equal(asked.length, 3);
});

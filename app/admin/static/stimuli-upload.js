/** The upload page: many files at once, three on their way at a time, each with its own progress and its own end. */

import { send } from "./send.js";
import { measured } from "./stimuli-frame.js";
import { Transfer } from "./stimuli-transfer.js";

const AT_ONCE = 3;
const MOST_FILES = 1000;
const FOLLOWED_AT_ONCE = 4;
const LOOK_MS = 1000;
const NAMED = 3;
const CONFLICT = 409;

const form = document.querySelector("[data-upload]");
if (form) start();
const queue = document.querySelector("[data-queue]");
if (queue) setTimeout(followQueue, LOOK_MS);

/** The first word of a file's name, before a number or another word: `human` of `human-01.mp4`; empty without one. */
function sourceOf(name) {
  return name.match(/^([A-Za-z][A-Za-z]*)[-_. ]?\d|^([A-Za-z][A-Za-z]*)[-_ ]/)?.slice(1).find(Boolean)?.toLowerCase() ?? "";
}

/** The numbers in the list of collections, after something has come into one of them. */
async function recount() {
  const list = document.querySelector("[data-collection] select");
  const answer = list && (await fetch(location.href).catch(() => null));
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const option of list.querySelectorAll("option")) {
    const now = page.querySelector(`[data-collection] option[value="${option.value}"]`);
    if (now) option.textContent = now.textContent;
  }
}

/** Files that were sent before this page was loaded: their places, until each is over. */
async function followQueue() {
  let more = false;
  try {
    const { uploads } = await send("GET", "/admin/stimuli/uploads");
    for (const row of queue.querySelectorAll("[data-token]")) {
      const found = uploads.find((each) => each.token === row.dataset.token);
      if (!found) continue;
      const share = found.total ? ` ${Math.floor((100 * found.done) / found.total)}%` : "";
      const over = { done: "In the library", refused: `Refused: ${found.message}`, cancelled: "Cancelled" };
      row.querySelector("[data-place]").textContent = over[found.status] ?? (found.place || `Being processed${share}`);
      if (found.status in over) row.removeAttribute("data-token");
      more ||= found.status === "done";
      row.querySelector("form").hidden = found.status in over;
    }
    queue.querySelector("[data-estimate]").textContent = uploads.find((each) => each.queue)?.queue ?? "";
  } catch (error) {
    if (error.status) return; // logged out: the page as it is says enough
  }
  if (more) await recount();
  if (queue.querySelector("[data-token]")) setTimeout(followQueue, LOOK_MS);
}

function start() {
  const drop = form.querySelector("[data-drop]");
  const input = form.querySelector("#files");
  const section = document.querySelector("[data-sending]");
  const list = document.querySelector("[data-files]");
  const summary = document.querySelector("[data-summary]");
  const button = form.querySelector("[data-send]");
  const blank = document.querySelector("template[data-row]");
  const frame = form.querySelector("[data-frame]");
  const largest = Number(form.dataset.largest);
  const transfers = [];
  let chosen = [];
  let refused = [];
  let proposed = Promise.resolve();
  let counted = 0;
  let counting = Promise.resolve();

  form.elements.source.addEventListener("input", byName);
  for (const element of document.querySelectorAll("[data-only-script]")) element.hidden = false;
  for (const element of document.querySelectorAll("[data-no-script]")) element.hidden = true;

  input.addEventListener("change", () => choose([...input.files]));
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    choose([...event.dataTransfer.files]);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await settled()) begin();
  });
  for (const side of frame?.querySelectorAll("input") ?? []) {
    side.addEventListener("input", () => (frame.dataset.typed = "yes"));
  }
  addEventListener("beforeunload", (event) => {
    if (transfers.some((each) => ["sending", "lost", "ready"].includes(each.state))) event.preventDefault();
  });
  document.querySelector("[data-cancel-all]").addEventListener("click", () => {
    for (const each of transfers.filter((one) => !one.isOver)) each.cancel();
  });
  setInterval(follow, LOOK_MS);
  // Chosen before this script was here, or given back by the browser with the page.
  if (input.files?.length) input.dispatchEvent(new Event("change"));

  /** What was chosen waits for the button, so that the source can still be typed. */
  function choose(files) {
    chosen = files;
    input.setCustomValidity("");
    input.required = !files.length;
    button.textContent = files.length > 1 ? `Upload ${files.length} files` : "Upload";
    if (files.length > MOST_FILES) input.setCustomValidity(`Choose at most ${MOST_FILES} files at once.`);
    if (files.length) button.focus({ preventScroll: true });
    if (frame && !frame.hidden) proposed = propose(files);
    byName();
  }

  /** Without a source for all, each file's is the first word of its name, where every file has one. */
  function byName() {
    const source = form.elements.source;
    const found = new Map();
    for (const file of chosen) found.set(sourceOf(file.name), (found.get(sourceOf(file.name)) ?? 0) + 1);
    const fits = !source.value.trim() && chosen.length > 0 && !found.has("");
    source.required = !fits;
    const note = form.querySelector("[data-by-name]");
    if (!note) return;
    const list = [...found].map(([name, n]) => `${n} ${name}`).join(", ");
    const without = chosen.filter((file) => !sourceOf(file.name));
    const says = fits ? `Sources from the names of the files: ${list}. Write a source above if all files are of one.` : nameless(without);
    note.textContent = source.value.trim() ? "" : says;
    note.hidden = !note.textContent;
    source.setCustomValidity(without.length && !source.value.trim() ? nameless(without) : "");
  }

  /** Files whose names begin with no word from which a source could be taken. */
  function nameless(files) {
    if (!files.length) return "";
    const names = files.slice(0, NAMED).map((file) => file.name.slice(0, 80)).join(", ");
    const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : "";
    return `No source can be read from ${names}${more}: write one for all files, or name each as human-01.mp4.`;
  }

  /** The frame that the server proposes for the shapes of these files; what was typed stays. */
  async function propose(files) {
    if (!frame.dataset.typed) form.elements.width.value = form.elements.height.value = "";
    const sizes = await measured(files);
    if (files !== chosen || !sizes.length || frame.dataset.typed) return;
    const list = sizes.map(([width, height]) => `${width}x${height}`).join(",");
    const found = await send("GET", `/admin/stimuli/frame-size?sizes=${list}`).catch(() => null);
    if (!found?.width || files !== chosen || frame.dataset.typed) return;
    form.elements.width.value = found.width;
    form.elements.height.value = found.height;
    frame.querySelector("[data-frame-says]").textContent = `${found.says} Change it here if you want another one; later every clip has to be processed again.`;
  }

  /** The frame is set before the first file is sent; false where it was refused, with the reason at its place. */
  async function settled() {
    if (!frame || frame.hidden) return true;
    await proposed; // whoever presses before the videos are measured gets the proposal as well
    if (!form.elements.width.value) return true;
    const sides = { width: Number(form.elements.width.value), height: Number(form.elements.height.value) };
    try {
      await send("PUT", "/admin/stimuli/frame-size", { collection: "", ...into(), ...sides });
    } catch (error) {
      if (error.status === CONFLICT) return elsewhere(error.message);
      frame.querySelector("[data-frame-says]").textContent = error.message;
      form.elements.width.focus();
      return false;
    }
    frame.hidden = true;
    return true;
  }

  /** Another frame is in force meanwhile: it is said, and the button sends the files into that one. */
  function elsewhere(message) {
    const note = form.querySelector("[data-frame-settled]");
    note.textContent = `${message} Press Upload again, and these clips get that frame.`;
    note.hidden = false;
    frame.hidden = true;
    button.focus();
    return false;
  }

  function begin() {
    const source = form.elements.source.value.trim();
    const about = { attributes: attributes(), ...into() };
    const empty = chosen.filter((file) => file.size === 0);
    const huge = chosen.filter((file) => file.size > largest);
    refused = [refusal(empty, "empty"), refusal(huge, `larger than ${largest / 1e9} GB`)].filter(Boolean);
    for (const file of chosen) {
      if (file.size === 0 || file.size > largest) continue;
      const transfer = new Transfer(file, { source: source || sourceOf(file.name), ...about }, show);
      transfers.push(transfer);
      row(transfer);
    }
    section.hidden = false;
    section.querySelector("h2").focus();
    form.elements.files.value = "";
    choose([]);
    next();
    summarize();
  }

  /** The collection that the page is about; none is the library. */
  function into() {
    const collection = form.elements.collection?.value;
    return collection ? { collection } : {};
  }

  function attributes() {
    const found = {};
    for (const line of form.querySelectorAll(".attribute")) {
      const [key, value] = [...line.querySelectorAll("input")].map((each) => each.value.trim());
      if (key || value) found[key] = value;
    }
    return found;
  }

  /** Files that need not even be tried, in one line however many they are. */
  function refusal(files, what) {
    if (!files.length) return "";
    const names = files.slice(0, NAMED).map((file) => file.name.slice(0, 80)).join(", ");
    const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : "";
    return `${files.length} ${files.length === 1 ? "file is" : "files are"} ${what} and not sent: ${names}${more}.`;
  }

  function next() {
    const free = AT_ONCE - transfers.filter((each) => ["sending", "lost"].includes(each.state)).length;
    for (const transfer of transfers.filter((each) => each.wantsToSend).slice(0, Math.max(free, 0))) {
      transfer.run().finally(next);
    }
  }

  /** The worker takes files in the order in which they came, so the first few say enough. */
  function follow() {
    const waiting = transfers.filter((each) => each.state === "waiting");
    for (const transfer of waiting.slice(0, FOLLOWED_AT_ONCE)) transfer.look();
    next();
    const done = transfers.filter((each) => each.state === "done").length;
    if (done === counted) return;
    counted = done;
    counting = counting.then(recount); // one at a time, or an older answer might come last
  }

  function row(transfer) {
    const element = blank.content.firstElementChild.cloneNode(true);
    transfer.row = element;
    element.querySelector("[data-name]").textContent = transfer.file.name.slice(0, 160);
    element.querySelector("[data-size]").textContent = megabytes(transfer.file.size);
    element.querySelector("progress").setAttribute("aria-label", `Progress of ${transfer.file.name.slice(0, 80)}`);
    const pausing = element.querySelector("[data-pause]");
    pausing.addEventListener("click", () => (transfer.state === "paused" ? resume(transfer) : transfer.stop()));
    element.querySelector("[data-cancel]").addEventListener("click", () => transfer.cancel());
    list.append(element);
    show(transfer);
  }

  function resume(transfer) {
    transfer.show("ready");
    next();
  }

  function show(transfer) {
    const { row: element, state, file } = transfer;
    if (!element) return;
    const bar = element.querySelector("progress");
    element.dataset.is = state;
    element.querySelector("[data-state]").textContent = words(transfer);
    if (state === "done") link(element.querySelector("[data-state]"), transfer);
    bar.hidden = transfer.isOver;
    if (state === "waiting" && !transfer.processing?.total) bar.removeAttribute("value");
    else bar.value = state === "waiting" ? transfer.processing.done / transfer.processing.total : transfer.sent / file.size;
    const pausing = element.querySelector("[data-pause]");
    pausing.hidden = !["sending", "lost", "paused", "ready"].includes(state);
    pausing.textContent = state === "paused" ? "Go on" : "Pause";
    element.querySelector("[data-cancel]").hidden = transfer.isOver;
    summarize();
  }

  function words(transfer) {
    const percent = Math.floor((100 * transfer.sent) / transfer.file.size);
    switch (transfer.state) {
      case "ready": return "Waiting for its turn";
      case "sending": return `Sending, ${percent}%`;
      case "lost": return `${transfer.message} (${percent}% sent)`;
      case "paused": return `Paused at ${percent}%. ${transfer.message}`;
      case "waiting": return processing(transfer);
      case "done": return "In the library";
      case "refused": return `Refused: ${transfer.message}`;
      default: return "Cancelled";
    }
  }

  function processing(transfer) {
    const at = transfer.processing;
    if (!at) return transfer.place ? `Sent. ${transfer.place}` : "Sent; waiting to be processed";
    return at.total ? `Being processed, ${Math.floor((100 * at.done) / at.total)}%` : "Being looked at";
  }

  function link(element, transfer) {
    const anchor = document.createElement("a");
    anchor.href = `/admin/stimuli/${encodeURIComponent(transfer.stimulus)}/edit`;
    anchor.textContent = transfer.stimulus;
    element.textContent = "In the library as ";
    element.append(anchor, transfer.message ? `. ${transfer.message}` : "");
  }

  /** One sentence for all, said aloud by a screen reader when it changes; not with each percent. */
  function summarize() {
    const count = (...states) => transfers.filter((each) => states.includes(each.state)).length;
    const parts = [
      [count("sending", "lost", "ready", "paused"), "to send"],
      [count("waiting"), "to be processed"],
      [count("done"), "in the library"],
      [count("refused"), "refused"],
      [count("cancelled"), "cancelled"],
    ];
    const counts = parts.filter(([n]) => n).map(([n, what]) => `${n} ${what}`).join(", ");
    const text = [counts && `${counts}.`, ...refused].filter(Boolean).join(" ");
    if (summary.textContent !== text) summary.textContent = text;
    const all = document.querySelector("[data-cancel-all]");
    const isOver = transfers.every((each) => each.isOver);
    // A hidden button loses the focus to the whole page.
    if (isOver && document.activeElement === all) document.querySelector("#sending").focus({ preventScroll: true });
    all.hidden = isOver;
    const waiting = transfers.filter((each) => each.state === "waiting" && each.line);
    document.querySelector("[data-line]").textContent = waiting.at(-1)?.line ?? "";
  }

  function megabytes(bytes) {
    return bytes < 100000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  }
}

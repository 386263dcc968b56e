/** The design's form: saved while one writes; buttons change its shape; what is wrong is said at its field. */

import { inWords } from "./time.js";
import { fold, foldsAfter } from "./design-folds.js";
import { Preview } from "./design-preview.js";
import { Saver } from "./design-saving.js";

const form = document.querySelector("[data-design]");
const fields = form.querySelector("[data-fields]");
const editor = document.querySelector("[data-editor]");
const saved = document.querySelector("[data-saved]");
const said = document.querySelector("[data-said]");
const conflict = document.querySelector("[data-conflict]");
const steps = document.querySelector("[data-steps]");
const clashed = document.querySelector("[data-clashes]");
const versionForm = document.querySelector("[data-version]");
const views = document.querySelector("[data-views]");
const preview = new Preview(document.querySelector("[data-preview]"), () => showView("page"));

const byId = (id) => (id ? document.getElementById(id) : null);
const isPick = (entry) => entry.type === "checkbox" || entry.type === "radio";

const settles = (entry) => entry.dataset.settles !== undefined;

// What is typed into a field that shapes the form counts once it is left, or Enter pressed in it.
const valueNow = (entry) => (entry.dataset.settling === undefined ? entry.value : entry.defaultValue);

/** Every field by its name; of a box that is not ticked, its `no`. */
function collect() {
  const values = {};
  for (const entry of fields.elements) {
    if (!entry.name || entry.type === "submit" || (isPick(entry) && !entry.checked)) continue;
    values[entry.name] = valueNow(entry);
  }
  return values;
}

let shownList = "";
const designAt = location.pathname.replace(/\/design\/.*/, "/design");

/** The card that was just added: nothing in it is called wrong before it is left. */
function renew(place) {
  form.dataset.new = place;
  saver.address = `${form.dataset.draft}${place ? `&new=${encodeURIComponent(place)}` : ""}`;
}

/** Once a new card is left, what is missing in it is said. */
function listenToNew() {
  form.addEventListener("focusout", ({ target, relatedTarget }) => {
    const card = form.dataset.new && byId(form.dataset.new);
    if (!card || !card.contains(target) || card.contains(relatedTarget)) return;
    renew("");
    saver.mark();
    saver.save("");
  });
  if (form.dataset.new) renew(form.dataset.new);
}

/** What is wrong, at each field and in the list; the focus stays where it is. */
function showFaults({ marks = {}, list, counts, n_faults: total }) {
  for (const line of form.querySelectorAll("[data-error]")) {
    const place = line.id.replace(/-error$/, "");
    const text = marks[place] ?? "";
    if (line.textContent !== text) line.textContent = text;
    const entry = byId(place);
    if (!entry?.matches("input, select, textarea")) continue;
    if (text) entry.setAttribute("aria-invalid", "true");
    else entry.removeAttribute("aria-invalid");
  }
  countFaults(counts);
  if (list !== shownList) document.querySelector("[data-faults]").innerHTML = list;
  shownList = list;
  if (!versionForm) return;
  versionForm.querySelector("[data-needs-correcting]").disabled = total > 0;
  versionForm.querySelector("[data-to-correct]").hidden = total === 0;
  versionForm.querySelector("[data-n-faults]").textContent = total;
}

/** How many things are missing in each section, in the index. */
function countFaults(counts) {
  for (const link of document.querySelectorAll("[data-index] [data-section]")) {
    link.querySelector("[data-count]").textContent = counts?.[link.dataset.section] || "";
    link.querySelector(".vh").hidden = !counts?.[link.dataset.section];
  }
}

/** A part of the section that is open is led to: on a telephone the list lies over the page, and goes. */
function leaveIndex() {
  const index = document.querySelector("[data-index]");
  index.addEventListener("click", ({ target }) => {
    if (target.closest("[data-within]") && index.matches(":popover-open")) index.hidePopover();
  });
}

/** What fields and groups come to, below them. */
function showSums(sums) {
  for (const box of form.querySelectorAll("[data-sums]")) {
    const lines = sums[box.dataset.sums] ?? [];
    box.replaceChildren(...lines.map((textContent) => Object.assign(document.createElement("p"), { className: "sum", textContent })));
  }
}

/** What is folded round an element is opened. */
function unfold(element) {
  for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

/** A list may be read from a file into its field. */
function offerFiles() {
  for (const area of fields.querySelectorAll("[data-table]")) {
    if (fields.disabled) return;
    const label = document.createElement("label");
    label.className = "from-file";
    label.textContent = "Read it from a CSV file ";
    const file = Object.assign(document.createElement("input"), { type: "file", accept: ".csv,text/csv,text/plain" });
    file.dataset.into = area.id;
    file.dataset.noSave = "";
    label.append(file);
    area.after(label);
  }
}

async function readFile(chosen) {
  if (!chosen.files.length) return;
  try {
    const bytes = new Uint8Array(await chosen.files[0].arrayBuffer());
    // Spreadsheets save Unicode text as UTF-16, with a byte order mark.
    const mark = bytes[0] * 256 + bytes[1];
    const encoding = { [0xfffe]: "utf-16le", [0xfeff]: "utf-16be" }[mark] ?? "utf-8";
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (text.includes("\0")) throw new TypeError("UTF-32, or no text");
    byId(chosen.dataset.into).value = text;
    saver.mark();
    await saver.save("settle");
  } catch {
    say("This file is no text that can be read: save it from the spreadsheet as CSV (UTF-8)", { trouble: true });
  }
}

/** The form anew, as the server sees it; what was typed since it was sent is put back, and what was open stays so. */
function replaceFields(html, sent, clashing, action) {
  const active = document.activeElement?.id;
  const typed = sent && Object.entries(collect()).filter(([name, value]) => value !== sent[name]);
  const folds = foldsAfter(action, fields);
  fields.innerHTML = html;
  fold(fields, folds, /^(up|down|remove):/.test(action));
  offerFiles();
  for (const [name, value] of typed ?? []) {
    const entry = byId(name);
    if (clashing.has(name)) {
      const mine = clashing.get(name);
      mine.name = mine.name.replace("value.", "field.");
      mine.value = value;
      continue;
    }
    if (entry?.matches("fieldset")) for (const each of entry.querySelectorAll(":scope input")) each.checked = each.value === value;
    else if (entry && isPick(entry)) entry.checked = value === "yes";
    else if (entry) entry.value = value;
  }
  return active;
}

/** Where the section does not have it, the section that does. */
function goTo(id) {
  const there = byId(id);
  if (id && !there) location.assign(`${designAt}?sought=yes&at=${encodeURIComponent(id)}`);
  const entry = there?.disabled ? there.closest("[tabindex]") : there;
  unfold(entry);
  entry?.focus();
}

function say(words, { trouble = false, aloud = trouble } = {}) {
  saved.textContent = words;
  saved.classList.toggle("trouble-saving", trouble);
  if (aloud || said.textContent) said.textContent = aloud ? words : "";
}

const saver = new Saver(form.dataset.draft, Number(form.elements.revision.value), collect, {
  saving: () => say("Saving…"),
  failed: (words) => say(words, { trouble: true }),
  conflicted(words) {
    conflict.querySelector("[data-conflict-words]").textContent =
      `${words} What you typed is still here and not saved: save it over what is there now, load that instead, or copy yours first.`;
    conflict.hidden = false;
    say("Not saved: the design was changed by someone else", { trouble: true, aloud: false });
  },
  saved(reply, { sent, action, wasTrouble }) {
    conflict.hidden = true;
    for (const field of document.querySelectorAll("input[name=revision]")) field.value = reply.revision;
    let active = null;
    fields.inert = false;
    clashed.innerHTML = reply.clashes || clashed.innerHTML;
    const mine = reply.clashes ? [...clashed.querySelectorAll("[data-mine]")] : [];
    const clashing = new Map(mine.map((field) => [field.dataset.mine, field]));
    const isTyping = action === "settle" || (!action && reply.merged_with);
    if (reply.html) active = replaceFields(reply.html, isTyping ? sent : null, clashing, action);
    showSteps(reply);
    if (action) renew(reply.new ?? "");
    showSums(reply.sums);
    showFaults(reply);
    if (reply.html) goTo(reply.focus || active);
    if (reply.clashes) byId("clashes").focus();
    const merged = reply.merged_with ? `, with what ${reply.merged_with} changed meanwhile` : "";
    const words = reply.saved_at ? `Saved ${inWords(new Date(reply.saved_at))}${merged}` : "Nothing to save yet";
    say(words, { aloud: wasTrouble || Boolean(action) || Boolean(merged) });
    preview.refresh();
  },
});

/** A button that changes the form's shape: nothing can be typed until it is done. */
async function press(action, options = {}) {
  fields.inert = true;
  const isDone = await saver.save(action, options);
  fields.inert = false;
  if (isDone && action.startsWith("remove:")) said.textContent = "Removed. You can undo it with the button at the top.";
}

/** The changes that can be undone and done again. */
function showSteps(reply) {
  for (const [name, word] of [["undo", "Undo"], ["redo", "Redo"]]) {
    const button = steps?.querySelector(`[data-${name}]`);
    if (!button) continue;
    button.disabled = !reply[name];
    button.title = reply[name] ? `${word}: ${reply[name]}` : "";
  }
}

async function copyTyped(button) {
  const named = (name) => byId(name)?.labels?.[0]?.textContent.trim() ?? name;
  const text = Object.entries(collect())
    .filter(([name, value]) => value && !name.endsWith(".was"))
    .map(([name, value]) => `${named(name)} (${name})\n${value}\n`);
  try {
    await navigator.clipboard.writeText(text.join("\n"));
    button.textContent = "Copied";
  } catch {
    button.textContent = "Your browser does not let this page copy";
  }
}

function listenToForm() {
  form.addEventListener("input", ({ target }) => {
    if (target.dataset.noSave !== undefined) return;
    if (settles(target)) {
      target.dataset.settling = "";
      saver.mark();
    } else {
      saver.touch();
    }
  });
  form.addEventListener("change", ({ target }) => {
    if (target.dataset.into) readFile(target);
    if (!settles(target)) {
      // What is typed in the next field is another change, which is undone by itself.
      if (target.dataset.noSave === undefined) saver.save("");
      return;
    }
    delete target.dataset.settling;
    saver.mark();
    // After the focus has gone where it is going.
    setTimeout(() => saver.save("settle"));
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { name, value } = event.submitter ?? {};
    if (name === "over") await press("", { over: true });
    else if (name === "action" && value !== "save") await press(value);
    else await saver.save("");
  });
}

/** True if a field was changed while the page was still loading. */
function isTyped(entry) {
  if (!entry.name || entry.dataset.noSave !== undefined) return false;
  if (isPick(entry)) return entry.checked !== entry.defaultChecked;
  if (entry.matches("select")) {
    const options = [...entry.options];
    return options.some((each) => each.defaultSelected) && options.some((each) => each.selected !== each.defaultSelected);
  }
  return entry.matches("textarea, [type=text]") && entry.value !== entry.defaultValue;
}

/** What was typed before anybody listened is saved like what is typed after. */
function saveTyped() {
  const typed = [...fields.elements].filter(isTyped);
  if (!typed.length) return;
  saver.mark();
  saver.save(typed.some(settles) ? "settle" : "");
}

function listenToLeaving() {
  window.addEventListener("beforeunload", (event) => {
    if (saver.isSaved) return;
    saver.save("");
    event.preventDefault();
  });
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  document.addEventListener("visibilitychange", () => document.hidden && !saver.isSaved && saver.save(""));
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[href]");
    const leaves = link && !link.target && !link.getAttribute("href").startsWith("#") && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!leaves || saver.isSaved) return;
    if (link.dataset.load !== undefined) {
      saver.giveUp();
      return;
    }
    event.preventDefault();
    await saver.save("");
    location.href = link.href;
  });
  document.addEventListener("submit", async (event) => {
    const sends = event.target.dataset.afterSaving !== undefined;
    if (!sends || saver.isSaved) return;
    event.preventDefault();
    const isDone = await saver.save("");
    if (isDone && !event.submitter.disabled) event.target.requestSubmit(event.submitter);
  });
}

const places = {};

/** The form with the page beside it, or the participant's page alone. */
function showView(view) {
  if (!view || view === editor.dataset.shows) return;
  places[editor.dataset.shows] = scrollY;
  editor.dataset.shows = view;
  scrollTo(0, view === "form" ? places.form : 0);
  for (const button of views.children) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  preview.fit();
}

function listenToViews() {
  views.hidden = false;
  editor.classList.add("in-turns");
  views.addEventListener("click", ({ target }) => showView(target.dataset.view));
}

form.addEventListener("focusin", ({ target }) => {
  const part = target.closest("[data-page]");
  if (part) preview.show(part.dataset.page);
});
document.addEventListener("click", ({ target }) => {
  const link = target.closest('a[href^="#"]');
  if (link) unfold(byId(decodeURIComponent(link.hash.slice(1))));
});
const wanted = decodeURIComponent(location.hash.slice(1));
unfold(byId(wanted));
// An address of before the sections: the field is in another one.
const isSought = new URLSearchParams(location.search).has("sought");
if (wanted && !byId(wanted) && !isSought) location.replace(`${designAt}?sought=yes&at=${encodeURIComponent(wanted)}`);
listenToViews();
offerFiles();
leaveIndex();
// Whoever may only look has nothing that could be saved.
if (!fields.disabled) {
  listenToForm();
  listenToNew();
  listenToLeaving();
  saveTyped();
  const copy = conflict.querySelector("[data-copy]");
  copy.hidden = false;
  copy.addEventListener("click", () => copyTyped(copy));
  if (!conflict.hidden) saver.mark(); // what is in the fields was not saved
}

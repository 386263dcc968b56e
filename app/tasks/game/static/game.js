/** A match: show what has changed, count the time, send each move once. Without this the page is a form that reloads. */

import { Clock } from "./clock.js";
import { Events } from "./events.js";
import { findErrors, keepDraft, showErrors } from "./fields.js";
import { Poll } from "./poll.js";
import { Regions } from "./regions.js";
import { send } from "./send.js";
import { openStore } from "./store.js";
import { tellIn } from "./tells.js";
import { _ } from "./words.js";

const TYPING = "textarea, select, input:not([type=radio], [type=checkbox])";

const root = document.querySelector("[data-game]");
const { key, action, title, updates } = root.dataset;
const line = root.querySelector("[data-line]");
const regions = new Regions(root.querySelector("[data-state-here]"));
let store = null;
// The form on its way, until the page shows what it led to; `stored` once the server has answered.
let pending = null;
let stored = false;

const say = (text) => (root.querySelector("[data-say]").textContent = text);

const News = updates === "server-sent-events" && window.EventSource ? Events : Poll;
const poll = new News(`${action}/state`, regions.state.dataset.version, {
  state: show,
  gone: () => location.replace(action),
  line(seconds) {
    line.hidden = seconds === null;
    if (seconds !== null) line.textContent = _("No connection to the study. Trying again; the clock keeps running there.");
  },
});
const clock = new Clock(
  (text) => (root.querySelector("[data-clock-say]").textContent = text),
  () => poll.now(),
);

/** What stands at the top, as a sentence for who does not see it. */
function summary() {
  const lines = [...regions.state.querySelectorAll(".happened p, [data-headline], [data-news]")];
  const said = lines.map((each) => each.textContent.trim()).filter(Boolean);
  return said.map((text, at) => (at + 1 < said.length && !/[.!?]$/.test(text) ? `${text}.` : text)).join(" ");
}

function show(reply) {
  const before = summary();
  const acted = regions.state.dataset.acts;
  for (const part of regions.show(reply.html)) setUp(part);
  if (stored || !pending?.isConnected) release();
  const { heading, acts } = regions.state.dataset;
  document.title = `${heading} · ${title}`;
  clock.show(regions.state.querySelector("[data-clock]"));
  if (summary() !== before) say(summary());
  if (acts === "yes" && acted === "no") regions.state.querySelector("[data-headline]").scrollIntoView({ block: "nearest" });
}

function setUp(part) {
  for (const form of part.querySelectorAll("form[data-act]")) {
    form.setAttribute("novalidate", "");
    if (form.dataset.draft) {
      store = openStore(action, `${key}.${form.dataset.draft}`);
      keepDraft(form, store);
    }
    tellIn(form);
  }
}

/** The lines below a form that say what becomes of it. */
function sendingView(form) {
  const status = form.querySelector("[data-status]");
  const countdown = form.querySelector("[data-countdown]");
  const retry = form.querySelector("[data-retry]");
  const write = (text, seconds) => {
    if (status.textContent !== text) status.textContent = text;
    countdown.textContent = seconds ? _("Trying again in {seconds} s.", { seconds }) : "";
    retry.hidden = !seconds;
  };
  return {
    saving: () => write(_("Sending…")),
    sent: () => write(_("Sent.")),
    idle: () => write(""),
    waiting(seconds, now) {
      retry.onclick = now;
      write(_("No connection to the study. What you chose is kept, and is sent as soon as there is one."), seconds);
    },
  };
}

function lock(form, on) {
  for (const fieldset of form.querySelectorAll("fieldset.questions")) fieldset.disabled = on;
  for (const button of root.querySelectorAll("button[type=submit]")) {
    if (on) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

function release() {
  pending = null;
  stored = false;
  for (const form of root.querySelectorAll("form[data-act]")) {
    lock(form, false);
    sendingView(form).idle();
  }
}

function showRefusal(form, reply) {
  const errors = reply.data.errors ?? {};
  const unplaced = showErrors(form, errors);
  const text = Object.keys(errors).length ? unplaced.join(" ") : (reply.data.message ?? _("This could not be sent. Please try again."));
  const problem = form.querySelector("[data-problem]");
  if (!text || !problem) return;
  problem.textContent = text;
  problem.hidden = false;
  problem.focus();
}

// The second press of a double click may meet a button that has only just come to be there.
root.addEventListener("click", (event) => event.detail > 1 && event.target.closest("button") && event.preventDefault());

root.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  if (pending) return;
  const errors = findErrors(form);
  showErrors(form, errors);
  if (Object.keys(errors).length) return;
  const fields = new FormData(form);
  if (event.submitter?.name) fields.set(event.submitter.name, event.submitter.value);
  pending = form;
  const view = sendingView(form);
  lock(form, true);
  const reply = await send(action, new URLSearchParams(fields), view);
  if (pending !== form) return; // a poll was quicker, and shows another form already
  if (reply.status === 200 || reply.status === 409) {
    view.sent();
    stored = true;
    if (form.dataset.draft) store.close();
    poll.now(); // what it led to is shown then, and not before
    return;
  }
  release();
  if (reply.status === 422) showRefusal(form, reply);
  else poll.now();
});

/* The rules: ? or R opens and closes them, Escape closes. */
const rules = document.querySelector("[data-rules]");
document.addEventListener("keydown", (event) => {
  if (!rules || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape" && rules.open) {
    rules.open = false;
    rules.querySelector("summary").focus();
  } else if (["?", "r", "R"].includes(event.key) && !event.target.closest(TYPING)) {
    event.preventDefault();
    rules.open = !rules.open;
    if (rules.open) rules.querySelector(".sheet").focus();
    else rules.querySelector("summary").focus();
  }
});

// Shown again from memory (back button), a page may be one of long ago.
window.addEventListener("pageshow", (event) => event.persisted && location.reload());

setUp(root);
clock.show(regions.state.querySelector("[data-clock]"));
poll.start();

/** Send a form without leaving the page until the answer is known to be stored. It works as a plain form without this. */

import { findErrors, keepDraft, showErrors } from "./fields.js";
import { send } from "./send.js";
import { countTyping } from "./typed.js";
import { _ } from "./words.js";

// Shown again from memory (back button), a page may be one that was answered long ago: ask where the person is.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

const PAGE_IS_OVER = new Set([404, 409, 410]);

const warnUnsent = (event) => event.preventDefault();

/** The lines below the form that say what becomes of the answer. */
function sendingView(form) {
  const line = form.querySelector("[data-status]");
  const countdown = form.querySelector("[data-countdown]");
  const retry = form.querySelector("[data-retry]");
  let retryNow = () => {};
  retry.addEventListener("click", () => retryNow());

  const show = (text, seconds) => {
    // Only the sentence is a live region: a screen reader should not read every second.
    if (line.textContent !== text) line.textContent = text;
    countdown.textContent = seconds ? _("Trying again in {seconds} s.", { seconds }) : "";
    retry.hidden = !seconds;
  };
  return {
    saving: () => show(_("Saving…")),
    idle: () => show(""),
    waiting(seconds, now) {
      retryNow = now;
      show(_("No connection to the study. Your answer is kept on this page."), seconds);
    },
  };
}

/** Keep what is being sent as it is: an edit made now would not reach the server. */
function lock(form) {
  const open = [...form.querySelectorAll("fieldset:not(:disabled)")];
  const buttons = [...document.querySelectorAll("button[type=submit]")];
  for (const fieldset of open) fieldset.disabled = true;
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  window.addEventListener("beforeunload", warnUnsent);
  return () => {
    for (const fieldset of open) fieldset.disabled = false;
    for (const button of buttons) button.removeAttribute("aria-disabled");
    window.removeEventListener("beforeunload", warnUnsent);
  };
}

function showProblem(form, message, next) {
  const problem = form.querySelector("[data-problem]");
  problem.textContent = message;
  if (next) {
    const link = document.createElement("a");
    link.href = next;
    link.textContent = _("Continue from where you are");
    problem.append(" ", link);
  }
  problem.hidden = false;
  problem.focus();
}

function showRefusal(form, { status, data }) {
  if (status === 422 && data.errors) {
    const unplaced = showErrors(form, data.errors);
    if (unplaced.length) showProblem(form, unplaced.join(" "));
    return;
  }
  const message = data.message ?? _("This could not be saved. Your answer is still here; please try again.");
  showProblem(form, message, data.next);
}

function fieldsOf(form, submitter, typed) {
  const fields = new FormData(form);
  if (typed) fields.set("typed", typed);
  if (submitter?.name) fields.set(submitter.name, submitter.value);
  return new URLSearchParams(fields);
}

/**
 * Types of questions may have a script of their own, which adds to what stands in the form; `data-script` names it.
 * Where it does not come, the form is answered without it.
 */
async function addScripts(form) {
  const questions = [...form.querySelectorAll("[data-script]")];
  for (const name of new Set(questions.map((question) => question.dataset.script))) {
    const { add } = await import(`./${name}.js`).catch(() => ({ add() {} }));
    for (const question of questions) if (question.dataset.script === name) add(question);
  }
}

/** `holdBack` is asked first: true where the form cannot be filled in yet and the person was told what to do. */
export function enhance(form, store, holdBack = () => false) {
  const view = sendingView(form);
  let busy = false;
  form.setAttribute("novalidate", "");
  keepDraft(form, store);
  const typed = countTyping(form);
  addScripts(form);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const gaveUp = event.submitter?.formNoValidate;
    if (busy || (!gaveUp && holdBack())) return;
    const errors = gaveUp ? {} : findErrors(form);
    form.querySelector("[data-problem]").hidden = true;
    showErrors(form, errors);
    if (Object.keys(errors).length) return;

    busy = true;
    const body = fieldsOf(form, event.submitter, typed());
    const unlock = lock(form);
    const reply = await send(form.getAttribute("action"), body, view);
    if (reply.status === 200 && reply.data.next) {
      window.removeEventListener("beforeunload", warnUnsent);
      store.close();
      location.replace(reply.data.next);
      return;
    }
    if (PAGE_IS_OVER.has(reply.status)) store.close();
    unlock();
    view.idle();
    showRefusal(form, reply);
    busy = false;
  });
}

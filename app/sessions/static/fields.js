/** A form's fields: what was typed is kept over a reload, and what is wrong is said at the field. */

import { _ } from "./words.js";

const ENTRIES = "textarea, select, input[name]:not([type=hidden])";

const isPick = (entry) => entry.type === "radio" || entry.type === "checkbox";

function entered(form) {
  const draft = {};
  for (const entry of form.querySelectorAll(ENTRIES)) {
    if (!isPick(entry) || entry.checked) draft[entry.name] = entry.value;
  }
  return draft;
}

export function keepDraft(form, store) {
  const draft = store.get("draft") ?? {};
  for (const entry of form.querySelectorAll(ENTRIES)) {
    if (!Object.hasOwn(draft, entry.name)) continue;
    if (isPick(entry)) entry.checked = entry.value === draft[entry.name];
    else entry.value = draft[entry.name];
  }
  form.addEventListener("input", (event) => {
    store.set({ draft: entered(form) });
    say(event.target.closest("[data-question]"), "");
  });
}

function say(question, message) {
  if (!question) return;
  question.querySelector("[data-error]").textContent = message;
  for (const named of namedIn(question)) {
    if (message && !isWhole(named)) named.setAttribute("aria-invalid", "true");
    else named.removeAttribute("aria-invalid");
  }
}

/** Where it is said that an answer is wrong: at each group of choices, or at the first field. */
function namedIn(question) {
  if (question.matches("[role=radiogroup]")) return [question];
  const groups = [...question.querySelectorAll("[role=radiogroup]")];
  return groups.length ? groups : [question.querySelector(ENTRIES)];
}

/** Of several groups, one that has its answer is not wrong. */
const isWhole = (named) => !named.matches("[data-question]") && named.querySelector("input:checked") !== null;

/** What keeps the form from being sent, by question. */
export function findErrors(form) {
  const errors = {};
  for (const entry of form.querySelectorAll(ENTRIES)) {
    if (entry.validity.valid || entry.matches(":disabled")) continue;
    const { question = entry.name, due = _("Please answer this question.") } = entry.closest("[data-question]")?.dataset ?? {};
    errors[question] = entry.validity.valueMissing ? due : entry.validationMessage;
  }
  return errors;
}

/** Say each error at its question and go to the first; returns the messages of which no question is to be found. */
export function showErrors(form, errors) {
  const unplaced = new Map(Object.entries(errors));
  let first = null;
  for (const question of form.querySelectorAll("[data-question]")) {
    const message = unplaced.get(question.dataset.question) ?? "";
    unplaced.delete(question.dataset.question);
    say(question, message);
    if (message) first ??= question;
  }
  const entry = ["input[name]:invalid", "input:checked", "button[aria-pressed]", ENTRIES].reduce(
    (found, each) => found ?? first?.querySelector(each), null);
  entry?.focus();
  return [...unplaced.values()];
}

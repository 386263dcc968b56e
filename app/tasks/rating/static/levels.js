/** What the questions about a stimulus have beyond those of other pages: digits that choose, and a count. */

import { _ } from "./words.js";

const ENTRIES = "textarea, select, input[name]:not([type=hidden])";

/** Where a scale has the focus, the digit of a level chooses it, as an arrow key does. */
export function chooseByDigit(event) {
  const modified = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
  if (modified || event.defaultPrevented || event.target.type !== "radio") return;
  const all = [...event.target.closest("[data-question]").querySelectorAll("input[type=radio]")];
  const levels = all.filter(({ name }) => name === event.target.name);
  const level = /^\d$/.test(event.key) && levels.find(({ value }) => value === event.key);
  if (!level || level.matches(":disabled")) return;
  event.preventDefault();
  level.checked = true;
  level.focus();
  level.dispatchEvent(new Event("input", { bubbles: true }));
}

const isAnswered = (entry) =>
  entry.type === "radio" || entry.type === "checkbox" ? entry.checked : entry.value.trim() !== "";

/** A question of several groups of choices is answered where each of them is; any other where something is entered. */
function hasAnswer(question) {
  const entries = [...question.querySelectorAll(ENTRIES)];
  const groups = new Set(entries.filter(({ type }) => type === "radio").map(({ name }) => name));
  if (groups.size < 2) return entries.some(isAnswered);
  return [...groups].every((group) => entries.some((entry) => entry.name === group && isAnswered(entry)));
}

/** How many questions there are, and how many of them have an answer. */
export function countAnswered(questions) {
  const all = [...questions];
  const answered = all.filter(hasAnswer);
  return { answered: answered.length, asked: all.length };
}

export function showAnswered(form) {
  const { answered, asked } = countAnswered(form.querySelectorAll("[data-question]"));
  form.querySelector("[data-answered]").textContent = _("{answered} of {asked} answered", { answered, asked });
}

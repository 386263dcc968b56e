/**
 * Points to be shared: says how many are left while they are given, and keeps a form back whose points do not add up.
 * What the server accepts is decided there alone.
 */

import { _, _n } from "./words.js";

const points = (n) => _n("{n} point", "{n} points", n);

/** What a sum lacks, in words; empty where nothing is given and nothing has to be. */
export function wrong(total, numbers, required) {
  const given = numbers.filter((number) => number !== "");
  if (!given.length) return required ? _("Please share out {points}.", { points: points(total) }) : "";
  const left = total - given.reduce((sum, number) => sum + Number(number), 0);
  if (left === 0) return "";
  const over = left > 0 ? _("{n} left to share", { n: left }) : _("{n} too many", { n: -left });
  return _("Please share out exactly {points}: {over}.", { points: points(total), over });
}

export function leftover(total, numbers) {
  const left = total - numbers.reduce((sum, number) => sum + Number(number), 0);
  return left < 0 ? _("{n} too many", { n: points(-left) }) : _("{n} left to share", { n: points(left) });
}

export function add(question) {
  const inputs = [...question.querySelectorAll("input")];
  const total = Number(question.dataset.total);
  const line = question.querySelector("[data-left]");
  const show = () => {
    const numbers = inputs.map(({ value }) => value.trim());
    line.textContent = leftover(total, numbers);
    inputs[0].setCustomValidity(wrong(total, numbers, "required" in question.dataset));
  };
  question.addEventListener("input", show);
  line.hidden = false;
  show();
}

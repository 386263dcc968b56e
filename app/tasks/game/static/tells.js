/** What a choice would mean, said while it is made: what each would get, what the button will do, characters left. */

import { _n, locale } from "./words.js";

const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });

/** An amount as the server writes it: thousands set apart, a true minus sign. */
export const written = (value) => format.format(value).replace("-", "−");

export const worth = (amount, factor, offset) => Number(offset) + Number(factor) * amount;

/** The button's text with each `{field}` filled in; null as long as one is not chosen. */
export function said(saying, chosen) {
  let complete = true;
  const text = saying.replace(/\{([\w-]+)\}/g, (whole, name) => {
    complete &&= Boolean(chosen[name]);
    return chosen[name];
  });
  return complete ? text : null;
}

/** Characters as the server counts them: code points. */
export const charactersLeft = (text, most) => most - [...text].length;

function amountOf(form, name) {
  const entry = form.querySelector(`input[type=number][name="${name}"], input[name="${name}"]:checked`);
  const isGiven = entry && entry.value !== "" && entry.validity.valid;
  return isGiven ? Number(entry.value) : null;
}

function chosenIn(form) {
  const chosen = {};
  for (const entry of form.querySelectorAll("input[data-says]:checked")) chosen[entry.name] = entry.dataset.says;
  for (const entry of form.querySelectorAll("input[type=number]")) {
    if (entry.value !== "" && entry.validity.valid) chosen[entry.name] = written(Number(entry.value));
  }
  return chosen;
}

export function tellIn(form) {
  const buttons = [...form.querySelectorAll("button[data-saying]")].map((button) => [button, button.textContent]);
  const refresh = () => {
    for (const list of form.querySelectorAll("[data-tells]")) {
      const amount = amountOf(form, list.dataset.tells);
      list.hidden = false;
      for (const output of list.querySelectorAll("output")) {
        const { factor, offset } = output.dataset;
        output.textContent = amount === null ? "–" : written(worth(amount, factor, offset));
      }
    }
    const chosen = chosenIn(form);
    for (const [button, plain] of buttons) button.textContent = said(button.dataset.saying, chosen) ?? plain;
    for (const text of form.querySelectorAll("textarea[data-length]")) {
      const line = text.parentElement.querySelector("[data-chars]");
      const left = charactersLeft(text.value, Number(text.dataset.length));
      if (text.value) line.textContent = _n("{n} character left.", "{n} characters left.", left);
    }
  };
  form.addEventListener("input", refresh);
  refresh();
}

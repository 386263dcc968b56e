/** Compare two records or texts: keep what is entered, record what was read of each and for how long, send the answer. */

import { enhance } from "./form.js";
import { KeptClips } from "./kept.js";
import { listenToKeys } from "./keys.js";
import { chooseByDigit, countAnswered } from "./levels.js";
import { openStore } from "./store.js";
import { reachTables, recordReading } from "./watching.js";

const form = document.querySelector("form[data-send]");
const stimuli = [...document.querySelectorAll("[data-stimulus]")];
const keys = document.querySelector("[data-keys]");

/** A side or `tie`; where the page does not offer it, nothing. */
function choose(value) {
  const radio = form.querySelector(`input[data-choice][value=${value}]`);
  if (!radio || radio.matches(":disabled")) return;
  radio.checked = true;
  radio.focus();
  radio.dispatchEvent(new Event("input", { bubbles: true }));
}

function showAnswered() {
  const { answered, asked } = countAnswered(form.querySelectorAll("[data-question]"));
  form.querySelector("[data-answered]").textContent = `${answered} of ${asked} answered`;
}

const store = openStore(form.getAttribute("action"), form.dataset.send);
new KeptClips([]); // forgets those of other pages
enhance(form, store);
recordReading(form, stimuli, store);
reachTables(stimuli);
form.addEventListener("keydown", chooseByDigit); // on a scale; elsewhere a digit is a side
listenToKeys(() => keys.checked, { choose });
form.addEventListener("input", showAnswered);
keys.closest("[hidden]").hidden = false;
showAnswered();

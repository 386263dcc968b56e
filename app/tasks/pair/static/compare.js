/** Compare two records or texts: keep what is entered, record what was read of each and for how long, send the answer. */

import { enhance } from "./form.js";
import { KeptClips } from "./kept.js";
import { choose, keepChoiceOfKeys, listenToKeys } from "./keys.js";
import { chooseByDigit, showAnswered } from "./levels.js";
import { openStore } from "./store.js";
import { reachTables, recordReading } from "./watching.js";

const form = document.querySelector("form[data-send]");
const stimuli = [...document.querySelectorAll("[data-stimulus]")];
const keys = document.querySelector("[data-keys]");

const store = openStore(form.getAttribute("action"), form.dataset.send);
new KeptClips([]); // forgets those of other pages
enhance(form, store);
recordReading(form, stimuli, store);
reachTables(stimuli);
form.addEventListener("keydown", chooseByDigit); // on a scale; elsewhere a digit is a side
keepChoiceOfKeys(keys);
listenToKeys(() => keys.checked, { choose: (value) => choose(form, value) });
form.addEventListener("input", () => showAnswered(form));
keys.closest("[hidden]").hidden = false;
showAnswered(form);

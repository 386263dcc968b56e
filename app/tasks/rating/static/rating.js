/**
 * Rate one stimulus: keep what is entered, record what was read of it and for how long, send the answer. A clip is
 * played, recorded and sent by trial.js.
 */

import { enhance } from "./form.js";
import { KeptClips } from "./kept.js";
import { chooseByDigit, showAnswered } from "./levels.js";
import { reachTables, recordReading } from "./watching.js";
import { openStore } from "./store.js";

const form = document.querySelector("form[data-send]");
const stimulus = document.querySelector("[data-stimulus]");

function start() {
  const store = openStore(form.getAttribute("action"), form.dataset.send);
  new KeptClips([]); // forgets those of other pages
  enhance(form, store);
  recordReading(form, [stimulus], store);
  reachTables([stimulus]);
}

if (stimulus) start();
form.addEventListener("keydown", chooseByDigit);
form.addEventListener("input", () => showAnswered(form));
for (const hint of form.querySelectorAll("[data-hint]")) hint.hidden = false;
showAnswered(form);

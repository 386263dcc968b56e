/** Every page but the trial: send its form, offer to copy the completion code. */

import { checkPlaying } from "./check.js";
import { measureDevice } from "./device.js";
import { enhance } from "./form.js";
import { KeptClips } from "./kept.js";
import { openStore } from "./store.js";
import { _ } from "./words.js";

async function copy(text, code) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard without https: select the code and let the browser copy what is selected.
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
}

new KeptClips([]); // forgets those of the trials

const form = document.querySelector("form[data-send]");
if (form) enhance(form, openStore(form.getAttribute("action"), form.dataset.send));

const agree = form?.querySelector("button[value=agree]");
const device = document.querySelector("[data-device]");
const tell = device ? measureDevice(device, document, agree) : () => {};
const check = document.querySelector("[data-check]");
if (check) checkPlaying(check, agree, (plays) => tell({ plays }));

const button = document.querySelector("[data-copy]");
if (button) {
  const code = document.querySelector("[data-code]");
  const status = document.querySelector("[data-copied]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const copied = await copy(button.dataset.text, code);
    status.textContent = copied ? _("Copied.") : _("The code is selected: copy it with your keyboard or menu.");
  });
}

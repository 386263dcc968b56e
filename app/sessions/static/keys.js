/** Keys for both videos and for the choice; never taken from someone who is typing, and to be turned off. */

import { loadPreference, savePreference } from "./store.js";

const TYPING = "textarea, select, input:not([type=radio], [type=checkbox]), [contenteditable]";
const OWN_SPACE = "button, a, summary, input";
const OTHER_RADIO = "input[type=radio]:not([data-choice])";

function actionOf(event, actions) {
  const on = (selector) => event.target.closest(selector) !== null;
  switch (event.key) {
    case " ":
      return on(OWN_SPACE) ? null : actions.toggle;
    case "k":
    case "K":
      return actions.toggle;
    case "r":
    case "R":
      return actions.replay;
    case "ArrowLeft":
      return on(OTHER_RADIO) ? null : () => actions.choose("left");
    case "ArrowRight":
      return on(OTHER_RADIO) ? null : () => actions.choose("right");
    case "1":
      return () => actions.choose("left");
    case "2":
      return () => actions.choose("right");
    case "3":
      return () => actions.choose("tie");
    default:
      return null;
  }
}

export function listenToKeys(isOn, actions) {
  document.addEventListener("keydown", (event) => {
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
    if (modified || event.defaultPrevented || !isOn() || event.target.closest(TYPING)) return;
    const act = actionOf(event, actions);
    if (!act) return;
    event.preventDefault();
    if (!event.repeat) act();
  });
}

/** The box that turns keys off does so on all pages. */
export function keepChoiceOfKeys(box) {
  box.checked = loadPreference("keys") !== "off";
  box.addEventListener("change", () => savePreference("keys", box.checked ? "on" : "off"));
}

/** A side or `tie`; where the page does not offer it, nothing. */
export function choose(form, value) {
  const radio = form.querySelector(`input[data-choice][value=${value}]`);
  if (!radio || radio.matches(":disabled")) return;
  radio.checked = true;
  radio.focus();
  radio.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Keys for both videos and for the choice; never taken from someone who is typing, and to be turned off. */

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

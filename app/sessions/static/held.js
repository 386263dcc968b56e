/**
 * A button that waits for something, and says so when it is pressed. It is not `disabled`: Enter in a field of the form
 * would then press the next button that is not, and decline for somebody who wants to take part.
 */

const reasons = ["data-narrow", "data-lossy", "data-slow", "data-unplayed"];

export function hold(button, reason, on) {
  button.toggleAttribute(reason, on);
  button.setAttribute("aria-disabled", String(reasons.some((each) => button.hasAttribute(each))));
}

/** While it is held for this reason, a press leads to what is `said` of it; of several reasons to the first. */
export function leadTo(button, reason, said) {
  button.addEventListener("click", (event) => {
    if (event.defaultPrevented || !button.hasAttribute(reason)) return;
    event.preventDefault();
    said.focus();
  });
}

/** The monitor, kept up to date: each part that has changed is put in the place of the old, without moving the page. */

import { show } from "./sections.js";
import { inWords } from "./time.js";

const part = document.querySelector("[data-events]");
const said = document.querySelector("[data-live]");

function tell(text) {
  if (said) said.textContent = text;
}

function asOf() {
  tell(`Updates by itself, as of ${inWords(new Date(), { seconds: true })}`);
}

if (part && "EventSource" in window) {
  const events = new EventSource(part.dataset.events);
  events.addEventListener("numbers", (event) => {
    show(event.data);
    asOf();
  });
  events.addEventListener("same", asOf);
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) tell("No longer live: reload the page.");
  });
}

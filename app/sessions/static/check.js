/**
 * Before consent: can this browser play the study's videos? A short clip of the same kind tries it, by itself where
 * the browser lets it. Whoever cannot is told so, and what can, before they have answered anything.
 */

import { hold, leadTo } from "./held.js";
import { _ } from "./words.js";

const SILENT_MS = 8_000;
const SAYS = {
  trying: _("Trying a short silent video…"),
  plays: _("Videos play on this device."),
  waits: _("Your browser plays videos only when you ask for it. Please play this short silent one."),
  late: _("The test video has not arrived. Please check your connection and try again."),
  cannot: _(
    "This browser cannot play the study's videos, so you cannot take part with it. That is not your fault. Current versions of Chrome, Edge, Firefox and Safari can: open the link that you were given in one of these. You have answered nothing yet.",
  ),
};
const BUTTONS = { waits: _("Play the test video"), late: _("Try again"), cannot: _("Try again") };

/** The format is refused only if the clip itself could be had. */
async function isReached(address) {
  try {
    return (await fetch(address, { method: "HEAD", cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** `tell` is told whether it plays, once that is known. */
export function checkPlaying(part, agree, tell = () => {}) {
  const [video, button, said] = ["video", "button", "[data-said]"].map((name) => part.querySelector(name));
  let state = "";
  let timer;

  const show = (next) => {
    if (state === "plays") return;
    state = next;
    part.dataset.check = state;
    said.textContent = SAYS[state];
    button.hidden = !BUTTONS[state];
    button.textContent = BUTTONS[state] ?? "";
    hold(agree, "data-unplayed", state !== "plays");
    if (state === "plays" || state === "cannot") tell(state === "plays");
    clearTimeout(timer);
  };
  const fail = async () => show((await isReached(video.currentSrc)) ? "cannot" : "late");
  const seen = () => video.currentTime > 0 && video.videoWidth > 0 && show("plays");
  const start = () => {
    show("trying");
    timer = setTimeout(() => show(video.readyState > 1 ? "waits" : "late"), SILENT_MS);
    if (video.error) video.load();
    video.play().catch((error) => {
      if (error.name === "NotSupportedError") fail();
      else if (error.name !== "AbortError") show("waits");
    });
  };

  part.querySelector("[data-unscripted]").hidden = true;
  leadTo(agree, "data-unplayed", said);
  video.controls = false;
  video.muted = true; // the attribute alone does not count everywhere
  video.addEventListener("timeupdate", seen);
  video.addEventListener("ended", seen);
  video.addEventListener("error", fail);
  button.addEventListener("click", start);
  document.addEventListener("visibilitychange", () => !document.hidden && state !== "cannot" && start());
  start();
}

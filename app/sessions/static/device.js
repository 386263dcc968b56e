/**
 * Before consent: is the window wide enough, the connection fast enough, does the browser show videos smoothly? Each is
 * told where it is not, and then nobody can agree. What cannot be found out holds nobody back.
 */

import { mbpsOf, showsSmoothly } from "./speed.js";
import { _ } from "./words.js";

/** What keeps somebody from agreeing, by name, and where it is said. */
class Holds {
  #agree;
  #held = new Map();

  constructor(agree) {
    this.#agree = agree;
    // Not `disabled`, which the check of the videos sets as well.
    agree.addEventListener("click", (event) => {
      const [said] = this.#held.values();
      if (!said) return;
      event.preventDefault();
      said.focus();
    });
  }

  set(name, said, is) {
    if (is) this.#held.set(name, said);
    else this.#held.delete(name);
    if (said.hidden === is) said.hidden = !is;
    this.#agree.setAttribute("aria-disabled", String(this.#held.size > 0));
  }
}

/** Returns how other checks say what they found out: `tell({ plays: true })`. */
export function measureDevice(field, page, agree) {
  const holds = new Holds(agree);
  const facts = {};
  const tell = (more) => {
    Object.assign(facts, more);
    field.value = JSON.stringify(facts);
  };
  measureWidth(field, page, holds, tell);
  if ("smooth" in field.dataset) askSmooth(page.querySelector("[data-smooth-said]"), holds, tell);
  if (field.dataset.speed) measureSpeed(field, page.querySelector("[data-speed-said]"), holds, tell);
  return tell;
}

/** It is measured as the window is resized. */
function measureWidth(field, page, holds, tell) {
  const least = Number(field.dataset.least) || 0;
  const measure = () => {
    tell({ width: innerWidth, height: innerHeight, pixel_ratio: devicePixelRatio });
    holds.set("narrow", page.querySelector("[data-narrow-said]"), innerWidth < least);
  };
  addEventListener("resize", measure);
  measure();
}

async function askSmooth(said, holds, tell) {
  const smooth = await showsSmoothly();
  if (smooth === null) return;
  tell({ smooth });
  holds.set("smooth", said, !smooth);
}

/** Without a least speed it is measured and held against nobody. */
async function measureSpeed(field, said, holds, tell) {
  const least = Number(field.dataset.mbps) || 0;
  const words = said?.querySelector("[data-speed-words]");
  const again = said?.querySelector("[data-speed-again]");
  const measure = async () => {
    if (said) {
      words.textContent = _("Measuring the speed of your connection…");
      again.hidden = true;
      holds.set("slow", said, true);
    }
    const mbps = await mbpsOf(field.dataset.speed, least);
    if (mbps !== null) tell({ mbps });
    if (!said) return;
    const isSlow = mbps !== null && mbps < least;
    if (isSlow) {
      words.textContent = _(
        "Your connection is too slow for this study just now: {mbps} Mbit/s were measured, and it needs {least}. Please try again, or open the link that you were given with another connection. You have answered nothing yet.",
        { mbps: mbps.toFixed(1), least },
      );
    }
    again.hidden = !isSlow;
    holds.set("slow", said, isSlow);
  };
  again?.addEventListener("click", measure);
  await measure();
}

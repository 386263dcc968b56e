/**
 * Before consent: is the window wide enough, the connection fast enough, does the browser show videos smoothly? Each is
 * told where it is not, and then nobody can agree. What cannot be found out holds nobody back.
 */

import { hold, leadTo } from "./held.js";
import { mbpsOf, showsSmoothly } from "./speed.js";
import { _ } from "./words.js";

/** Returns how other checks say what they found out: `tell({ plays: true })`. */
export function measureDevice(field, page, agree) {
  const facts = {};
  const tell = (more) => {
    Object.assign(facts, more);
    field.value = JSON.stringify(facts);
  };
  const held = (reason, said) => {
    leadTo(agree, reason, said);
    return (is) => {
      if (said.hidden === is) said.hidden = !is;
      hold(agree, reason, is);
    };
  };
  measureWidth(field, held("data-narrow", page.querySelector("[data-narrow-said]")), tell);
  if (field.dataset.smooth) askSmooth(field.dataset.smooth, held("data-lossy", page.querySelector("[data-smooth-said]")), tell);
  const said = page.querySelector("[data-speed-said]");
  if (field.dataset.speed) measureSpeed(field, said, said ? held("data-slow", said) : () => {}, tell);
  return tell;
}

/** It is measured as the window is resized. */
function measureWidth(field, holdIf, tell) {
  const least = Number(field.dataset.least) || 0;
  const measure = () => {
    tell({ width: innerWidth, height: innerHeight, pixel_ratio: devicePixelRatio });
    holdIf(innerWidth < least);
  };
  addEventListener("resize", measure);
  measure();
}

async function askSmooth(frame, holdIf, tell) {
  const smooth = await showsSmoothly(frame);
  if (smooth === null) return;
  tell({ smooth });
  holdIf(!smooth);
}

/** Without a least speed it is measured and held against nobody. */
async function measureSpeed(field, said, holdIf, tell) {
  const least = Number(field.dataset.mbps) || 0;
  const words = said?.querySelector("[data-speed-words]");
  const again = said?.querySelector("[data-speed-again]");
  const measure = async () => {
    if (said) {
      words.textContent = _("Measuring the speed of your connection…");
      again.hidden = true;
      holdIf(true);
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
    holdIf(isSlow);
  };
  again?.addEventListener("click", measure);
  await measure();
}

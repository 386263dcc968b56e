/** Before consent: is the window wide enough? It is measured as it is resized, and told where it is not. */

import { hold, leadTo } from "./held.js";

export function measureDevice(field, said, agree) {
  const least = Number(field.dataset.least) || 0;
  const measure = () => {
    const narrow = innerWidth < least;
    field.value = JSON.stringify({ width: innerWidth, height: innerHeight, pixel_ratio: devicePixelRatio });
    if (said.hidden === narrow) said.hidden = !narrow;
    hold(agree, "data-narrow", narrow);
  };
  leadTo(agree, "data-narrow", said);
  addEventListener("resize", measure);
  measure();
}

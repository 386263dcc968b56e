/** The list of matches, kept up to date by asking every two seconds while the page is seen. */

import { show } from "./sections.js";
import { inWords } from "./time.js";

const EVERY_MS = 2000;
const part = document.querySelector("[data-poll]");
const said = document.querySelector("[data-live]");

async function ask() {
  if (!document.hidden) {
    try {
      const answer = await fetch(part.dataset.poll, { headers: { Accept: "application/json" } });
      if (!answer.ok || answer.redirected) throw new Error("not taken");
      show(await answer.text());
      said.textContent = `Updates by itself, as of ${inWords(new Date(), { seconds: true })}`;
    } catch {
      said.textContent = "No longer live: reload the page.";
    }
  }
  setTimeout(ask, EVERY_MS);
}

if (part) setTimeout(ask, EVERY_MS);

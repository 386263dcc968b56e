/** One match: a slider over its events, by pointer, keys or buttons; at its end it follows a match that is played. */

import { show } from "./sections.js";

const EVERY_MS = 2000;
const form = document.querySelector("[data-replay]");
const slider = form?.querySelector("input[type=range]");
const place = form?.querySelector("[data-place]");
const follows = form?.querySelector("[data-follows]");
let asked = 0;

const moment = () => document.getElementById("w-moment");
const runs = () => moment().dataset.runs === "yes";
const isLast = () => slider.value === slider.max;

/** Ask for the match at an event; the answer to what was asked last is shown, and no older one. */
async function look(at) {
  const number = ++asked;
  const answer = await fetch(`${form.dataset.replay}?at=${at}`, { headers: { Accept: "application/json" } });
  if (!answer.ok || answer.redirected) return;
  const html = await answer.text();
  if (number !== asked) return;
  const ran = runs();
  show(html);
  const now = moment().dataset;
  slider.max = now.n;
  slider.value = now.at;
  tell();
  if (ran && now.runs === "no") document.querySelector("[data-stop]")?.remove();
}

function tell() {
  const now = moment().dataset;
  place.textContent = `${slider.value} of ${slider.max}`;
  slider.setAttribute("aria-valuetext", `event ${slider.value} of ${slider.max}: ${now.says}`);
  follows.textContent = runs() && isLast() ? "Follows the match" : "";
  const address = new URL(location);
  if (isLast()) address.searchParams.delete("at");
  else address.searchParams.set("at", slider.value);
  address.searchParams.delete("said");
  history.replaceState(null, "", address);
}

function go(at) {
  slider.value = at;
  place.textContent = `${slider.value} of ${slider.max}`;
  look(isLast() ? 0 : slider.value).catch(() => {});
}

async function follow() {
  if (runs() && isLast() && !document.hidden) await look(0).catch(() => {});
  setTimeout(follow, EVERY_MS);
}

if (slider) {
  const steps = {
    first: () => 1,
    previous: () => Number(slider.value) - 1,
    next: () => Number(slider.value) + 1,
    last: () => Number(slider.max),
  };
  slider.addEventListener("input", () => go(slider.value));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-go], .events a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(link.dataset.go ? steps[link.dataset.go]() : new URL(link.href).searchParams.get("at"));
  });
  if (runs() && isLast()) follows.textContent = "Follows the match";
  setTimeout(follow, EVERY_MS);
}

/** Every experimenter's page: times in the reader's zone, jobs that move, questions before what cannot be undone. */

import { send } from "./send.js";
import { inZone, zoneInWords } from "./time.js";

const POLL_MS = 1000;

inZone(document);
for (const zone of document.querySelectorAll("[data-zone]")) zone.textContent = zoneInWords();

for (const form of document.querySelectorAll("form[data-confirm]")) {
  form.addEventListener("submit", (event) => {
    if (!confirm(form.dataset.confirm)) event.preventDefault();
  });
}

// On a narrow screen the menus are one line each: show the place that is open.
for (const link of document.querySelectorAll("nav [aria-current]")) {
  const list = link.closest("ul");
  if (!list) continue;
  list.scrollLeft = link.offsetLeft - list.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
}

/** A folded part that the address names is opened: browsers do so by themselves only for what is inside of one. */
function unfold() {
  const named = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named) return;
  const folded = [];
  for (let each = named; each; each = each.parentElement) if (each.matches("details:not([open])")) folded.push(each);
  if (!folded.length) return;
  for (const each of folded) each.open = true;
  named.scrollIntoView();
}

unfold();
addEventListener("hashchange", unfold);

// The field that a form was refused for, or what is said of the page as a whole.
(document.querySelector("[data-refused]") ?? document.querySelector("[data-problem]"))?.focus();

/** Follow a job until it is over; the page is then loaded anew to show what came of it. */
function follow(element) {
  const doing = element.querySelector("[data-doing]");
  const count = element.querySelector("[data-count]");
  const bar = element.querySelector("progress");

  async function look() {
    try {
      const job = await send("GET", `/admin/jobs/${element.dataset.job}`);
      if (job.is_over) {
        location.reload();
        return;
      }
      doing.textContent = job.doing || (job.status === "queued" ? "Waiting to begin" : "Under way");
      count.textContent = job.total ? `${job.done} of ${job.total}` : "";
      if (bar && job.total) {
        bar.max = job.total;
        bar.value = job.done;
      }
    } catch (error) {
      if (error.status) return; // logged out, or gone: the page as it is says enough
    }
    setTimeout(look, POLL_MS);
  }

  setTimeout(look, POLL_MS);
}

for (const element of document.querySelectorAll("[data-job][data-over=no]")) follow(element);

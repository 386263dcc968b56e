/** The draw's preview follows the form: sent after a short pause, its parts of the page put in the place of ours. */

const PAUSE_MS = 400;

const form = document.querySelector("[data-draw]");
let timer = 0;
let latest = 0;

/** The page that the server makes of the form; nothing is saved by it. */
async function preview(what) {
  const mine = ++latest;
  const fields = new URLSearchParams(new FormData(form));
  fields.set("do", what);
  const response = await fetch(form.action, { method: "POST", body: fields, credentials: "same-origin" });
  if (mine !== latest) return;
  if (!response.ok || response.redirected) throw new Error("no preview");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of ["[data-result]", "[data-summary]", "[data-save]", "[data-replaces]"]) replace(part, page);
  takeOver(page);
}

function replace(selector, page) {
  const [old, fresh] = [document.querySelector(selector), page.querySelector(selector)];
  if (!old || !fresh) return;
  const open = [...old.querySelectorAll("details[id][open]")].map((each) => each.id);
  old.replaceChildren(...fresh.childNodes);
  for (const each of old.querySelectorAll("details[id]")) each.open ||= open.includes(each.id);
}

/** What belongs to a field beside what is typed: errors, how many pairs clips make, another seed. */
function takeOver(page) {
  const rows = (where) => [...where.querySelectorAll(".draw-table tbody tr")];
  const fresh = new Map(rows(page).map((row) => [row.querySelector("input").value, row]));
  rows(form).forEach((row) => {
    const other = fresh.get(row.querySelector("input").value);
    if (!other) return;
    row.cells[0].replaceChildren(...other.cells[0].childNodes);
    row.cells[3].replaceChildren(...other.cells[3].childNodes);
    for (const cell of [1, 2]) {
      const [mine, theirs] = [row.cells[cell].querySelector("input"), other.cells[cell].querySelector("input")];
      for (const name of ["aria-invalid", "aria-describedby"]) {
        if (theirs.hasAttribute(name)) mine.setAttribute(name, theirs.getAttribute(name));
        else mine.removeAttribute(name);
      }
    }
  });
  const [seed, help] = [page.querySelector("#seed"), page.querySelector("#seed-help")];
  if (document.activeElement?.id !== "seed") form.querySelector("#seed").value = seed.value;
  form.querySelector("#seed-help").replaceWith(help);
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(() => preview("preview").catch(() => {}), PAUSE_MS);
}

if (form) {
  form.addEventListener("input", soon);
  form.querySelector("[data-seed]").addEventListener("click", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    preview("seed").catch(() => form.submit());
  });
}

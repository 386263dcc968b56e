/** The page of judges: a file of verdicts is checked while it is chosen. Without this script the form's answer says the same. */

const form = document.querySelector("[data-verdicts]");
if (form) start();
const dialog = document.querySelector("[data-run]");
if (dialog) openInPlace();

/** The form to run a judge is opened where one is, in place of a page of its own. */
function openInPlace() {
  document.querySelector("[data-opens=run]").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    dialog.showModal();
  });
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  if (dialog.dataset.again !== undefined) dialog.showModal();
}

function start() {
  const input = form.querySelector("#verdicts");
  const checked = form.querySelector("[data-checked]");
  const add = form.querySelector("[data-add]");
  const away = form.querySelector("[data-away]");
  const replace = form.querySelector("[name=replace]");
  let latest = 0;

  input.addEventListener("change", async () => {
    const mine = ++latest;
    const file = input.files[0];
    away.hidden = !file;
    add.disabled = false;
    replace.required = false;
    if (!file) {
      checked.replaceChildren();
      return;
    }
    say(`${file.name} is being checked.`);
    try {
      const { html, isFine } = await check(file);
      if (mine !== latest) return;
      checked.innerHTML = html;
      add.disabled = !isFine;
      replace.required = checked.querySelector("[data-replaces]") !== null;
    } catch {
      // Offline, or the file changed meanwhile: the form's own answer says what is wrong.
      if (mine === latest) checked.replaceChildren();
    }
  });

  form.addEventListener("reset", () => {
    latest += 1;
    checked.replaceChildren();
    add.disabled = false;
    replace.required = false;
    away.hidden = true;
    input.focus();
  });

  // Chosen before this script was here, or given back by the browser with the page.
  if (input.files?.length) input.dispatchEvent(new Event("change"));

  function say(text) {
    const line = document.createElement("p");
    line.className = "muted";
    line.textContent = text;
    checked.replaceChildren(line);
  }

  async function check(file) {
    const body = new FormData();
    body.append("verdicts", file);
    const csrf = document.querySelector("meta[name=csrf]")?.content ?? "";
    const response = await fetch(form.dataset.check, {
      method: "POST",
      headers: { "X-CSRF-Token": csrf, Accept: "text/html" },
      body,
      credentials: "same-origin",
      redirect: "error",
    });
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok || !type.startsWith("text/html")) return { html: refusal(await response.text()), isFine: false };
    const html = await response.text();
    return { html, isFine: !html.includes('class="badge bad"') };
  }
}

/** The sentence of an error's page, or of its JSON. */
function refusal(text) {
  let message = "The file could not be checked.";
  try {
    message = JSON.parse(text).message ?? message;
  } catch {
    const page = new DOMParser().parseFromString(text, "text/html");
    message = page.querySelector("main p, [data-problem]")?.textContent?.trim() || message;
  }
  const line = document.createElement("p");
  line.className = "callout bad";
  line.textContent = message;
  return line.outerHTML;
}

/** A study package, or another zip, is sent in pieces before the form: of any size that the service takes. */

import { Transfer } from "./stimuli-transfer.js";

const ADDRESS = "/admin/study-packages";

const form = document.querySelector("[data-new-study]");
if (form) start();

function gigabytes(bytes) {
  return `${Number((bytes / 1e9).toPrecision(2))} GB`;
}

/** Rounded up: a little more than the limit is not said to be the limit. */
function megabytes(bytes) {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

function start() {
  const input = form.elements.file;
  const section = form.querySelector("[data-sending]");
  const bar = section.querySelector("progress");
  const said = section.querySelector("[data-said]");
  const largest = Number(form.dataset.largest);
  const mostSmall = Number(form.dataset.mostSmall);
  let transfer = null;

  for (const element of form.querySelectorAll("[data-only-script]")) element.hidden = false;
  input.addEventListener("change", () => {
    form.elements.package.value = "";
    form.querySelector("[data-sent]")?.remove();
    const bytes = [...input.files].reduce((sum, file) => sum + file.size, 0);
    const isTooMuch = !zip() && bytes > mostSmall;
    input.setCustomValidity(isTooMuch ? `These files have ${megabytes(bytes)}; a study file and its texts have at most ${megabytes(mostSmall)}.` : "");
    if (zip() && bytes > largest) input.setCustomValidity(`${zip().name} has ${gigabytes(bytes)}; a study package has at most ${gigabytes(largest)}.`);
  });
  form.addEventListener("submit", (event) => {
    if (form.elements.start.value !== "upload" || !zip()) return;
    event.preventDefault();
    if (!transfer) begin(zip());
  });
  section.querySelector("[data-cancel]").addEventListener("click", () => transfer?.cancel());
  addEventListener("beforeunload", (event) => {
    if (transfer) event.preventDefault();
  });
  // Chosen before this script was here, or given back by the browser with the page.
  if (input.files?.length) input.dispatchEvent(new Event("change"));

  function zip() {
    const [file] = input.files;
    return input.files.length === 1 && /\.zip$/i.test(file.name) ? file : null;
  }

  async function begin(file) {
    transfer = new Transfer(file, {}, show, ADDRESS);
    section.hidden = false;
    await transfer.run();
    const { state, token } = transfer;
    if (state === "cancelled" || state === "refused" || state === "paused") transfer = null;
    if (state !== "waiting") return;
    transfer = null;
    form.elements.package.value = token;
    form.elements.package_name.value = file.name;
    input.value = "";
    form.submit();
  }

  function show(now) {
    const share = now.file.size ? now.sent / now.file.size : 1;
    bar.hidden = now.isOver;
    bar.value = share;
    section.querySelector("[data-cancel]").hidden = now.isOver || now.state === "waiting";
    const words = {
      ready: "Beginning …",
      sending: `${Math.floor(100 * share)}% of ${megabytes(now.file.size)} sent`,
      waiting: "Sent. The study is being made …",
      cancelled: "Cancelled; nothing was made.",
    };
    said.textContent = `${now.file.name}: ${words[now.state] ?? now.message}`;
  }
}

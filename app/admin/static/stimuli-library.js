/** The library: clips play while they are pointed at or in focus; more of them without another page; how many are chosen. */

const clips = document.querySelector("[data-clips]");

function playInFocus(root) {
  for (const video of root.querySelectorAll("[data-clip]")) {
    if (video.controls) continue;
    const play = () => {
      video.play().catch(() => {}); // taken back before it began
    };
    const rest = () => {
      if (video.matches(":hover") || video === document.activeElement) return;
      video.pause();
      video.currentTime = 0;
      if (video.poster) video.load(); // shows the poster again
    };
    video.addEventListener("mouseenter", play);
    video.addEventListener("focus", play);
    video.addEventListener("mouseleave", rest);
    video.addEventListener("blur", rest);
  }
}
playInFocus(document);

/** "Show 40 more" puts them below those that are here, so that what is chosen stays chosen. */
async function more(event) {
  const link = event.target.closest("[data-more]");
  if (!link || !clips || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  link.setAttribute("aria-disabled", "true");
  try {
    const answer = await fetch(link.href);
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const here = clips.children.length;
    const fresh = [...page.querySelector("[data-clips]").children].slice(here);
    for (const each of fresh) {
      clips.append(document.adoptNode(each));
      playInFocus(each);
    }
    for (const part of ["[data-pages]", "[data-range]"]) {
      const [old, next] = [document.querySelector(part), page.querySelector(part)];
      if (old && next) old.replaceWith(document.adoptNode(next));
    }
    for (const field of ["back", "n_found"]) {
      const [old, next] = [form?.elements[field], page.querySelector(`#chosen [name=${field}]`)];
      if (old && next) old.value = next.value;
    }
    history.replaceState(null, "", link.href.replace(/#.*/, ""));
    fresh[0]?.querySelector("a")?.focus({ preventScroll: true });
    tell();
  } catch {
    location.assign(link.href); // the page says what is wrong
  }
}
document.addEventListener("click", more);

const form = document.querySelector("[data-chosen]");
const all = form?.querySelector("[data-tick-all]");
const ticks = () => [...document.querySelectorAll("[data-tick]")];

/** Say how many are chosen, and offer what can be done with that many. */
function tell() {
  if (!form) return;
  const boxes = ticks();
  const isEvery = Boolean(form.querySelector("[data-fitting]")?.checked);
  const n = isEvery ? Number(form.elements.n_found.value) : boxes.filter((box) => box.checked).length;
  all.checked = n >= boxes.length;
  all.indeterminate = n > 0 && n < boxes.length;
  form.querySelector("[data-count]").textContent = n ? `${n} chosen` : "Choose all shown";
  form.querySelector("[data-acts]").hidden = n === 0;
}

if (form) {
  form.querySelector("[data-every]").hidden = false;
  form.querySelector("[data-plain]").hidden = true;
  all.addEventListener("change", () => {
    for (const box of ticks()) box.checked = all.checked;
    tell();
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-tick], [data-fitting]")) tell();
  });
  form.addEventListener("keydown", (event) => {
    const panel = event.target.closest(".drop-down");
    if (event.key === "Enter" && event.target.matches("input:not([type=checkbox])")) {
      event.preventDefault();
      panel.querySelector("button").click();
    } else if (event.key === "Escape" && panel?.open) {
      panel.open = false;
      panel.querySelector("summary").focus();
    }
  });
  tell();
}

for (const link of document.querySelectorAll("[data-open]")) {
  link.addEventListener("click", () => {
    document.getElementById(link.dataset.open).open = true;
  });
}

/** A participant's page inside the design's: it is brought up to date in place, its clips can be played, nothing is sent. */

import { PairPlayer } from "/static/player.js";
import { areStacked } from "/static/playback.js";
import { TurnPlayer } from "/static/turns.js";
import { TurnsView } from "/static/turns-view.js";
import { ControlsView, GateView } from "/static/views.js";

/** Whether the clips come one after the other, in a window as wide as this one. */
function isInTurn(trial) {
  const { layout } = trial.dataset;
  return layout === "sequential" || (layout === "by-width" && areStacked(...trial.querySelectorAll("[data-clip]")));
}

/** The real controls over the clips as they are; what is watched is not kept. */
function play(trial) {
  const videos = [...trial.querySelectorAll("[data-clip] video")];
  const inTurn = isInTurn(trial);
  const player = inTurn ? new TurnPlayer({ left: videos[0], right: videos[1] }) : new PairPlayer(...videos);
  const turns = inTurn ? new TurnsView(trial, player, true) : null; // to be looked through, watched or not
  const controls = new ControlsView(trial, player, turns);
  const ready = new Set();
  const ended = new Set();
  const allIn = (set) => set.size === videos.length;
  const act = (action) => () => allIn(ready) && action();
  controls.listen({ toggle: act(() => player.toggle()), replay: act(() => player.replay()) });
  for (const name of ["change", "turn"]) player.addEventListener(name, () => controls.show(allIn(ready)));

  for (const video of videos) {
    const clip = video.closest("[data-clip]");
    const state = clip.querySelector("[data-state]");
    const bar = clip.querySelector("progress");
    bar.hidden = false;
    video.controls = false;
    video.preload = "metadata";
    const show = () => {
      bar.value = video.ended ? 1 : video.currentTime / video.duration || 0;
      state.textContent = ended.has(video) ? "Watched" : `${Math.floor(bar.value * 100)}% watched`;
    };
    video.addEventListener("loadedmetadata", () => {
      clip.closest("[data-stage]").style.setProperty("--ratio", video.videoWidth / video.videoHeight || 1.6);
      ready.add(video);
      show();
      controls.show(allIn(ready));
    });
    video.addEventListener("timeupdate", show);
    video.addEventListener("ended", () => {
      ended.add(video);
      show();
      if (allIn(ended)) openGate();
    });
    video.addEventListener("error", () => {
      state.textContent = "No clip to show";
    });
    if (!video.getAttribute("src")) state.textContent = "No clip to show";
    else video.load();
  }
  controls.show(false);
  turns?.show();
}

/** The questions are shown as they are when open, to be read; the line above them says that they open later. */
function showGate(trial) {
  const gate = trial.querySelector("[data-gate]");
  if (gate) gate.hidden = false;
}

function openGate() {
  const trial = document.querySelector("[data-trial]");
  if (trial.querySelector("[data-gate]")) new GateView(trial, document.querySelector("form")).open();
}

function begin() {
  for (const link of document.querySelectorAll("main a[href]")) link.target = "_blank";
}

const clipsOf = (body) => [...body.querySelectorAll("[data-clip] video")].map((video) => video.getAttribute("src")).join(" ");

/** The page as it is now; videos that are still the same ones stay, and go on playing. */
async function refresh() {
  const response = await fetch(location.href, { credentials: "same-origin" });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const body = document.importNode(page.body, true);
  const isInOneWay = [body, document].every((each) => !each.querySelector("[data-layout]")); // no turn of them is kept
  const same = isInOneWay && clipsOf(body) !== "" && clipsOf(body) === clipsOf(document.body);
  if (same) {
    for (const name of ["[data-stage]", "[data-controls]"]) {
      body.querySelector(name).replaceWith(document.querySelector(name));
    }
  }
  const top = document.scrollingElement.scrollTop;
  document.title = page.title;
  document.body.className = body.className;
  document.body.replaceChildren(...body.childNodes);
  document.scrollingElement.scrollTop = top;
  begin();
  const trial = document.querySelector("[data-trial]");
  if (!trial) return;
  showGate(trial);
  if (!same) play(trial);
}

window.addEventListener("message", (event) => {
  if (event.origin === location.origin && event.data === "refresh") refresh().catch(() => {});
});
document.addEventListener("submit", (event) => event.preventDefault());
begin();
const trial = document.querySelector("[data-trial]");
if (trial) {
  showGate(trial);
  play(trial);
}

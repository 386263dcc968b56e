/** The rules page: boxes drawn on the picture, trims on a timeline, before and after side by side. Fields stay the truth. */

const HIGHEST_VH = 62;
const SIDES = ["x", "y", "width", "height"];
const SMALLEST = 1; // percent
const STEP = 1;
const BIG_STEP = 5;

for (const element of document.querySelectorAll("[data-only-script]")) element.hidden = false;

const form = document.querySelector("[data-rules]");
const stage = form?.querySelector("[data-stage]");
if (form) masks();
if (stage) {
  const video = stage.querySelector("video");
  fit(video);
  standIn(video);
  trims();
}
sideBySide();

/** Where the browser cannot play the original, its picture stands there instead. */
function standIn(video) {
  const replace = () => {
    const picture = document.createElement("img");
    picture.addEventListener("load", () => fit(picture));
    picture.src = video.poster;
    picture.alt = "A frame of the original, which this browser cannot play";
    video.replaceWith(picture);
  };
  if (video.error) replace();
  else video.addEventListener("error", replace);
}

/** The stage in the picture's own shape, no bars beside it: percents are of the picture. Boxes are drawn from then on. */
function fit(picture) {
  const shape = () => {
    const ratio = (picture.videoWidth ?? picture.naturalWidth) / (picture.videoHeight ?? picture.naturalHeight);
    if (!stage || !(ratio > 0)) return;
    stage.style.maxWidth = `${HIGHEST_VH * ratio}vh`;
    stage.querySelector("[data-layer]").hidden = false;
  };
  shape();
  picture.addEventListener("loadedmetadata", shape);
}

function round(value) {
  return Math.round(value * 100) / 100;
}

function within(value, low, high) {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

function masks() {
  const rows = form.querySelector("[data-masks]");
  const blank = form.querySelector("template[data-blank]");
  const add = form.querySelector("[data-add]");
  const layer = stage?.querySelector("[data-layer]");
  let number = rows.querySelectorAll("[data-mask]").length;

  add.hidden = false;
  add.addEventListener("click", () => {
    const row = makeRow({ x: 40, y: 40, width: 20, height: 20 });
    row.querySelector("input").focus();
  });
  for (const row of rows.querySelectorAll("[data-mask]")) follow(row);
  layer?.addEventListener("pointerdown", draw);
  show();

  function makeRow(box) {
    const html = blank.innerHTML.replaceAll("mask.N.", `mask.${number}.`).replaceAll("mask-N-", `mask-${number}-`);
    const holder = document.createElement("div");
    holder.innerHTML = html; // our own template, with a number put in
    const row = holder.firstElementChild;
    number += 1;
    rows.append(row);
    follow(row);
    write(row, box);
    return row;
  }

  function follow(row) {
    const remove = row.querySelector("[data-remove]");
    remove.hidden = false;
    remove.addEventListener("click", () => drop(row));
    row.addEventListener("input", show);
  }

  function drop(row) {
    row.remove();
    show();
    add.focus();
  }

  function field(row, side) {
    return row.querySelector(`[data-side=${side}]`);
  }

  function read(row) {
    return Object.fromEntries(SIDES.map((side) => [side, Number(field(row, side).value) || 0]));
  }

  /** A box back within the picture, into its fields. */
  function write(row, box) {
    const width = within(box.width, SMALLEST, 100);
    const height = within(box.height, SMALLEST, 100);
    const kept = { x: within(box.x, 0, 100 - width), y: within(box.y, 0, 100 - height), width, height };
    for (const side of SIDES) field(row, side).value = round(kept[side]);
    show();
  }

  /** Boxes over the picture for the rows there are; those that are there already are moved, and keep the focus. */
  function show() {
    const all = [...rows.querySelectorAll("[data-mask]")];
    all.forEach((row, index) => {
      row.querySelector("legend").textContent = `Mask ${index + 1}`;
      row.querySelector("[data-remove] span").textContent = ` mask ${index + 1}`;
      if (layer) place(row, index);
    });
    for (const box of layer?.querySelectorAll(".mask-box") ?? []) {
      if (!all.includes(box.row)) box.remove();
    }
  }

  function place(row, index) {
    row.box ??= makeBox(row);
    const { x, y, width, height } = read(row);
    Object.assign(row.box.style, { left: `${x}%`, top: `${y}%`, width: `${width}%`, height: `${height}%` });
    row.box.querySelector("span").textContent = index + 1;
    const where = `${round(x)}% from the left, ${round(y)}% from the top, ${round(width)}% by ${round(height)}%`;
    row.box.setAttribute("aria-label", `Mask ${index + 1}: ${where}`);
  }

  function makeBox(row) {
    const box = document.createElement("div");
    box.className = "mask-box";
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.append(document.createElement("span"), document.createElement("i"));
    box.row = row;
    box.addEventListener("keydown", (event) => byKey(event, row));
    box.addEventListener("pointerdown", (event) => drag(event, row, event.target.tagName === "I"));
    layer.append(box);
    return box;
  }

  function byKey(event, row) {
    const by = event.ctrlKey ? BIG_STEP : STEP;
    const [dx, dy] = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[event.key] ?? [0, 0];
    if (event.key === "Delete" || event.key === "Backspace") drop(row);
    else if (!dx && !dy) return;
    else if (event.shiftKey) sized(row, read(row), dx, dy);
    else moved(row, read(row), dx, dy);
    event.preventDefault();
  }

  function moved(row, box, dx, dy) {
    write(row, { ...box, x: box.x + dx, y: box.y + dy });
  }

  function sized(row, box, dx, dy) {
    const width = within(box.width + dx, SMALLEST, 100 - box.x);
    const height = within(box.height + dy, SMALLEST, 100 - box.y);
    write(row, { ...box, width, height });
  }

  /** Follow the pointer from here until it is let go; `each` gets how far it has come, in percent of the picture. */
  function whileDown(event, each, end = () => {}) {
    const { width, height } = layer.getBoundingClientRect();
    const move = (now) => each(((now.clientX - event.clientX) / width) * 100, ((now.clientY - event.clientY) / height) * 100);
    const over = new AbortController();
    const up = () => {
      over.abort();
      end();
    };
    for (const [name, act] of [["pointermove", move], ["pointerup", up], ["pointercancel", up]]) addEventListener(name, act, { signal: over.signal });
    event.preventDefault();
    event.stopPropagation();
  }

  function drag(event, row, atCorner) {
    const box = read(row);
    row.box.focus();
    whileDown(event, (dx, dy) => (atCorner ? sized(row, box, dx, dy) : moved(row, box, dx, dy)));
  }

  function draw(event) {
    if (event.button !== 0) return;
    const frame = layer.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * 100;
    const y = ((event.clientY - frame.top) / frame.height) * 100;
    let row = null;
    whileDown(
      event,
      (dx, dy) => {
        if (!row && Math.max(Math.abs(dx), Math.abs(dy)) < SMALLEST) return; // a click is no box
        row ??= makeRow({ x, y, width: SMALLEST, height: SMALLEST });
        const [left, right] = [within(Math.min(x, x + dx), 0, 100), within(Math.max(x, x + dx), 0, 100)];
        const [top, bottom] = [within(Math.min(y, y + dy), 0, 100), within(Math.max(y, y + dy), 0, 100)];
        write(row, { x: left, y: top, width: right - left, height: bottom - top });
      },
      () => row?.box.focus(),
    );
  }
}

function trims() {
  const line = form.querySelector("[data-timeline]");
  const play = form.querySelector("[data-play-kept]");
  const ranges = [...form.querySelectorAll("[data-trim]")];
  const [start, end] = ["trim_start_s", "trim_end_s"].map((name) => form.elements[name]);
  const video = stage.querySelector("video");
  let duration = Number(stage.dataset.duration);

  line.hidden = play.hidden = false;
  for (const range of ranges) {
    range.hidden = false;
    const field = form.elements[range.dataset.trim];
    range.addEventListener("input", () => {
      field.value = range.value;
      show();
      seek(range.dataset.trim === "trim_start_s" ? Number(start.value) : duration - Number(end.value));
    });
    field.addEventListener("input", () => {
      range.value = field.value || 0;
      show();
    });
  }
  video.addEventListener("loadedmetadata", () => {
    if (!Number.isFinite(video.duration)) return;
    duration = video.duration;
    for (const range of ranges) range.max = duration;
    show();
    seek(Number(start.value));
  });
  video.addEventListener("timeupdate", () => {
    if (!video.paused && video.currentTime >= duration - Number(end.value)) seek(Number(start.value)); // round and round
    line.querySelector(".now").style.left = `${(100 * video.currentTime) / duration}%`;
  });
  video.addEventListener("play", () => (play.textContent = "Pause"));
  video.addEventListener("pause", () => (play.textContent = "Play what is kept"));
  video.addEventListener("error", () => (play.hidden = true));
  play.addEventListener("click", () => {
    if (!video.paused) video.pause();
    else {
      if (video.currentTime < Number(start.value) || video.currentTime >= duration - Number(end.value)) seek(Number(start.value));
      video.play().catch(() => {});
    }
  });
  show();

  function seek(at) {
    if (video.readyState) video.currentTime = within(at, 0, duration);
  }

  function show() {
    const left = within((100 * Number(start.value)) / duration, 0, 100);
    const right = within(100 - (100 * Number(end.value)) / duration, 0, 100);
    Object.assign(line.querySelector(".kept").style, { left: `${left}%`, width: `${Math.max(right - left, 0)}%` });
  }
}

function sideBySide() {
  const both = document.querySelector("[data-both]");
  if (!both) return;
  const videos = [document.querySelector("[data-before]"), document.querySelector("[data-after]")];
  standIn(videos[0]);
  both.hidden = false;
  both.addEventListener("click", () => {
    const trim = Number(form.elements.trim_start_s.value) || 0;
    videos[0].currentTime = trim; // the same moment in both
    videos[1].currentTime = 0;
    for (const video of videos) video.play?.().catch(() => {});
  });
}

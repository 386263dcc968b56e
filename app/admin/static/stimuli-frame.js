/** The sides of videos as the browser reads them from the beginning of each file; of what it cannot read there are none. */

const LONGEST_MS = 5000;
const AT_ONCE = 4;
const MOST = 200;

/** Sides, [width, height] in px, of up to MOST of the files, spread evenly over them. */
export async function measured(files, measure = sidesOf) {
  const waiting = spread(files, MOST);
  const found = [];
  async function work() {
    while (waiting.length) {
      const sides = await measure(waiting.shift());
      if (sides) found.push(sides);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** At most `most` of a list, evenly spread. */
export function spread(list, most) {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]);
}

function sidesOf(file) {
  return new Promise((resolve) => {
    const video = document.createElement("video");
    const address = URL.createObjectURL(file);
    const end = (sides) => {
      clearTimeout(timer);
      video.removeAttribute("src");
      URL.revokeObjectURL(address);
      resolve(sides);
    };
    const timer = setTimeout(() => end(null), LONGEST_MS);
    video.preload = "metadata";
    video.muted = true;
    video.addEventListener("loadedmetadata", () => end(video.videoWidth ? [video.videoWidth, video.videoHeight] : null));
    video.addEventListener("error", () => end(null));
    video.src = address;
  });
}

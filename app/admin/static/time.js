/** One format of time on every page: 1 Mar 2026, 13:05, in the reader's zone, which the foot of the menu names. */

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export function inWords(at, { seconds = false } = {}) {
  const two = (number) => String(number).padStart(2, "0");
  const clock = [at.getHours(), at.getMinutes(), ...(seconds ? [at.getSeconds()] : [])].map(two).join(":");
  return `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}, ${clock}`;
}

/** The same in two parts for a tight table: the day, without the year where it is this one, and the clock. */
export function inShort(at, now = new Date()) {
  const [day, clock] = inWords(at).split(", ");
  return at.getFullYear() === now.getFullYear() ? [day.slice(0, -5), `, ${clock}`] : [day, ""];
}

/** The reader's zone by the name that it has in summer and in winter. */
export const zoneInWords = () => Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll("_", " ");

/** Every time within an element in the reader's zone; a day without a time of day stays as it is. */
export function inZone(element) {
  for (const time of element.querySelectorAll("time[datetime]")) {
    if (!time.dateTime.includes("T")) continue;
    time.title = `${time.textContent} UTC`;
    const at = new Date(time.dateTime);
    if (time.dataset.short === undefined) {
      time.textContent = inWords(at);
      continue;
    }
    const [day, clock] = inShort(at);
    const wide = document.createElement("span");
    wide.className = "wide";
    wide.textContent = clock;
    time.replaceChildren(day, wide);
  }
}

/** One format of time on every page: 1 Mar 2026, 13:05, in the reader's zone, which the foot of the menu names. */

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export function inWords(at, { seconds = false } = {}) {
  const two = (number) => String(number).padStart(2, "0");
  const clock = [at.getHours(), at.getMinutes(), ...(seconds ? [at.getSeconds()] : [])].map(two).join(":");
  return `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}, ${clock}`;
}

/** The reader's zone by the name that it has in summer and in winter. */
export const zoneInWords = () => Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll("_", " ");

/** Every time within an element in the reader's zone; a day without a time of day stays as it is. */
export function inZone(element) {
  for (const time of element.querySelectorAll("time[datetime]")) {
    if (!time.dateTime.includes("T")) continue;
    time.title = `${time.textContent} UTC`;
    time.textContent = inWords(new Date(time.dateTime));
  }
}

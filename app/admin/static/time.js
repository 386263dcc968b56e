/** One format of time on every page: 2026-03-01 13:05 GMT+1, in the reader's zone, which is said. */

export function inWords(at, { seconds = false } = {}) {
  const two = (number) => String(number).padStart(2, "0");
  const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" })
    .formatToParts(at)
    .find((part) => part.type === "timeZoneName").value;
  const clock = [at.getHours(), at.getMinutes(), ...(seconds ? [at.getSeconds()] : [])].map(two).join(":");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock} ${zone}`;
}

/** Every time within an element in the reader's zone. */
export function inZone(element) {
  for (const time of element.querySelectorAll("time[datetime]")) {
    time.title = time.textContent;
    time.textContent = inWords(new Date(time.dateTime));
  }
}

/** Before consent: is the window wide enough? It is measured as it is resized, and told where it is not. */
export function measureDevice(field, said, agree) {
  const least = Number(field.dataset.least) || 0;
  const measure = () => {
    const narrow = innerWidth < least;
    field.value = JSON.stringify({ width: innerWidth, height: innerHeight, pixel_ratio: devicePixelRatio });
    if (said.hidden === narrow) said.hidden = !narrow;
    agree.toggleAttribute("data-narrow", narrow);
    agree.setAttribute("aria-disabled", String(narrow));
  };
  // Not `disabled`, which the check of the videos sets as well.
  agree.addEventListener("click", (event) => {
    if (!agree.hasAttribute("data-narrow")) return;
    event.preventDefault();
    said.focus();
  });
  addEventListener("resize", measure);
  measure();
}

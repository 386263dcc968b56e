/** Two lists of clips: filtered as one types, where all that fit are on the page; else the server filters. */

for (const list of document.querySelectorAll("[data-list]")) {
  const source = list.querySelector("[data-source]");
  const text = list.querySelector("[data-text]");
  const choices = [...list.querySelectorAll("[data-choice]")];
  const none = list.querySelector("[data-none]");
  const button = list.querySelector("[data-filter]");
  const isWhole = !list.querySelector("[data-more]") && !source.value && !text.value;

  function filter() {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const choice of choices) {
      const fits =
        (!source.value || choice.dataset.sourceOf === source.value) && words.every((word) => choice.dataset.words.includes(word));
      choice.hidden = !fits;
      if (fits) shown += 1;
    }
    none.hidden = shown > 0 || !choices.length;
  }

  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // Enter filters; it does not add a pair
    if (!isWhole) button.click();
  });
  if (!isWhole) {
    source.addEventListener("change", () => button.click());
    continue;
  }
  button.hidden = true;
  source.addEventListener("change", filter);
  text.addEventListener("input", filter);
}

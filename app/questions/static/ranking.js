/**
 * Options to be put in order: a press gives an option the next place, another press takes it back. The menus of places
 * stay the form's fields, out of sight; until every option has a place there is no answer.
 */

export function add(question) {
  const options = [...question.querySelectorAll("[data-option]")].map((item) => {
    const menu = item.querySelector("select");
    const label = item.querySelector("label");
    const button = document.createElement("button");
    const place = document.createElement("b");
    const name = document.createElement("span");
    button.type = "button";
    button.className = "card rank";
    button.setAttribute("aria-describedby", question.getAttribute("aria-describedby"));
    name.textContent = label.textContent;
    button.append(place, name);
    item.append(button);
    menu.hidden = label.hidden = true;
    return { menu, button, place };
  });
  const ranked = () =>
    options.filter(({ menu }) => menu.value !== "").sort((a, b) => Number(a.menu.value) - Number(b.menu.value));
  const show = () => {
    for (const { menu, button, place } of options) {
      button.setAttribute("aria-pressed", String(menu.value !== ""));
      place.textContent = menu.value;
    }
  };
  const press = (option) => {
    const before = ranked();
    const now = before.includes(option) ? before.filter((other) => other !== option) : [...before, option];
    for (const each of options) each.menu.value = now.includes(each) ? String(now.indexOf(each) + 1) : "";
    show();
    option.menu.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const option of options) option.button.addEventListener("click", () => press(option));
  const hint = question.querySelector("[data-pressed]");
  hint.textContent = hint.dataset.pressed;
  show();
}

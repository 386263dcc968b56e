/**
 * A slider above the number of a question. It stands in the middle until somebody moves it, presses on it or types a
 * number, and till then there is no answer: where it stands by itself is nobody's opinion.
 */

import { _ } from "./words.js";

const TAKES = new Set(["Enter", " "]);

export function add(question) {
  const number = question.querySelector("input[type=number]");
  const slider = document.createElement("input");
  const named = number.id;
  slider.type = "range";
  for (const key of ["min", "max", "step"]) slider[key] = number[key];
  slider.setAttribute("aria-labelledby", `${named}-ask`);
  slider.setAttribute("aria-describedby", `${named}-ends`);

  const isOpen = () => slider.hasAttribute("data-unset");
  const show = () => {
    const unset = number.value === "";
    slider.value = unset ? (Number(number.min) + Number(number.max)) / 2 : number.value;
    slider.toggleAttribute("data-unset", unset);
    if (unset) slider.setAttribute("aria-valuetext", _("not chosen yet"));
    else slider.removeAttribute("aria-valuetext");
  };
  const take = () => {
    number.value = slider.value;
    number.dispatchEvent(new Event("input", { bubbles: true }));
  };
  slider.addEventListener("input", take);
  // Where it stands already, there is nothing to move.
  slider.addEventListener("click", () => isOpen() && take());
  slider.addEventListener("keydown", (event) => {
    if (!TAKES.has(event.key) || !isOpen()) return;
    event.preventDefault();
    take();
  });
  number.addEventListener("input", show);
  question.querySelector(".ends").before(slider);
  show();
}

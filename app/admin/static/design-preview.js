/** The participant's page beside the form: the page that belongs to what is being written, at a chosen width. */

import { loadPreference, savePreference } from "/static/store.js";

const COMPUTER_PX = 1280;
const TELEPHONE_PX = 390;
// Less than this is not read any more.
const LEAST_SCALE = 0.6;

export class Preview {
  #frame;
  #screen;
  #links;
  #buttons;
  #kind;
  #isLoading;
  #isStale = false;
  #width = TELEPHONE_PX;
  #whole;
  #widen;

  /** `widen` is called where the part is too narrow for the width that was chosen. */
  constructor(part, widen = () => {}) {
    this.#widen = widen;
    this.#whole = part.querySelector("[data-whole]");
    this.#frame = part.querySelector("[data-frame]");
    this.#screen = part.querySelector("[data-screen]");
    this.#links = [...part.querySelectorAll("a[data-page]")];
    this.#kind = this.#links.find((link) => link.hasAttribute("aria-current"))?.dataset.page;
    this.#isLoading = this.#frame.contentDocument?.readyState !== "complete";
    this.#frame.addEventListener("load", () => {
      this.#isLoading = false;
      if (this.#isStale) this.refresh();
    });
    const widths = part.querySelector("[data-widths]");
    this.#buttons = [...widths.children];
    widths.hidden = false;
    widths.addEventListener("click", ({ target }) => {
      if (!target.dataset.width) return;
      savePreference("design-width", target.dataset.width);
      this.#choose(Number(target.dataset.width));
      if (this.#scale() < LEAST_SCALE) this.#widen();
    });
    for (const link of this.#links) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.show(link.dataset.page);
      });
    }
    new ResizeObserver(() => this.fit()).observe(this.#screen);
    this.#choose(Number(loadPreference("design-width")) || TELEPHONE_PX);
    if (this.#scale() < LEAST_SCALE) this.#choose(TELEPHONE_PX);
  }

  /** Another page of the study. */
  show(kind) {
    const link = this.#links.find((other) => other.dataset.page === kind);
    if (!link || kind === this.#kind) return;
    this.#kind = kind;
    for (const other of this.#links) other.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    if (this.#whole) this.#whole.href = link.href;
    this.#isLoading = true;
    // Not by `src`, which would make the back button go through every page looked at.
    this.#frame.contentWindow.location.replace(link.href);
  }

  /** The same page as it is now. It keeps its place, and a clip that plays goes on. */
  refresh() {
    this.#isStale = this.#isLoading; // then once it is there
    if (!this.#isLoading) this.#frame.contentWindow.postMessage("refresh", location.origin);
  }

  fit() {
    if (this.#screen.clientWidth) this.#screen.style.setProperty("--scale", this.#scale());
  }

  #scale() {
    const width = this.#screen.clientWidth;
    return width ? Math.min(1, width / this.#width) : 1;
  }

  #choose(width) {
    this.#width = width;
    for (const button of this.#buttons) button.setAttribute("aria-pressed", String(Number(button.dataset.width) === width));
    this.#screen.toggleAttribute("data-wide", width === COMPUTER_PX);
    this.#screen.toggleAttribute("data-narrow", width !== COMPUTER_PX);
    this.fit();
  }
}

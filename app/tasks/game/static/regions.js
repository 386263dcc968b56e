/**
 * Bring the page to a new state part by part: what has not changed is not touched, and what is being typed stays, with
 * the focus, as long as its part is still there.
 */

const PART = "[data-part]";

/** A part's markup, but for what differs at each serving. */
function markup(part) {
  const copy = part.cloneNode(true);
  for (const field of copy.querySelectorAll("input[name=submit_id]")) field.setAttribute("value", "");
  for (const clock of copy.querySelectorAll("[data-clock]")) clock.replaceWith("clock");
  return copy.outerHTML;
}

/** Which parts stay as they are: those being typed in, and those that were served the same. Maps of key to markup. */
export function kept(before, after, typed) {
  return new Set([...after.keys()].filter((key) => before.has(key) && (typed.has(key) || before.get(key) === after.get(key))));
}

const keyed = (root) => new Map([...root.querySelectorAll(PART)].map((part) => [part.dataset.part, part]));

export class Regions {
  #served;

  /** `holder` has the one `[data-state]` of the page. */
  constructor(holder) {
    this.holder = holder;
    this.#served = this.#markups(this.state);
  }

  get state() {
    return this.holder.querySelector("[data-state]");
  }

  /** Show the state that `html` holds. Returns the parts that are new on the page. */
  show(html) {
    const parsed = document.createElement("template");
    parsed.innerHTML = html;
    const fresh = parsed.content.querySelector("[data-state]");
    const served = this.#markups(fresh);
    const [old, next] = [keyed(this.state), keyed(fresh)];
    const typed = new Set([...next].filter(([, part]) => "typed" in part.dataset).map(([key]) => key));
    const stay = kept(this.#served, served, typed);
    const focus = rememberFocus();
    const open = new Set([...this.state.querySelectorAll("details[data-keep][open]")].map((each) => each.dataset.keep));
    for (const key of stay) moveClock(next.get(key), old.get(key));
    if ([...old.keys()].join(" ") === [...next.keys()].join(" ")) {
      for (const [key, part] of next) if (!stay.has(key)) old.get(key).replaceWith(part);
      Object.assign(this.state.dataset, fresh.dataset);
    } else {
      for (const key of stay) next.get(key).replaceWith(old.get(key));
      this.state.replaceWith(fresh);
    }
    for (const each of this.state.querySelectorAll("details[data-keep]")) if (open.has(each.dataset.keep)) each.open = true;
    this.#served = served;
    this.#giveBack(focus);
    return [...next].filter(([key]) => !stay.has(key)).map(([, part]) => part);
  }

  #markups(state) {
    return new Map([...keyed(state)].map(([key, part]) => [key, markup(part)]));
  }

  /** To where it was; where that is gone, to the headline, so that a keyboard goes on from there. */
  #giveBack(focus) {
    if (!focus || document.activeElement === focus.element) return;
    if (focus.element.isConnected) {
      focus.element.focus({ preventScroll: true });
      if (focus.from !== null) focus.element.setSelectionRange?.(focus.from, focus.to);
    } else this.state.querySelector("[data-headline]")?.focus({ preventScroll: true });
  }
}

function rememberFocus() {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const isText = element.matches("textarea");
  return { element, from: isText ? element.selectionStart : null, to: isText ? element.selectionEnd : null };
}

/** A part that stays still gets the time that the server says is left. */
function moveClock(from, to) {
  const [fresh, old] = [from.querySelector("[data-clock]"), to.querySelector("[data-clock]")];
  if (fresh && old) old.replaceWith(fresh);
}

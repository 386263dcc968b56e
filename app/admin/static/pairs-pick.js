/** Two lists of clips, each found anew as one types or presses a choice; the server finds, the page stays. */

const TYPED_MS = 250;
const form = document.querySelector("[data-pick]");

/** The page's address with the form as it stands, and what was pressed in it. */
function addressOf(pressed) {
  const fields = new URLSearchParams(new FormData(form));
  for (const name of ["csrf", "revision"]) fields.delete(name);
  if (pressed?.name) {
    fields.set(pressed.name, pressed.value);
    const suffix = pressed.name.slice(-2);
    if (!pressed.name.startsWith("show") && !pressed.name.startsWith("page")) fields.delete(`page${suffix}`);
  }
  return `${location.pathname}?${fields}`;
}

function follow(list) {
  let asked = 0;

  async function find(pressed) {
    const mine = ++asked;
    const address = addressOf(pressed);
    try {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(answer.statusText);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector(`[data-list="${list.dataset.list}"] [data-found]`);
      if (!fresh) throw new Error("another page");
      if (mine !== asked) return; // something else was typed meanwhile
      const old = list.querySelector("[data-found]");
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      old.replaceWith(document.adoptNode(fresh));
      if (focused) {
        const again = [...fresh.querySelectorAll("button")].find(
          (each) => each.name === focused.name && each.value === focused.value,
        );
        (again ?? fresh.querySelector("input[type=radio]") ?? list.querySelector("[data-text]")).focus({ preventScroll: true });
      }
      history.replaceState(null, "", address);
    } catch {
      if (mine === asked) location.assign(address); // the page says what is wrong
    }
  }

  let timer = 0;
  list.querySelector("[data-text]").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, TYPED_MS);
  });
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("[data-text]")) return;
    event.preventDefault(); // Enter finds; it does not add a pair
    clearTimeout(timer);
    find();
  });
  list.addEventListener("change", (event) => {
    if (event.target.matches("select")) find();
  });
  list.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-find]");
    if (!pressed) return;
    event.preventDefault();
    clearTimeout(timer);
    find(pressed);
  });
}

if (form) for (const list of form.querySelectorAll("[data-list]")) follow(list);

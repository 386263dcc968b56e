/** Offer to copy a text, such as the participants' address. */

async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard without https: select the text and let the browser copy what is selected.
    if (element.select) element.select();
    else getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  let around = button.parentElement;
  while (!around.querySelector("[data-text]")) around = around.parentElement;
  const text = around.querySelector("[data-text]");
  const status = button.parentElement.querySelector("[data-copied]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const copied = await copy(text.textContent, text);
    status.textContent = copied ? "Copied." : "It is selected: copy it with your keyboard or menu.";
  });
}

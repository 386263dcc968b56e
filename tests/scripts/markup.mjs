/** As much of a document as the scripts tested here ask for: markup in, elements out, events that bubble. */

const VOID = new Set(["input", "br", "meta"]);
const PIECE = /<(\/?)([a-z0-9]+)([^>]*)>|[^<]+/g;
const ATTRIBUTE = /([\w-]+)(?:="([^"]*)")?/g;
const SIMPLE = /([\w-]+)|\.([\w-]+)|#([\w-]+)|\[([\w-]+)(?:(\^?)="?([^\]"]*)"?)?\]|:(\w+)(?:\(([^)]*)\))?/y;
const inParts = (selectors) => selectors.split(/,(?![^(]*\))/).map((one) => one.trim());

function fits(node, compound) {
  SIMPLE.lastIndex = 0;
  while (SIMPLE.lastIndex < compound.length) {
    const [, tag, className, id, name, begins, value, state, inner] = SIMPLE.exec(compound) ?? [];
    const after = SIMPLE.lastIndex;
    if (!after) throw new Error(`a selector that is not known here: ${compound}`);
    if (tag && node.localName !== tag) return false;
    if (className && !node.className.split(" ").includes(className)) return false;
    if (id && node.id !== id) return false;
    const given = name && node.getAttribute(name);
    if (given === null || (begins ? !given.startsWith(value) : name && value !== undefined && given !== value)) return false;
    if (state === "not" ? node.matches(inner) : state && state !== "scope" && !node[state]) return false;
    SIMPLE.lastIndex = after;
  }
  return true;
}

/** A flag that is an attribute. */
const flag = (name) => ({
  get() {
    return this.hasAttribute(name);
  },
  set(on) {
    this.toggleAttribute(name, Boolean(on));
  },
});
const text = (name) => ({
  get() {
    return this.getAttribute(name) ?? "";
  },
  set(value) {
    this.setAttribute(name, value);
  },
});

export class Node {
  parentElement = null;
  childNodes = [];
  style = {};
  scrolls = 0;
  #listeners = [];

  constructor(localName, attributes = {}) {
    Object.assign(this, { localName, attributes });
  }

  get cells() { return this.children; }
  get firstElementChild() { return this.children[0] ?? null; }
  get tagName() { return this.localName.toUpperCase(); }
  get elements() {
    const all = this.all.filter((each) => ["input", "select", "textarea", "button"].includes(each.localName));
    return Object.assign(all, Object.fromEntries(all.filter(({ name }) => name).map((each) => [each.name, each])));
  }
  get children() { return this.childNodes.filter((each) => each instanceof Node); }
  get all() { return this.children.flatMap((each) => [each, ...each.all]); }
  get root() { return this.parentElement?.root ?? this; }
  get isConnected() { return this.root === document; }
  get content() { return this; }
  get textContent() { return this.childNodes.map((each) => each.textContent ?? each).join(""); }
  set textContent(words) { this.replaceChildren(words); }
  get innerHTML() { return this.childNodes.map((each) => each.outerHTML ?? each).join(""); }
  set innerHTML(html) { this.replaceChildren(...parse(html)); }
  get outerHTML() {
    const attributes = Object.entries(this.attributes).map(([name, value]) => ` ${name}="${value}"`).join("");
    const end = VOID.has(this.localName) ? "" : `${this.innerHTML}</${this.localName}>`;
    return `<${this.localName}${attributes}>${end}`;
  }
  get dataset() {
    const named = (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return new Proxy(this, {
      get: (node, name) => node.getAttribute(named(name)) ?? undefined,
      set: (node, name, value) => node.setAttribute(named(name), value) ?? true,
      deleteProperty: (node, name) => node.removeAttribute(named(name)) ?? true,
      has: (node, name) => node.hasAttribute(named(name)),
      ownKeys: (node) => Object.keys(node.attributes).filter((name) => name.startsWith("data-")).map((name) => name.slice(5)),
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    });
  }
  get classList() {
    const set = (name, on) => (this.className = [...this.className.split(" ").filter((one) => one !== name), ...(on ? [name] : [])].join(" ").trim());
    return { toggle: set, add: (name) => set(name, true), remove: (name) => set(name, false) };
  }
  get type() { return this.getAttribute("type") ?? (this.localName === "input" ? "text" : this.localName); }
  set type(type) { this.setAttribute("type", type); }
  get value() { return this.typed ?? this.getAttribute("value") ?? (this.localName === "textarea" ? this.textContent : ""); }
  get defaultValue() { return this.getAttribute("value") ?? this.textContent; }
  get defaultChecked() { return this.hasAttribute("checked"); }
  get hash() { return this.href.replace(/^[^#]*/, ""); }
  set value(value) { this.typed = String(value); }
  get validity() {
    const same = this.type === "radio" ? this.root.querySelectorAll(`input[name=${this.name}]`) : [this];
    const isGiven = this.type === "radio" ? same.some((one) => one.checked) : this.value !== "";
    const valueMissing = this.hasAttribute("required") && !isGiven;
    return { valid: !valueMissing, valueMissing };
  }
  get fields() {
    const given = this.all.filter((one) => one.name && one.localName !== "button" && !one.closest("[disabled]") && (one.type !== "radio" || one.checked));
    return Object.fromEntries(given.map((one) => [one.name, one.value]));
  }

  getAttribute(name) { return this.attributes[name] ?? null; }
  hasAttribute(name) { return name in this.attributes; }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  removeAttribute(name) { delete this.attributes[name]; }
  toggleAttribute(name, on) {
    if (on) this.setAttribute(name, "");
    else this.removeAttribute(name);
  }
  matches(selectors) {
    return inParts(selectors).some((one) => {
      const steps = one.split(/\s+(?![^(]*\))/).filter((step) => step !== ">");
      if (!fits(this, steps.pop())) return false;
      return !steps.length || Boolean(this.parentElement?.closest(steps.join(" ")));
    });
  }
  closest(selectors) { return this.matches(selectors) ? this : (this.parentElement?.closest(selectors) ?? null); }
  querySelectorAll(selectors) { return this.all.filter((each) => each.matches(selectors)); }
  querySelector(selectors) { return this.querySelectorAll(selectors)[0] ?? null; }
  getElementById(id) { return this.all.find((each) => each.id === id) ?? null; }
  createElement(localName) { return new Node(localName); }
  importNode(node) { return node.cloneNode(); }
  contains(node) { return node === this || this.all.includes(node); }
  cloneNode() { return parse(this.outerHTML)[0]; }
  append(...nodes) { this.#put(this.childNodes.length, 0, nodes); }
  replaceChildren(...nodes) { this.#put(0, this.childNodes.length, nodes); }
  replaceWith(...nodes) { this.parentElement.#put(this.parentElement.childNodes.indexOf(this), 1, nodes); }
  remove() { this.replaceWith(); }
  #put(at, n, nodes) {
    for (const each of nodes) if (each.parentElement) each.remove();
    for (const gone of this.childNodes.splice(at, n, ...nodes)) if (gone instanceof Node) gone.parentElement = null;
    for (const each of nodes) if (each instanceof Node) each.parentElement = this;
    if (document.activeElement && !document.activeElement.isConnected) document.activeElement = document.body;
  }
  getBoundingClientRect() { return this.box ?? { left: 0, right: 0, top: 0, bottom: 0 }; }
  after(...nodes) { this.parentElement.#put(this.parentElement.childNodes.indexOf(this) + 1, 0, nodes); }
  click() { this.dispatchEvent(new Event("click", { cancelable: true })); }
  focus() { document.activeElement = this; }
  scrollIntoView() { this.scrolls += 1; }
  addEventListener(name, act) { this.#listeners.push([name, act]); }
  dispatchEvent(event) {
    Object.defineProperty(event, "target", { value: this });
    for (let node = this; node; node = node.parentElement) {
      for (const [name, act] of node.#listeners) if (name === event.type) act.call(node, event);
      node[`on${event.type}`]?.(event);
    }
    return !event.defaultPrevented;
  }
}
for (const name of ["hidden", "disabled", "checked", "open"]) Object.defineProperty(Node.prototype, name, flag(name));
for (const name of ["id", "name", "href", "lang", "title", "target"]) Object.defineProperty(Node.prototype, name, text(name));
Object.defineProperty(Node.prototype, "className", text("class"));
Object.defineProperty(Node.prototype, "dateTime", text("datetime"));

function parse(html) {
  const top = new Node("top");
  let inside = top;
  for (const [piece, closes, name, about] of html.matchAll(PIECE)) {
    if (!name) inside.childNodes.push(piece);
    else if (closes) inside = inside.parentElement;
    else {
      const node = new Node(name, Object.fromEntries([...about.matchAll(ATTRIBUTE)].map(([, each, value = ""]) => [each, value])));
      node.parentElement = inside;
      inside.childNodes.push(node);
      if (!VOID.has(name)) inside = node;
    }
  }
  for (const each of top.children) each.parentElement = null;
  return top.childNodes;
}

/** What a page makes of markup that it is sent. */
export class Parser {
  parseFromString(html) {
    const body = new Node("body");
    body.innerHTML = html;
    body.body = body;
    return body;
  }
}

/** The document of a page whose body holds `html`; it becomes `document`. */
export function documentOf(html) {
  const made = new Node("document");
  globalThis.document = made;
  made.documentElement = new Node("html", { lang: "en" });
  made.body = new Node("body");
  made.append(made.documentElement);
  made.documentElement.append(made.body);
  made.body.innerHTML = html;
  made.activeElement = made.body;
  return made;
}

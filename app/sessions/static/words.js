/**
 * What scripts say, in the page's language: `_` and `_n` take the English words, and the server has put their
 * translations into the page where it is in another language.
 */

const page = globalThis.document;
const translated = JSON.parse(page?.getElementById("words")?.textContent ?? "{}");
const CATEGORIES = ["zero", "one", "two", "few", "many", "other"];

/** The page's language, with the digits that the server writes. */
export const locale = `${page?.documentElement.lang || "en"}-u-nu-latn`;

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

export const _ = (text, values = {}) => filled(translated[text] ?? text, values);

/** Words for a number of things; `{n}` is the number. */
export function _n(one, many, n) {
  const forms = translated[one] ?? [one, many];
  const rules = new Intl.PluralRules(locale);
  const known = CATEGORIES.filter((each) => rules.resolvedOptions().pluralCategories.includes(each));
  const form = forms.length === 2 ? Number(rules.select(n) !== "one") : known.indexOf(rules.select(n));
  return filled(forms[Math.min(Math.max(form, 0), forms.length - 1)], { n });
}

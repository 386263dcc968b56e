/**
 * What this browser remembers of one page until its answer is accepted: over a reload where storage is allowed,
 * in memory alone where it is denied (then naming it throws) or full.
 */

function read(name) {
  try {
    const saved = JSON.parse(localStorage.getItem(name) ?? "{}");
    return saved !== null && typeof saved === "object" ? saved : {};
  } catch {
    return {};
  }
}

/** A session is on one page at a time: what is left of its earlier pages is stale. */
function forgetOtherPages(prefix, name) {
  try {
    for (const other of Object.keys(localStorage)) {
      if (other.startsWith(prefix) && other !== name) localStorage.removeItem(other);
    }
  } catch {
    // nothing can be kept here, so there is nothing to forget
  }
}

export function openStore(session, page) {
  const prefix = `likely-human:${session}:`;
  const name = prefix + page;
  forgetOtherPages(prefix, name);
  let record = read(name);
  let open = true;

  return {
    get: (field) => record[field],

    set(fields) {
      if (!open) return;
      record = { ...record, ...fields };
      try {
        localStorage.setItem(name, JSON.stringify(record));
      } catch {
        // denied or full: `record` still holds it for as long as the page lives
      }
    },

    /** Forget for good: a save that comes later (the page being left) must not bring the record back. */
    close() {
      open = false;
      try {
        localStorage.removeItem(name);
      } catch {
        // it was never stored
      }
    },
  };
}

const PREFERENCES = "likely-human-preference:";

/** A choice about the page itself (not an answer): kept for all pages. */
export function savePreference(name, value) {
  try {
    localStorage.setItem(PREFERENCES + name, value);
  } catch {
    // it then lasts as long as the page
  }
}

export function loadPreference(name) {
  try {
    return localStorage.getItem(PREFERENCES + name);
  } catch {
    return null;
  }
}

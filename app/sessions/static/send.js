/** POST one set of fields until the server has answered. They are the same each time, so one answer is stored once. */

const TIMEOUT_MS = 20_000;
const WAITS_S = [1, 2, 4, 8, 15];
const PASSING = new Set([408, 425, 429]);

/** The server's answer, or null where trying again may help. */
async function post(address, body) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(address, {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
      credentials: "same-origin",
      cache: "no-store",
      signal: abort.signal,
    });
    if (response.status >= 500 || PASSING.has(response.status)) return null;
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    // A page in place of JSON, said to be fine, is a hotel's login page: our server never saw the answer.
    if (!isJson) return response.ok ? null : { status: response.status, data: {} };
    return { status: response.status, data: await response.json() };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Wait, saying how long; over at once when the person asks for it or the connection is back. */
function pause(seconds, view) {
  return new Promise((resolve) => {
    let left = seconds;
    const finish = () => {
      clearInterval(timer);
      window.removeEventListener("online", finish);
      resolve();
    };
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) view.waiting(left, finish);
      else finish();
    }, 1000);
    window.addEventListener("online", finish);
    view.waiting(left, finish);
  });
}

export async function send(address, body, view) {
  for (let attempt = 0; ; attempt += 1) {
    view.saving();
    const reply = await post(address, body);
    if (reply) return reply;
    await pause(WAITS_S[Math.min(attempt, WAITS_S.length - 1)], view);
  }
}

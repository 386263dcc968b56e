/** Requests of our own pages: with the form's token, and errors in the server's words. */

export class Refused extends Error {
  constructor(status, message, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

function csrf() {
  return document.querySelector("meta[name=csrf]")?.content ?? "";
}

/** Send `body` (an object as JSON, anything else as it is); returns the JSON reply. Throws Refused, or TypeError when offline. */
export async function send(method, address, body, options = {}) {
  const headers = { Accept: "application/json", "X-CSRF-Token": csrf(), ...options.headers };
  const isPlain = body !== undefined && Object.getPrototypeOf(body) === Object.prototype;
  if (isPlain) headers["Content-Type"] = "application/json";
  const response = await fetch(address, {
    method,
    headers,
    body: isPlain ? JSON.stringify(body) : body,
    signal: options.signal,
    credentials: "same-origin",
    redirect: "error",
  });
  const text = await response.text();
  let reply = {};
  try {
    reply = text ? JSON.parse(text) : {};
  } catch {
    reply = { message: `The server answered ${response.status}.` };
  }
  if (!response.ok) throw new Refused(response.status, reply.message ?? `The server answered ${response.status}.`, reply);
  return reply;
}

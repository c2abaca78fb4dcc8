/** Sends a request to a model, and to nobody else: a redirect is followed only within the configured origin. The
 *  prompt and the key are meant for that origin alone. */
import { err, ok, type Result } from "@uncaged/workflow-protocol";

const MOST_REDIRECTS = 3;
/** 303 asks for a different request than the one that was made. */
const REDIRECTS: readonly number[] = [301, 302, 307, 308];

/** The response, or a description of where the server wanted the request to go. Rejects as `fetch` does. */
export async function sendRequest(
  url: string,
  init: RequestInit,
  send: typeof globalThis.fetch,
): Promise<Result<Response, string>> {
  const { origin } = new URL(url);
  let target = url;
  for (let redirects = 0; ; redirects++) {
    const response = await send(target, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return ok(response);
    await response.body?.cancel();
    const next = URL.canParse(location, target) ? new URL(location, target) : null;
    if (next === null) return err(`the server redirects to an invalid address: ${location}`);
    if (next.origin !== origin || next.username !== "" || next.password !== "") {
      return err(
        `the server redirects to another address, ${next.origin}, which was not followed: the prompt and the key are meant for ${origin}; if it is right, name it in \`baseUrl\``,
      );
    }
    if (redirects >= MOST_REDIRECTS) return err(`the server redirects in circles, to ${next.href}`);
    target = next.href;
  }
}

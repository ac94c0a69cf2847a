// Answers with a live body: straight to the socket where the server offers that, as a web stream elsewhere.
import type { AppContext } from '../api/context.ts';
import type { LiveBody } from '../transport/live-body.ts';

export function liveResponse(c: AppContext, body: LiveBody, headers: Record<string, string>): Response {
  const live = c.env?.live;
  if (live === undefined) return c.body(body.stream(), 200, headers);
  live.body = body;
  return c.body(null, 200, headers);
}

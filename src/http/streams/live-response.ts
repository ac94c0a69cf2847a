// Responds with a live body: directly to the socket where the server offers that, otherwise as a web stream.
import type { AppContext } from '../api/context.ts';
import type { LiveBody } from '../transport/live-body.ts';
import type { OpenStreams } from './open-streams.ts';
import { HEARTBEAT, HEARTBEAT_MS, keptAlive, SSE_HEADERS } from './sse.ts';

export function liveResponse(c: AppContext, body: LiveBody, headers: Record<string, string>): Response {
  const live = c.env?.live;
  if (live === undefined) return c.body(body.stream(), 200, headers);
  live.body = body;
  return c.body(null, 200, headers);
}

interface FollowedEvents {
  readonly openStreams: OpenStreams;
  /** Returns the events as text of Server-Sent Events, until the signal aborts. */
  readonly textsUntil: (closed: AbortSignal) => Promise<AsyncGenerator<string, void, void>>;
  readonly onBroken?: (error: unknown) => void;
}

/** Responds with endless events, until the client leaves or its session ends. */
export async function eventsResponse(
  c: AppContext,
  { openStreams, textsUntil, onBroken = () => {} }: FollowedEvents,
): Promise<Response> {
  const closed = new AbortController();
  const texts = await textsUntil(closed.signal);
  const letGo = openStreams.open(c.var, () => closed.abort());
  const body = keptAlive(texts, {
    heartbeat: HEARTBEAT,
    heartbeatMs: HEARTBEAT_MS,
    onClose(reason, error) {
      letGo();
      closed.abort();
      if (reason === 'broken') onBroken(error);
    },
  });
  return liveResponse(c, body, SSE_HEADERS);
}

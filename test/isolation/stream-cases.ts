// Streams and sockets that wait for what may be there later: what is not theirs is never there.
import type { Cases } from './attacks.ts';

export const STREAMS: Cases = {
  'GET /api/thread-changes': { isEndless: true },
  'POST /api/graph/threads/{thread_id}/stream/events': { body: { channels: ['values'] }, isEndless: true },
  // Their first messages are in sockets.test.ts.
  'GET /api/graph/threads/{thread_id}/stream/events': {},
  'GET /api/graph/threads/{thread_id}/runs/stream': {},
};

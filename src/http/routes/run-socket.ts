// The WebSocket of a run (docs/contract/streaming.md#websocket).
import { RUNTIME } from '../api/route-family.ts';
import type { RouteTable } from '../api/route-table.ts';
import { acceptWebSocket } from '../websocket/live-socket.ts';
import { type RunSocketParts, serveRunSocket } from '../websocket/run-socket.ts';

/** Mounted before the routes of single runs, whose ids may be any text. */
export function runSocketRoute(routes: RouteTable, parts: RunSocketParts): void {
  routes.get(`${RUNTIME.prefix}/threads/{thread_id}/runs/stream`, {
    operationId: 'openRunSocket',
    errors: ['invalid', 'too_many_attempts'],
    summary: 'A WebSocket: create or join a run with the first frame, then its frames',
    thread: 'write',
    responses: { 101: { description: 'The connection is now a WebSocket' } },
    handle: (c) => acceptWebSocket(c, (socket) => serveRunSocket(parts, c, socket)),
  });
}

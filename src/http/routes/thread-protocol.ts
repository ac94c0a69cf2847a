// Agent Protocol v2 on threads: commands, and their events as a stream or over a WebSocket.
import { z } from 'zod';
import { findThread, requireThreadId } from '../api/route-access.ts';
import { RUNTIME } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { commandSchema, respondToCommand } from '../thread-protocol/commands.ts';
import { eventFilter, eventRequestSchema, eventStream } from '../thread-protocol/event-stream.ts';
import { acceptWebSocket } from '../websocket/live-socket.ts';
import { type ProtocolSocketParts, serveProtocolSocket } from '../websocket/protocol-socket.ts';

const EVENTS = z.string().meta({
  examples: [
    'event: lifecycle\ndata: {"type":"event","event_id":"3","seq":3,"method":"lifecycle","params":{"namespace":[],"data":{"event":"running","graph_name":"lead_agent"}}}\nid: 3\n\n',
  ],
});

export function threadProtocolRoutes(routes: RouteTable, parts: ProtocolSocketParts): void {
  const thread = `${RUNTIME.prefix}/threads/{thread_id}`;
  routes.post(`${thread}/commands`, {
    // Commands that change something check for write access themselves.
    access: 'read',
    operationId: 'sendCommand',
    errors: ['conflict', 'too_many_waiting'],
    summary: 'A command of Agent Protocol v2; run.start creates the thread',
    body: { kind: 'json', schema: commandSchema },
    responses: ok('The outcome, including a refusal', z.looseObject({})),
    handle: async (c, { body }) => {
      requireThreadId(c);
      return c.body(await respondToCommand(parts, c, body), 200, { 'Content-Type': 'application/json' });
    },
  });
  routes.post(`${thread}/stream/events`, {
    access: 'read',
    operationId: 'streamThreadEvents',
    summary:
      'The events of the thread, run after run, as Server-Sent Events; the thread may be created later',
    body: { kind: 'json', schema: eventRequestSchema },
    responses: {
      200: { description: 'The events', contentType: 'text/event-stream', schema: EVENTS },
    },
    handle: (c, { body }) =>
      eventStream(parts, c, {
        threadId: requireThreadId(c),
        filter: eventFilter(body),
        since: body.since ?? undefined,
      }),
  });
  routes.get(`${thread}/stream/events`, {
    operationId: 'openThreadSocket',
    errors: ['invalid'],
    summary: 'A WebSocket: commands, subscriptions and their events',
    responses: { 101: { description: 'The connection is now a WebSocket' } },
    handle: async (c) => {
      const threadId = requireThreadId(c);
      // Only a WebSocket may precede its thread, which `run.start` creates.
      if (c.env?.upgrade === undefined) await findThread(c, threadId, 'read');
      return acceptWebSocket(c, (socket) => serveProtocolSocket(parts, c, socket));
    },
  });
}

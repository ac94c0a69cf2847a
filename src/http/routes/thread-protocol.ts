// Agent Protocol v2 on threads: commands, and their events as a stream or over a WebSocket.
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { AppContext } from '../context.ts';
import { requireThreadId } from '../middleware/own-thread.ts';
import { RUNTIME } from '../route-family.ts';
import type { MountRoutes } from '../route-table.ts';
import { type RunRouteDependencies, runAnswers } from '../run-answers.ts';
import { answerCommand, type Command, commandSchema } from '../thread-protocol/commands.ts';
import { eventFilter, eventRequestSchema } from '../thread-protocol/event-request.ts';
import { eventStream } from '../thread-protocol/event-stream.ts';
import { acceptWebSocket } from '../websocket/accept-web-socket.ts';
import { type ProtocolSocketParts, serveProtocolSocket } from '../websocket/protocol-socket.ts';

export type ThreadProtocolDependencies = RunRouteDependencies & Omit<ProtocolSocketParts, 'answers'>;

export function threadProtocolRoutes(dependencies: ThreadProtocolDependencies): MountRoutes {
  const parts = { ...dependencies, answers: runAnswers(RUNTIME, dependencies) };
  const thread = `${RUNTIME.prefix}/threads/{thread_id}`;
  const { tag } = RUNTIME;
  return (routes) => {
    routes.add<Command>({
      method: 'post',
      path: `${thread}/commands`,
      // Commands that change something ask for more.
      access: 'read',
      tag,
      summary: 'A command of Agent Protocol v2; run.start creates the thread',
      body: { kind: 'json', schema: commandSchema },
      answers: {
        200: { description: 'What came of it, also when it was refused', schema: z.looseObject({}) },
      },
      handle: async (c, { body }) => {
        requireThreadId(c);
        return c.body(await answerCommand(parts, c, body), 200, { 'Content-Type': 'application/json' });
      },
    });
    routes.add<z.output<typeof eventRequestSchema>>({
      method: 'post',
      path: `${thread}/stream/events`,
      access: 'read',
      tag,
      summary: 'The events of the thread, run after run, as Server-Sent Events',
      thread: 'read',
      body: { kind: 'json', schema: eventRequestSchema },
      answers: {
        200: { description: 'The events', contentType: 'text/event-stream', schema: z.string() },
      },
      handle: (c, { body }) => eventStream(parts, c, { filter: eventFilter(body), since: body.since ?? -1 }),
    });
    routes.add({
      method: 'get',
      path: `${thread}/stream/events`,
      tag,
      summary: 'A WebSocket: commands, subscriptions and their events',
      answers: { 101: { description: 'The connection is a WebSocket from now on' } },
      handle: async (c) => {
        requireThreadId(c);
        if (c.env?.upgrade === undefined) await requireThread(c);
        return acceptWebSocket(c, (socket) => serveProtocolSocket(parts, c, socket));
      },
    });
  };
}

/** A socket may come before its thread, which `run.start` creates; any other request may not. */
async function requireThread(c: AppContext): Promise<void> {
  const thread = await c.var.repositories.threads.get(c.req.param('thread_id') ?? '');
  if (thread === undefined) throw notFound('Thread');
}

// The events of a thread: the client's request, and the stream of Server-Sent Events, which stays open until
// the client leaves or its session ends.
import { z } from 'zod';
import type { Log } from '../../log.ts';
import {
  type EventFilter,
  eventText,
  type NumberedEvent,
  PROTOCOL_CHANNELS,
  wants,
} from '../../runs/reading/protocol/protocol-event.ts';
import type { ThreadEvents } from '../../runs/reading/protocol/thread-events.ts';
import type { AppContext } from '../api/context.ts';
import { eventsResponse } from '../streams/live-response.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { withoutLineEnds } from '../streams/sse.ts';

interface EventStreamParts {
  readonly threadEvents: ThreadEvents;
  readonly openStreams: OpenStreams;
  readonly log: Log;
}

interface EventStreamRequest {
  readonly threadId: string;
  readonly filter: EventFilter;
  /** Events up to this `seq` were already seen. */
  readonly since: number | undefined;
}

/**
 * Responds with the events of a thread. Stays silent while the thread does not exist: a client may subscribe
 * first and create it with `run.start`.
 */
export function eventStream(
  { threadEvents, openStreams, log }: EventStreamParts,
  c: AppContext,
  { threadId, filter, since }: EventStreamRequest,
): Promise<Response> {
  const { repositories } = c.var;
  return eventsResponse(c, {
    openStreams,
    textsUntil: async (signal) =>
      texts(await threadEvents.read({ repositories, threadId, signal, since }), filter),
    onBroken: (error) => log.warn({ err: error }, 'the event stream of a thread was interrupted'),
  });
}

/** A batch may hold many states of a long thread, so its text is created piece by piece. */
const CHUNK_CHARACTERS = 65_536;

async function* texts(
  events: Awaited<ReturnType<ThreadEvents['read']>>,
  filter: EventFilter,
): AsyncGenerator<string, void, void> {
  for await (const batch of events) {
    let text = '';
    for (const event of batch) {
      if (event.beginsAnew || wants(filter, event)) text += frameText(event);
      if (text.length < CHUNK_CHARACTERS) continue;
      yield withoutLineEnds(text);
      text = '';
    }
    if (text !== '') yield withoutLineEnds(text);
  }
}

function frameText(event: NumberedEvent): string {
  return `event: ${event.method}\ndata: ${eventText(event)}\nid: ${event.eventId}\n\n`;
}

const channel = z.union(
  [
    z.enum(PROTOCOL_CHANNELS),
    z
      .string()
      .max(128)
      .startsWith('custom:')
      .meta({ examples: ['custom:progress'] }),
  ],
  {
    error: `one of ${PROTOCOL_CHANNELS.join(', ')}, or custom:<name>`,
  },
);

export const subscriptionSchema = z.object({
  channels: z.array(channel).min(1).max(64),
  namespaces: z
    .array(z.array(z.string().max(256)).max(32))
    .max(256)
    .nullish(),
  depth: z.int().min(0).nullish(),
});

export const eventRequestSchema = subscriptionSchema
  .extend({
    /** Only events with a higher `seq` are sent. */
    since: z.int().min(0).nullish(),
  })
  .meta({ id: 'EventStreamRequest', examples: [{ channels: ['messages', 'lifecycle'], since: 0 }] });

export function eventFilter(request: z.output<typeof subscriptionSchema>): EventFilter {
  return {
    channels: new Set(request.channels),
    namespaces: request.namespaces ?? undefined,
    depth: request.depth ?? undefined,
  };
}

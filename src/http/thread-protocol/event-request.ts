// What a client asks for when it opens a stream of a thread's events or subscribes to them.
import { z } from 'zod';
import type { EventFilter } from '../../runs/reading/protocol/event-filter.ts';
import { PROTOCOL_CHANNELS } from '../../runs/reading/protocol/protocol-event.ts';

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
    /** Only events with a higher `seq`. */
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

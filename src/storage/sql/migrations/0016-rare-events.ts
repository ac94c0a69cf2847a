// The index of events by their type leaves out what every run records: those are near wherever one looks.
import type { Migration } from './migration.ts';

/** As in `event-pages.ts`; what was migrated never changes, so it is written out here. */
const FREQUENT = [
  'run_start',
  'run_end',
  'human_message',
  'llm_request',
  'llm_response',
  'ai_message',
  'ai_tool_call',
  'tool_start',
  'tool_end',
  'tool_result',
];

export const rareEvents: Migration = {
  number: 16,
  name: 'rare events',
  statements: [
    'drop index run_events_type',
    `create index run_events_rare on run_events (thread_id, event_type, seq)
      where event_type not in (${FREQUENT.map((type) => `'${type}'`).join(', ')})`,
  ],
};

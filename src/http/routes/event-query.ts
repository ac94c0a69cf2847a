// The query of a page of events: a limit, one cursor at most, and types.
import { z } from 'zod';
import type { EventCursor, EventPageQuery } from '../../storage/run-events.ts';
import { queryInteger, queryNames } from '../api/query-list.ts';

const MAX_MESSAGES = 200;
const DEFAULT_MESSAGES = 50;
const MAX_EVENTS = 2_000;
const DEFAULT_EVENTS = 500;
const MAX_TYPES = 50;

const seq = queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional();
const cursors = {
  before_seq: seq.describe('Only what has a smaller `seq`, the largest ones of it. Not with `after_seq`'),
  after_seq: seq.describe('Only what has a larger `seq`, the smallest ones of it. Not with `before_seq`'),
};

interface Cursors {
  readonly before_seq?: number | undefined;
  readonly after_seq?: number | undefined;
}

/** A page lies on one side of one place. */
function refuseBoth({ before_seq, after_seq }: Cursors, issues: z.core.ParsePayload['issues']): void {
  if (before_seq === undefined || after_seq === undefined) return;
  const message = 'Give before_seq or after_seq, not both';
  issues.push({ code: 'custom', path: ['after_seq'], message, input: after_seq });
}

export const messageQuerySchema = z
  .object({
    limit: queryInteger({ min: 1, max: MAX_MESSAGES })
      .optional()
      .meta({ description: 'Messages to answer, at most', default: DEFAULT_MESSAGES }),
    ...cursors,
  })
  .check(({ value, issues }) => refuseBoth(value, issues));

export type MessageQuery = z.output<typeof messageQuerySchema>;

const eventFields = {
  limit: queryInteger({ min: 1, max: MAX_EVENTS })
    .optional()
    .meta({ description: 'Events to answer, at most', default: DEFAULT_EVENTS }),
  ...cursors,
  event_types: queryNames()
    .refine((types) => types.length <= MAX_TYPES, `at most ${MAX_TYPES} types`)
    .optional()
    .describe('Only events of these types: `a,b`, or the parameter several times'),
};

export const eventQuerySchema = z.object(eventFields).check(({ value, issues }) => refuseBoth(value, issues));

/** Of one run, also those of one of its sub-agents alone. */
export const runEventQuerySchema = z
  .object({
    ...eventFields,
    task_id: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe('The call that gave the task: the instructions, messages and result of its sub-agent'),
  })
  .check(({ value, issues }) => refuseBoth(value, issues));

export type RunEventQueryFields = z.output<typeof runEventQuerySchema>;
export type EventQuery = z.output<typeof eventQuerySchema>;

export function messagePage({ limit = DEFAULT_MESSAGES, ...query }: MessageQuery): EventPageQuery {
  return { limit, cursor: cursorOf(query) };
}

/** Without types: all of them. */
export function eventPage({ limit = DEFAULT_EVENTS, event_types: types = [], ...query }: EventQuery) {
  return { limit, cursor: cursorOf(query), ...(types.length === 0 ? {} : { eventTypes: types }) };
}

function cursorOf({ before_seq, after_seq }: Cursors): EventCursor {
  if (before_seq !== undefined) return { kind: 'before', seq: before_seq };
  return after_seq === undefined ? { kind: 'newest' } : { kind: 'after', seq: after_seq };
}

// The query of a page of events: a limit, one cursor at most, and types.
import { z } from 'zod';
import type { EventCursor, EventPageQuery } from '../storage/run-events.ts';
import { queryInteger, queryList } from './query-list.ts';

const MAX_MESSAGES = 200;
const DEFAULT_MESSAGES = 50;
const MAX_EVENTS = 2_000;
const DEFAULT_EVENTS = 500;
const MAX_TYPES = 50;

const seq = queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional();
const cursors = { before_seq: seq, after_seq: seq };

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
  .object({ limit: queryInteger({ min: 1, max: MAX_MESSAGES }).optional(), ...cursors })
  .check(({ value, issues }) => refuseBoth(value, issues));

export type MessageQuery = z.output<typeof messageQuerySchema>;

export const eventQuerySchema = z
  .object({
    limit: queryInteger({ min: 1, max: MAX_EVENTS }).optional(),
    ...cursors,
    /** `a,b`, or the parameter several times. */
    event_types: queryList()
      .transform((texts) => unique(texts.flatMap((text) => text.split(','))))
      .refine((types) => types.length <= MAX_TYPES, `at most ${MAX_TYPES} types`)
      .optional(),
  })
  .check(({ value, issues }) => refuseBoth(value, issues));

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

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

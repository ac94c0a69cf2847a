// Writes docs/run-events.md from the catalogue of run events: `node scripts/run-events-page.ts`.
import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { isRunEventType, RUN_EVENTS, type RunEventType } from '../src/runs/record/run-event-catalogue.ts';

const INTRODUCTION = `# Run events

<!-- Written by scripts/run-events-page.ts from src/runs/record/run-event-catalogue.ts. A test compares the two. -->

The run events that a record can have. \`GET /api/threads/{thread_id}/runs/{run_id}/events\` and
\`GET /api/threads/{thread_id}/events\` list them; messages are also in the listings of messages. Every event has
\`thread_id\`, \`run_id\`, \`seq\` (increasing within the thread), \`event_type\`, \`category\`, \`content\`, \`metadata\`,
\`user_id\` and \`created_at\`.

Content that is not text is stored as JSON, returned in its original form, and marked with \`content_is_json: true\` in the
metadata. Contents of traces are cut at \`runs.trace_limit_bytes\`, counted in UTF-8 bytes of their text or JSON, between
characters.

Message listings omit runs that were rolled back or replaced, and messages outside the lineage, which a run or a change
from an older checkpoint left behind; event listings contain everything. Message listings and the search show the
current version of a message: \`message_edited\` and \`message_removed\` record changes to it, and its own event stays
as it was recorded.
`;

export function runEventsPage(): string {
  const types = Object.keys(RUN_EVENTS).filter(isRunEventType);
  return `${INTRODUCTION}\n${types.map(section).join('\n')}`;
}

function section(type: RunEventType): string {
  const { category, when, content, metadata } = RUN_EVENTS[type];
  const keys = Object.entries(metadata.shape).map(([name, schema]) => `- \`${name}\`${describeKey(schema)}`);
  const lines = [
    `## \`${type}\``,
    '',
    `Category \`${category}\`. Recorded when ${when}.`,
    '',
    `Content: ${content.description ?? `\`${JSON.stringify(jsonSchema(content))}\``}.`,
    ...(keys.length === 0 ? [] : ['', 'Metadata:', '', ...keys]),
    '',
  ];
  return lines.join('\n');
}

function describeKey(schema: z.ZodType): string {
  const isOptional = schema.safeParse(undefined).success || schema.type.endsWith('optional');
  const words = [isOptional ? 'optional' : undefined, schema.description].filter((it) => it !== undefined);
  return words.length === 0 ? '' : `: ${words.join('; ')}`;
}

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...own } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return own;
}

if (import.meta.main) await writeFile(new URL('../docs/run-events.md', import.meta.url), runEventsPage());

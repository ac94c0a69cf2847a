// Writes docs/run-events.md from the catalogue of run events: `node scripts/run-events-page.ts`.
import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { isRunEventType, RUN_EVENTS, type RunEventType } from '../src/runs/record/run-event-catalogue.ts';

const INTRODUCTION = `# Run events

<!-- Written by scripts/run-events-page.ts from src/runs/record/run-event-catalogue.ts. A test compares the two. -->

What the record of a run may hold: \`GET /api/threads/{thread_id}/runs/{run_id}/events\` and
\`GET /api/threads/{thread_id}/events\` list it, messages are also in the listings of messages. Every
event has \`thread_id\`, \`run_id\`, \`seq\` (rising inside the thread), \`event_type\`, \`category\`, \`content\`,
\`metadata\`, \`user_id\` and \`created_at\`.

A content that is no text is stored as JSON, comes back as what it was, and has \`content_is_json: true\` in its metadata.
Contents of traces are cut at \`runs.trace_limit_bytes\`, measured in UTF-8 bytes of their text or JSON, on a character.

Message listings leave out runs that were rolled back or replaced, and what a run or a change from an older checkpoint
has left behind; event listings have all of it. Message listings and the search have a message as the thread says it now:
\`message_edited\` and \`message_removed\` tell what became of it, and its own event stays as it was recorded.
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
  const words = [isOptional ? 'not always there' : undefined, schema.description].filter(
    (it) => it !== undefined,
  );
  return words.length === 0 ? '' : `: ${words.join('; ')}`;
}

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...own } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return own;
}

if (import.meta.main) await writeFile(new URL('../docs/run-events.md', import.meta.url), runEventsPage());

// The conversation that is interrupted at every point: a question that uses tools, and a second one.
import { join } from 'node:path';
import { CANARY, type CrashingProcess } from './crashing-process.ts';
import { type EffectLine, effectsIn } from './effect-tools.ts';
import { brokenInvariants, type ReadEvidence, type ThreadEvidence } from './invariants.ts';
import type { StubbornClient } from './stubborn-client.ts';
import { allTexts, readThread } from './thread-evidence.ts';

/** The tools that record their effects. */
const EFFECTIVE: ReadonlySet<string> = new Set(['look', 'put', 'send']);

export interface Survived {
  readonly thread: ThreadEvidence;
  /** The violated rules; empty when the conversation went as without a kill. */
  readonly broken: readonly string[];
  readonly effects: readonly EffectLine[];
  /** The number of deaths of the service. */
  readonly deaths: number;
}

/** Asks twice on a new thread and checks everything received and stored. */
export async function converse(
  process: CrashingProcess,
  client: StubbornClient,
  first: 'use the tools' | 'delegate' = 'use the tools',
): Promise<Survived> {
  const before = process.deaths();
  const threadId = await client.newThread();
  const readers: ReadEvidence[] = [];
  for (const text of [first, 'and what now']) {
    const { runId, frames } = await client.ask(threadId, text, {
      fields: { stream_subgraphs: true },
    });
    readers.push({ runId, received: frames, replayed: [] });
  }
  const late = await Promise.all(readers.map(({ runId }) => client.follow(threadId, runId)));
  const database = join(process.dataHome, 'service.db');
  const thread = readThread(database, threadId);
  const seen = readers.map((reader, index) => ({ ...reader, replayed: late[index] ?? [] }));
  const effects = effectsIn(process.dataHome).filter((it) => it.threadId === threadId);
  const secrets = [process.said(), JSON.stringify(late), allTexts(database)].join('\n');
  return {
    thread,
    effects,
    broken: [
      ...brokenInvariants(thread, seen, effects),
      ...brokenConversation(thread),
      ...brokenCalls(thread, effects),
      ...(secrets.includes(CANARY) ? ['I13: a secret got out'] : []),
    ],
    deaths: process.deaths() - before,
  };
}

function brokenConversation({ runs, folded }: ThreadEvidence): readonly string[] {
  const types = folded.map(({ type }) => type).join(' ');
  const statuses = runs.map(({ status }) => status).join(' ');
  return [
    ...(types === 'human ai tool tool tool ai human ai' ? [] : [`The messages are ${types}`]),
    ...(statuses === 'success success' ? [] : [`The runs are ${statuses}`]),
  ];
}

/** I7 where no effect is undone: a tool that reports an effect had it. */
function brokenCalls({ folded }: ThreadEvidence, effects: readonly EffectLine[]): readonly string[] {
  const happened = new Set(effects.map(({ callId }) => callId));
  const claimed = folded.filter(
    ({ name, type, tool_call_id: id = '', status }) =>
      type === 'tool' && EFFECTIVE.has(name ?? '') && status !== 'error' && !happened.has(id),
  );
  return claimed.map(({ tool_call_id: id }) => `I7: ${id} has a result and no effect`);
}

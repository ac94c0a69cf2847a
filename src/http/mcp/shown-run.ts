// A run as MCP clients see it: its status, the agent's reply, and its questions.
import { z } from 'zod';
import { type Json, type JsonObject, type MessageContent, textOf } from '../../messages/message.ts';
import { isTerminal, type RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import { timestamp } from '../presenters/wire-fields.ts';

/** Number of a run's newest messages in which to find its reply. */
const SCANNED = 5;
const MAX_REPLY = 50_000;
const HINTS = {
  active: 'The run is still active. Call get_run with wait_seconds to wait for it.',
  asks: 'The agent waits for an answer. Call start_run with this thread_id and either a message or, where `questions` has entries, an answer.',
} as const;

const messageSchema = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  content: z.custom<MessageContent>((value) => typeof value === 'string' || Array.isArray(value)),
});

/** Returns a run for MCP clients. `answer` is the agent's last message to the person, or null. */
export async function shownRun(repositories: Repositories, run: RunRecord): Promise<JsonObject> {
  const { runId, threadId, status, stopReason, error } = run;
  const reply = await lastWords(repositories, run);
  const asks = stopReason === 'awaiting_input';
  const hint = hintOf(run);
  return {
    run_id: runId,
    thread_id: threadId,
    status,
    stop_reason: stopReason,
    error: error ?? null,
    created_at: timestamp(run.createdAt),
    finished_at: run.finishedAt === null ? null : timestamp(run.finishedAt),
    answer: reply === undefined ? null : cutText(reply, MAX_REPLY),
    ...(reply !== undefined && reply.length > MAX_REPLY ? { answer_is_cut: true } : {}),
    ...(asks ? { questions: await openQuestions(repositories, run) } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

function hintOf({ status, stopReason }: RunRecord): string | undefined {
  if (!isTerminal(status)) return HINTS.active;
  return stopReason === 'awaiting_input' ? HINTS.asks : undefined;
}

/** Cuts the text without leaving half a surrogate pair at the end. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).toWellFormed();
}

async function lastWords(
  { runEvents }: Repositories,
  { threadId, runId }: RunRecord,
): Promise<string | undefined> {
  const { events } = await runEvents.messages(threadId, {
    runId,
    cursor: { kind: 'newest' },
    limit: SCANNED,
  });
  const said = events.map(({ content }) => messageSchema.safeParse(content).data);
  const last = said.findLast((message) => message !== undefined && isForThePerson(message));
  return last === undefined ? undefined : textOf(last.content);
}

/** Whether the message is for the person. A question of the agent is the result of a tool. */
function isForThePerson({ type, name, content }: z.output<typeof messageSchema>): boolean {
  if (type === 'ai') return textOf(content) !== '';
  return type === 'tool' && name === 'ask_clarification';
}

const storedTask = z.looseObject({ interrupts: z.array(z.looseObject({ id: z.string(), value: z.json() })) });

/** Returns the questions of tools that wait for approval, by the ids under which they are answered. */
async function openQuestions(
  { threads, checkpoints }: Repositories,
  { threadId, runId }: RunRecord,
): Promise<Json> {
  const head = (await threads.get(threadId))?.headCheckpointId ?? null;
  const checkpoint = head === null ? undefined : await checkpoints.get(threadId, head);
  if (checkpoint === undefined || checkpoint.runId !== runId) return [];
  const tasks = z.array(storedTask).safeParse(checkpoint.tasks).data ?? [];
  return tasks.flatMap(({ interrupts }) => interrupts.map(({ id, value }) => ({ id, value })));
}

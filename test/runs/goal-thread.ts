// A thread with a goal, and the verdicts of its evaluator.
import { afterEach, expect } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { type ModelRequest, messagesOf, openScripted } from '../support/scripted-subagents.ts';
import {
  newThread,
  question,
  streamed,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';
import { lastRun } from '../support/usage.ts';

interface GoalJson {
  readonly text: string;
  readonly status: string;
  readonly continuations: number;
  readonly spent_tokens: number;
  readonly evaluation: { readonly verdict: string; readonly reason: string } | null;
}

export const GOAL = { text: 'three files' };
export const verdict = (it: string, reason = `It is ${it}.`, progress = true): Answer =>
  answer.text(`Judged:\n\`\`\`json\n${JSON.stringify({ verdict: it, progress, reason })}\n\`\`\``);
export const NOT_MET = verdict('not_met', 'Two files are missing.');
export const MET = verdict('met');

export const goalPath = (threadId: string) => `/api/threads/${threadId}/goal`;
export const goalOf = async (client: HttpClient, threadId: string) =>
  (await jsonOf<{ goal: GoalJson | null }>(client.get(goalPath(threadId)))).goal;

export const systemOf = (request: ModelRequest | undefined) =>
  request === undefined ? '' : (messagesOf(request)[0]?.content ?? '');
export const lastTold = (request: ModelRequest | undefined) =>
  String(request && messagesOf(request).at(-1)?.content);

/** Returns a function that opens threads with a goal. Closes the last one after each test. */
export function goalThreads() {
  let test: TestService | undefined;
  afterEach(async () => {
    await test?.close();
    test = undefined;
  });
  return async (
    answers: readonly Answer[],
    goal: object | null = GOAL,
    {
      subagents = {},
      ...options
    }: TestServiceOptions & { readonly subagents?: Record<string, Answer[]> } = {},
  ) => {
    test = await openScripted(answers, subagents, options);
    const client = await test.user();
    const threadId = await newThread(client);
    if (goal !== null) expect((await client.put(goalPath(threadId), goal)).status).toBe(200);
    const path = `/api/graph/threads/${threadId}`;
    return {
      test,
      client,
      threadId,
      path,
      ask: (fields: Record<string, unknown> = {}) =>
        streamed(client, threadId, question('make them', fields)),
      goal: () => goalOf(client, threadId),
      said: async () => {
        const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
        return values.messages.map((it) => it.content);
      },
      run: () => lastRun(client, threadId),
    };
  };
}

// Runs of a thread whose model calls tools: the results, and how the model sees them.

import type { HttpClient } from './http-client.ts';
import { jsonOf } from './json-of.ts';
import type { ToolCallAnswer } from './model-server/answer.ts';
import { answer } from './model-server/answer.ts';
import {
  newThread,
  openTestService,
  question,
  streamed,
  type TestService,
  type TestServiceOptions,
} from './service.ts';

interface ToolRunMessage {
  readonly type: string;
  readonly name: string | null;
  readonly content: unknown;
  readonly status?: string;
  readonly artifact?: unknown;
  readonly tool_call_id?: string;
}

interface ToolRunState {
  readonly values: { readonly messages: readonly ToolRunMessage[] } & Readonly<Record<string, unknown>>;
}

interface ToolResultText {
  readonly status: string;
  readonly text: string;
}

export interface ToolRuns {
  readonly test: TestService;
  readonly client: HttpClient;
  readonly threadId: string;
  /** Runs once; the model makes these calls in one message. Returns their results, in order. */
  call(...calls: readonly ToolCallAnswer[]): Promise<readonly ToolResultText[]>;
  state(): Promise<ToolRunState>;
  /** Returns the messages of the last request to the model, without the instructions. */
  prompt(): readonly { readonly role: string; readonly content: unknown }[];
  close(): Promise<void>;
}

/** Opens a service with one person and one thread. */
export async function openToolRuns(options: TestServiceOptions = {}): Promise<ToolRuns> {
  const test = await openTestService(options);
  const client = await test.user();
  const threadId = await newThread(client);
  const state = () => jsonOf<ToolRunState>(client.get(`/api/graph/threads/${threadId}/state`));
  test.model.onRequest(() => answer.text('done'));
  let calls = 0;
  return {
    test,
    client,
    threadId,
    state,
    async call(...wanted) {
      test.model.enqueue(answer.toolCalls(wanted.map((it) => ({ ...it, id: `call_${++calls}` }))));
      await streamed(client, threadId, question('go'));
      const { messages } = (await state()).values;
      const results = messages.slice(messages.findLastIndex(({ type }) => type === 'human'));
      return results
        .filter(({ type }) => type === 'tool')
        .map(({ content, status = '' }) => ({ status, text: String(content) }));
    },
    prompt() {
      const { messages } = test.model.requests.at(-1)?.body ?? {};
      return Array.isArray(messages) ? messages.slice(1) : [];
    },
    close: () => test.close(),
  };
}

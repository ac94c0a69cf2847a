// Scripted sub-agents: the replies of the lead agent, and those of sub-agents by their prompts.
import { afterEach } from 'vitest';
import type { HttpClient } from './http-client.ts';
import { jsonOf, type StateJson } from './json-of.ts';
import { type Answer, answer } from './model-server/answer.ts';
import type { ModelServer } from './model-server.ts';
import {
  newThread,
  openTestService,
  question,
  streamed,
  type TestService,
  type TestServiceOptions,
} from './service.ts';
import { dataOf, type TestFrame } from './sse.ts';

export type ModelRequest = ModelServer['requests'][number];

/** The consecutive replies of each sub-agent, by its prompt. */
export type SubagentScript = Readonly<Record<string, readonly Answer[]>>;

/** Opens a service whose model replies to the lead agent from one list and to sub-agents from theirs. */
export async function openScripted(
  lead: readonly Answer[],
  subagents: SubagentScript,
  options: TestServiceOptions = {},
): Promise<TestService> {
  const test = await openTestService(options);
  const rest = new Map(Object.entries({ '': lead, ...subagents }).map(([key, list]) => [key, [...list]]));
  test.model.onRequest((request) => rest.get(taskOf(request))?.shift() ?? answer.serverError(400));
  return test;
}

export function messagesOf({ body }: ModelRequest): readonly { role: string; content: string }[] {
  return body.messages as { role: string; content: string }[];
}

export function toolNames({ body }: ModelRequest): readonly string[] {
  return ((body.tools ?? []) as { function: { name: string } }[]).map((it) => it.function.name);
}

/** Returns the prompt of the requesting sub-agent; empty for the lead agent. */
export function taskOf(request: ModelRequest): string {
  const [system, first] = messagesOf(request);
  return system?.content.startsWith('You are a sub-agent') === true ? (first?.content ?? '') : '';
}

export function task(id: string, prompt = `do ${id}`) {
  const args = { description: `Task ${id}`, prompt, subagent_type: 'general-purpose' };
  return { id, name: 'task', args };
}

export function ls(id: string) {
  return { id, name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };
}

/** The lead agent delegates one task and accepts its result. */
export function oneTask(): readonly Answer[] {
  return [answer.toolCalls([task('c1')]), answer.text('All done')];
}

/** A sub-agent that calls a tool and replies. */
export function lookAndAnswer(): readonly Answer[] {
  return [answer.toolCalls([ls('s1')], { text: 'Looking' }), answer.text(['It', ' is', ' empty'])];
}

export async function lastContents(client: HttpClient, threadId: string): Promise<readonly string[]> {
  const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  return state.values.messages.map(({ type, content }) => `${type}: ${content}`);
}

/** Returns the type of each `custom` frame with its task. */
export function taskProgress(frames: readonly TestFrame[]): readonly string[] {
  return dataOf<{ type: string; task_id: string }>(frames, 'custom').map((it) => `${it.type} ${it.task_id}`);
}

/** Runs one question on a new thread. */
export async function delegated(
  client: HttpClient,
  fields: Record<string, unknown> = {},
): Promise<{ readonly threadId: string; readonly frames: readonly TestFrame[] }> {
  const threadId = await newThread(client);
  const frames = await streamed(client, threadId, question('delegate', fields));
  return { threadId, frames };
}

/** Opens services and signs a person in; closes the last service after each test. */
export function scriptedClients() {
  let test: TestService | undefined;
  afterEach(async () => {
    await test?.close();
    test = undefined;
  });
  return {
    async open(
      lead: readonly Answer[],
      subagents: SubagentScript,
      config: Record<string, unknown> = {},
    ): Promise<HttpClient> {
      test = await openScripted(lead, subagents, { config });
      return test.user();
    },
    /** Returns the service that was opened last. */
    service(): TestService {
      if (test === undefined) throw new Error('Nothing was opened.');
      return test;
    },
  };
}

// A long task: what a person asks for, how the scripted model goes about it and goes wrong, and how it must end. Each prompt is
// looked at when it arrives.
import { expect } from 'vitest';
import { z } from 'zod';
import { defineTool, failure, result, type Tool } from '../../src/tools/tool.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer, type ToolCallAnswer } from '../support/model-server/answer.ts';
import { type Step, step } from '../support/model-server/step.ts';
import { type ModelRequest, taskOf } from '../support/scripted-subagents.ts';
import {
  newThread,
  openTestService,
  question,
  streamed,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';
import type { TestFrame } from '../support/sse.ts';
import { promptProblems, promptSize } from './prompt-problems.ts';

/** In tokens. The instructions and the tools are a third of it. */
export const WINDOW = 32_000;
export const SUMMARY = 'Pages were read; their findings are in /mnt/user-data/workspace/notes.md.';
const HOME = '/mnt/user-data/workspace';

interface LongTask {
  readonly asks: string;
  /** Of the agent, one for each request of it. */
  readonly answers: readonly Answer[];
  /** Of each sub-agent, by its prompt. */
  readonly subagents?: Readonly<Record<string, readonly Answer[]>>;
  /** Of those who write summaries, before they begin to answer well. */
  readonly summaries?: readonly Answer[];
  /** More of the body. */
  readonly fields?: Record<string, unknown>;
}

interface Ended {
  readonly threadId: string;
  readonly run: RunJson;
  readonly messages: StateJson['values']['messages'];
  readonly values: Readonly<Record<string, unknown>>;
  readonly frames: readonly TestFrame[];
  /** In tokens, of the largest prompt that the agent was asked with. */
  readonly largestPrompt: number;
  readonly summaries: number;
  /** The text of a file in the workspace of the thread. */
  file(name: string): Promise<string>;
}

export interface LongTasks {
  readonly test: TestService;
  readonly client: HttpClient;
  /** Runs it to its end, on a new thread or on that one. Fails for a prompt that breaks a rule, and for an answer left over. */
  run(task: LongTask, threadId?: string): Promise<Ended>;
  close(): Promise<void>;
}

const asksForSummary = ({ body }: ModelRequest): boolean => body.tools === undefined;

export async function openLongTasks(options: TestServiceOptions = {}): Promise<LongTasks> {
  const test = await openTestService({
    ...options,
    scripted: { context_window: WINDOW, ...options.scripted },
    overrides: { tools: (own) => [...own, flood, createFlakyTool()], ...options.overrides },
  });
  const client = await test.user();
  const run = async (task: LongTask, threadId?: string): Promise<Ended> => {
    test.model.reset();
    const script = scriptOf(task);
    test.model.onRequest(script.answer);
    const thread = threadId ?? (await newThread(client));
    const limit = { config: { recursion_limit: 500 } };
    const frames = await streamed(client, thread, question(task.asks, { ...limit, ...task.fields }));
    expect(script.problems).toEqual([]);
    expect(script.left(), 'answers that nobody asked for').toEqual(0);
    return { ...(await endOf(client, thread)), frames, ...script.seen() };
  };
  return { test, client, run, close: test.close };
}

async function endOf(client: HttpClient, threadId: string) {
  const path = `/api/graph/threads/${threadId}`;
  const [run] = await jsonOf<RunJson[]>(client.get(`${path}/runs?limit=1`));
  if (run === undefined) throw new Error('The thread has no run.');
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  return {
    threadId,
    run,
    messages: values.messages,
    values: { ...values },
    file: async (name: string) =>
      (await client.get(`/api/threads/${threadId}/artifacts${HOME}/${name}`)).text(),
  };
}

function scriptOf({ asks, answers, subagents = {}, summaries = [] }: LongTask) {
  const rest = new Map(Object.entries({ '': answers, ...subagents }).map(([key, list]) => [key, [...list]]));
  const ofSummaries = [...summaries];
  const problems: string[] = [];
  const sizes: number[] = [];
  let written = 0;
  /** The longest one that it says: a summary may stand before it. */
  const promptOf = (request: ModelRequest): string => {
    const said = taskOf(request);
    const known = Object.keys(subagents).filter((prompt) => said.includes(prompt));
    return known.toSorted((a, b) => b.length - a.length)[0] ?? said;
  };
  return {
    problems,
    left: () => [...rest.values()].reduce((sum, list) => sum + list.length, 0),
    seen: () => ({ largestPrompt: Math.max(...sizes), summaries: written }),
    answer(request: ModelRequest): Answer {
      if (asksForSummary(request)) {
        written += 1;
        return ofSummaries.shift() ?? counted(answer.text(SUMMARY), request);
      }
      const task = promptOf(request);
      sizes.push(promptSize(request));
      const words = task === '' ? asks : task;
      problems.push(...promptProblems(request, { window: WINDOW, words }));
      const next = rest.get(task)?.shift();
      if (next === undefined) problems.push(`Nothing is scripted for ${task === '' ? 'the agent' : task}.`);
      return counted(next ?? answer.text('Nothing is scripted.'), request);
    },
  };
}

/** As a provider counts it: compaction goes by these figures. */
function counted(it: Answer, request: ModelRequest): Answer {
  if (it.kind !== 'stream') return it;
  const usage = step.usage({ prompt: promptSize(request), completion: 50 });
  return { ...it, steps: it.steps.map((one) => (isUsage(one) ? usage : one)) };
}

function isUsage(it: Step): boolean {
  return it.do === 'event' && typeof it.data === 'object' && it.data !== null && 'usage' in it.data;
}

let ids = 0;
/** Ids as providers make them: never the same twice. */
const withId = (call: Omit<ToolCallAnswer, 'id'>): ToolCallAnswer => ({ ...call, id: `call_${++ids}` });

export const calls = (...wanted: readonly ToolCallAnswer[]): Answer => answer.toolCalls(wanted);
export const write = (name: string, content: string): ToolCallAnswer =>
  withId({ name: 'write_file', args: { description: `write ${name}`, path: `${HOME}/${name}`, content } });
export const append = (name: string, content: string): ToolCallAnswer =>
  withId({
    name: 'write_file',
    args: { description: `append to ${name}`, path: `${HOME}/${name}`, content, append: true },
  });
export const read = (name: string): ToolCallAnswer =>
  withId({ name: 'read_file', args: { description: `read ${name}`, path: `${HOME}/${name}` } });
export const replace = (name: string, before: string, after: string): ToolCallAnswer =>
  withId({
    name: 'str_replace',
    args: { description: 'edit', path: `${HOME}/${name}`, old_str: before, new_str: after },
  });
export const flooding = (characters: number, seed: string): ToolCallAnswer =>
  withId({ name: 'flood', args: { characters, seed } });
export const flaky = (name: string, failures: number): ToolCallAnswer =>
  withId({ name: 'flaky', args: { name, failures } });
export const delegate = (prompt: string): ToolCallAnswer =>
  withId({ name: 'task', args: { description: prompt, prompt, subagent_type: 'general-purpose' } });
export const called = (name: string, args: object): ToolCallAnswer => withId({ name, args });

/** So many lines of a command. */
export const printing = (lines: number, seed: string): ToolCallAnswer =>
  withId({
    name: 'bash',
    args: { description: seed, command: `yes '${seed} found nothing of interest' | head -n ${lines}` },
  });

/** Answers as much as it is asked for. */
const flood: Tool = defineTool({
  name: 'flood',
  description: 'Answers many lines.',
  input: z.object({ characters: z.int(), seed: z.string() }),
  effect: 'read',
  run: async ({ characters, seed }) => {
    const line = `${seed} found nothing of interest on this line of the page\n`;
    return result(line.repeat(Math.ceil(characters / line.length)).slice(0, characters));
  },
});

/** Fails so often for the same name, then answers. */
function createFlakyTool(): Tool {
  const failed = new Map<string, number>();
  return defineTool({
    name: 'flaky',
    description: 'Asks a service that is often down.',
    input: z.object({ name: z.string(), failures: z.int() }),
    effect: 'read',
    run: async ({ name, failures }) => {
      const before = failed.get(name) ?? 0;
      if (before >= failures) return result(`${name} is fine`);
      failed.set(name, before + 1);
      return failure(`${name} is down (attempt ${before + 1})`);
    },
  });
}

// The cost of building and sending a prompt alone: the service's model adapter in a process that does nothing else.
import { argv } from 'node:process';
import type { Message } from '../src/messages/message.ts';
import { createModels } from '../src/models/create-models.ts';
import type { Model } from '../src/models/model.ts';
import { modelOptionsSchema } from '../src/models/model-options.ts';
import { createAskClarificationTool } from '../src/tools/ask-clarification.ts';
import { createFileTools } from '../src/tools/file-tools.ts';
import { startChild, tellParent } from './child.ts';

export interface PromptMeter {
  /** Microseconds of CPU for the two model calls of a turn; `state` is the answer of the thread's state route. */
  measure(state: string, turn: number): Promise<number>;
  end(): Promise<void>;
}

export async function startPromptMeter(modelPort: number): Promise<PromptMeter> {
  const child = startChild('prompt-meter.ts', ['measure', String(modelPort)]);
  return {
    async measure(state, turn) {
      child.process.send({ state, turn });
      const answer = await child.message();
      if (typeof answer === 'object' && answer !== null && 'microseconds' in answer) {
        return Number(answer.microseconds);
      }
      throw new Error('The prompt was not measured.');
    },
    end: child.end,
  };
}

if (argv[2] === 'measure') meter(Number(argv[3]));

function meter(modelPort: number): void {
  const entry = {
    name: 'bench',
    provider: 'openai-compatible',
    model: 'bench',
    base_url: `http://127.0.0.1:${modelPort}/v1`,
  };
  const [model] = createModels([modelOptionsSchema.parse(entry)]);
  let seen = '';
  let messages: readonly Message[] = [];
  process.on('message', (order: { readonly state: string; readonly turn: number }) => {
    if (model === undefined) return;
    // The same message objects again and again, as the service has them: each is converted once.
    if (order.state !== seen) messages = withKnown(JSON.parse(order.state).values.messages, messages);
    seen = order.state;
    measured(model, messages, order.turn).then(
      (microseconds) => tellParent({ microseconds }),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}

function withKnown(parsed: readonly Message[], known: readonly Message[]): readonly Message[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  return parsed.map((message) => byId.get(message.id) ?? message);
}

async function measured(model: Model, messages: readonly Message[], turn: number): Promise<number> {
  const asked = messages.findIndex(({ type, content }) => type === 'human' && isTurn(content, turn));
  // The turn before it has made the conversion of everything older.
  await consume(model, messages.slice(0, Math.max(1, asked - 3)));
  const before = process.cpuUsage();
  await consume(model, messages.slice(0, asked + 1));
  await consume(model, messages.slice(0, asked + 3));
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function isTurn(content: Message['content'], turn: number): boolean {
  return typeof content === 'string' && content.startsWith(`turn=${turn} `);
}

const tools = [
  ...createFileTools({ filesFor: onlyDescribed, images: { view: onlyDescribed, bytesOf: onlyDescribed } }),
  createAskClarificationTool(),
];
const { signal } = new AbortController();

function onlyDescribed(): never {
  throw new Error('The tools are only described here.');
}

async function consume(model: Model, messages: readonly Message[]): Promise<void> {
  const request = { system: SYSTEM, messages, tools, thinking: false, signal };
  let last = '';
  for await (const part of model.stream(request)) last = part.type;
  if (last !== 'finish') throw new Error('The answer was not finished.');
}

/** About as long as the lead agent's. */
const SYSTEM = 'You are the lead agent of this service. '.repeat(45);

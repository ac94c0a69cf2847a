// Calls the demo model through the port.
import { aiMessage, humanMessage, type Message } from '../../src/messages/message.ts';
import { createDemoModel } from '../../src/models/demo-model.ts';
import type { ModelFinish, ModelPart, ToolSpec } from '../../src/models/model.ts';

const NAMES = [
  'ls',
  'read_file',
  'write_file',
  'str_replace',
  'ask_clarification',
  'task',
  'bash',
  'present_files',
  'notes_search',
  'notes_all',
];
const TOOLS: readonly ToolSpec[] = NAMES.map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
}));
const model = createDemoModel({ delayMs: 0 });

interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly finish: ModelFinish;
  readonly parts: readonly ModelPart[];
}

interface Setting {
  readonly tools?: readonly ToolSpec[];
  readonly thinking?: boolean;
}

export async function answerTo(
  messages: readonly Message[],
  { tools = TOOLS, thinking = false }: Setting = {},
): Promise<Answer> {
  const parts: ModelPart[] = [];
  const signal = new AbortController().signal;
  for await (const part of model.stream({ system: 'Be kind.', messages, tools, thinking, signal }))
    parts.push(part);
  const finish = parts.at(-1);
  if (finish?.type !== 'finish') throw new Error('the answer has no finish');
  const textOfType = (type: 'text_delta' | 'reasoning_delta') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  return { text: textOfType('text_delta'), reasoning: textOfType('reasoning_delta'), finish, parts };
}

export function said(...texts: readonly string[]): Message[] {
  return texts.flatMap((text, index) => [
    ...(index === 0 ? [] : [aiMessage(`a${index}`, 'Good.')]),
    humanMessage(`h${index}`, text),
  ]);
}

/** Returns the calls of the reply to one sentence. */
export async function firstCall(text: string) {
  const { finish } = await answerTo(said(text));
  return finish.toolCalls.map(({ name, args }) => ({ name, args }));
}

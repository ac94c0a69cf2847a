// A model whose reply depends on the prompt alone, so that a repeated request gets the same one.
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import type { ModelServer } from '../support/model-server.ts';
import { GO_ON, longAnswer } from './mid-stream-kills.ts';

type Responder = Parameters<ModelServer['onRequest']>[0];
type Request = Parameters<Responder>[0];

const WORD_MS = 3;

/**
 * `use ...` makes one call of a tool of each effect together and then replies; `delegate` gives such tasks to
 * three sub-agents, one of which passes its own on; any other text gets some words.
 */
export function scriptedAnswer(request: Request): Answer {
  const text = request.lastUserText;
  if (text === GO_ON) return longAnswer();
  const tasks = TASKS[text];
  if (tasks !== undefined && !hasResults(request)) return answer.toolCalls(tasks.map(taskCall));
  if (!text.startsWith('use ') || hasResults(request))
    return slowly(`Here is what came of ${text} in a few words.`);
  const id = text.replaceAll(/\W/g, '');
  const calls = ['look', 'put', 'send'].map((name) => ({
    name,
    args: { what: id },
    id: `call_${id}_${name}`,
  }));
  return answer.toolCalls(calls, { text: 'Let me see.' });
}

const TASKS: Readonly<Record<string, readonly string[]>> = {
  delegate: ['use one', 'use two', 'pass it on'],
  'pass it on': ['use three'],
};

function taskCall(prompt: string) {
  return { name: 'task', args: { description: prompt, prompt }, id: `call_${prompt.replaceAll(/\W/g, '')}` };
}

function slowly(text: string): Answer {
  const words = text.split(/(?= )/).flatMap((word) => [step.text(word), step.pause(WORD_MS)]);
  return answer.script(...words, step.finish(), step.usage({ prompt: 20, completion: 10 }), step.done());
}

/** Whether the tools have run already, after the last question. */
function hasResults({ body }: Request): boolean {
  const messages = Array.isArray(body.messages) ? (body.messages as { readonly role: string }[]) : [];
  return messages
    .slice(messages.findLastIndex(({ role }) => role === 'user'))
    .some(({ role }) => role === 'tool');
}

// What both servers are asked, and what the model says to it: the same for the recording and for the comparison.
import { type Answer, answer } from '../support/model-server/answer.ts';

export interface Scenario {
  readonly name: string;
  /** Answers of the model, one for each of its calls. */
  readonly answers: readonly Answer[];
  /** The runs of one thread, one after the other: their requests without assistant and stream modes. */
  readonly runs: readonly Readonly<Record<string, unknown>>[];
}

/** A tool that runs an agent of its own. */
const DELEGATING = {
  answers: [
    answer.toolCalls([call('task', { description: 'Ask', prompt: 'House?' })]),
    answer.toolCalls([{ ...call('look_up', { word: 'house' }), id: 'call_inner' }]),
    answer.text('A word'),
    answer.text('It is'),
  ],
  runs: [asked('Ask about house')],
};

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'plain-answer',
    answers: [answer.text('Hello there')],
    runs: [asked('Say hello')],
  },
  {
    name: 'tool-call',
    answers: [answer.toolCalls([call('look_up', { word: 'house' })]), answer.text('It is a word')],
    runs: [asked('Is house a word?')],
  },
  {
    name: 'parallel-tool-calls',
    answers: [
      answer.toolCalls([call('look_up', { word: 'house' }), call('look_up', { word: 'xyzzy' })]),
      answer.text('The first is'),
    ],
    runs: [asked('Are house and xyzzy words?')],
  },
  {
    name: 'custom-progress',
    answers: [answer.toolCalls([call('count', { word: 'house' })]), answer.text('Five letters')],
    runs: [asked('How long is house?')],
  },
  {
    name: 'interrupt-and-resume',
    answers: [answer.toolCalls([call('ask', { question: 'Which one?' })]), answer.text('The red one')],
    runs: [asked('Take one'), { input: null, command: { resume: 'the red one' } }],
  },
  {
    name: 'interrupt-before-tools',
    answers: [answer.toolCalls([call('look_up', { word: 'house' })]), answer.text('It is a word')],
    runs: [{ ...asked('Is house a word?'), interrupt_before: ['tools'] }, { input: null }],
  },
  {
    name: 'failing-model',
    answers: [answer.unauthorized()],
    runs: [asked('Say hello')],
  },
  {
    name: 'second-turn',
    answers: [answer.text('Hello there'), answer.text('Hello again')],
    runs: [asked('Say hello'), asked('And again')],
  },
  { ...DELEGATING, name: 'sub-agent' },
  {
    ...DELEGATING,
    name: 'sub-agent-followed',
    runs: DELEGATING.runs.map((run) => ({ ...run, stream_subgraphs: true })),
  },
];

/** The stream as OpenAI sends it: its first piece says whose words these are, and the peer needs to know. */
export function asOpenAiSends(it: Answer): Answer {
  if (it.kind !== 'stream') return it;
  return { ...it, steps: [{ do: 'delta', delta: { role: 'assistant', content: '' } }, ...it.steps] };
}

export const MODE_LISTS: readonly (readonly string[])[] = [
  ['values'],
  ['updates'],
  ['messages-tuple'],
  ['custom'],
  ['events'],
  ['debug'],
  ['tasks'],
  ['checkpoints'],
  ['values', 'messages-tuple', 'updates', 'custom'],
  ['values', 'updates', 'tasks', 'checkpoints'],
  ['messages'],
  ['values', 'messages'],
  ['events', 'messages-tuple'],
];

function asked(content: string): Readonly<Record<string, unknown>> {
  return { input: { messages: [{ role: 'user', content }] } };
}

function call(name: string, args: object): { readonly name: string; readonly args: object } {
  return { name, args };
}

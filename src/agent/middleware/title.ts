// Titles a thread with its first question. A title model, if there is one, improves the title.
import { type Message, textOf } from '../../messages/message.ts';
import type { AgentEvent, Caller, Emit } from '../agent-event.ts';
import type { HookContext, HookEffect, Middleware } from '../middleware.ts';
import { askQuietly, type QuietParts } from '../quiet-call.ts';
import { attachedNames } from '../uploads/shown-uploads.ts';

const MAX_TITLE_CHARACTERS = 60;
/** A question can be megabytes long. */
const SCANNED_CHARACTERS = 4_096;

export interface TitleParts {
  /** Absent: the title is made from the question alone, without a model call. */
  readonly write?: TitleWriter;
  /** Receives a title that was not ready when the run ended, empty when none came. Nothing waits for it. */
  readonly onLate?: (context: HookContext, written: WrittenTitle) => void;
}

/** Creates the middleware of one run, which remembers the title that is being written. */
export function createTitleMiddleware({ write, onLate }: TitleParts = {}): Middleware {
  let writing: Promise<WrittenTitle> | undefined;
  let settled: WrittenTitle | undefined;
  return {
    name: 'title',
    beforeAgent: async ({ state }, emit) => {
      const question = firstQuestion(state.messages);
      const { title } = state.values;
      const hasTitle = typeof title === 'string' && title !== '';
      if (question === undefined || hasTitle) return undefined;
      // A failure to write a title does not fail the run: the one made from the question stays.
      writing = write?.(question).catch(() => ({ title: '', events: [] }));
      void writing?.then((written) => {
        settled = written;
      });
      return titled(titleFromQuestion(question), 'before_agent', emit);
    },
    afterAgent: async (context, emit) => {
      if (settled === undefined) {
        writing?.then((written) => onLate?.(context, written)).catch(() => {});
        return undefined;
      }
      for (const event of settled.events) await emit(event);
      return settled.title === '' ? undefined : titled(settled.title, 'after_agent', emit);
    },
  };
}

async function titled(title: string, hook: 'before_agent' | 'after_agent', emit: Emit): Promise<HookEffect> {
  const content = { name: 'title', hook, action: 'set', changes: { title } };
  await emit({ type: 'middleware', tag: 'title', content });
  return { delta: { messages: [], values: { title } } };
}

/** Returns the text of the first question, or the names of its files if it has no text. */
function firstQuestion(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => message.type === 'human');
  if (first === undefined) return undefined;
  const words = textOf(first.content);
  return words.trim() === '' ? attachedNames(first).join(', ') : words;
}

/** Returns the first line of the question, cut at a word, without Markdown marks. */
export function titleFromQuestion(question: string): string {
  const beginning = question.trimStart().slice(0, SCANNED_CHARACTERS).toWellFormed();
  const lines = beginning.split('\n').map((it) => {
    if (isFence(it.trim())) return '';
    return it
      .replace(/^[\s#>*`-]+/, '')
      .replace(/\s+/g, ' ')
      .trim();
  });
  const line = lines.find((it) => it !== '');
  if (line === undefined) return 'New conversation';
  const characters = [...line];
  if (characters.length <= MAX_TITLE_CHARACTERS) return line;
  const cut = characters.slice(0, MAX_TITLE_CHARACTERS).join('');
  const word = cut.lastIndexOf(' ');
  return `${(word > MAX_TITLE_CHARACTERS / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}

/** Whether the line begins or ends a code block. The language after it says nothing about the question. */
function isFence(line: string): boolean {
  return line.startsWith('~~~') || (line.startsWith('```') && !line.replace(/^`+/, '').includes('`'));
}

const CALLER: Caller = 'middleware:title';
const MAX_QUESTION_CHARACTERS = 500;

const INSTRUCTIONS =
  'Write a title of at most six words for a conversation that begins with the message below, in its language. ' +
  'Reply with the title alone: no quotes, no full stop, no explanation.';

interface WrittenTitle {
  /** Empty when the model gave nothing usable. */
  readonly title: string;
  /** The events of the call, for the record and the totals of the run. */
  readonly events: readonly AgentEvent[];
}

/** Resolves within half a minute. A model that fails gives an empty title. */
type TitleWriter = (question: string) => Promise<WrittenTitle>;

export function createTitleWriter(parts: QuietParts): TitleWriter {
  return async (question) => {
    const beginning = question.slice(0, MAX_QUESTION_CHARACTERS);
    const asked = { caller: CALLER, system: INSTRUCTIONS, text: beginning };
    const { text, events } = await askQuietly(parts, asked);
    return { title: cleanTitle(text), events };
  };
}

function cleanTitle(text: string): string {
  const [line = ''] = text.split('\n');
  const bare = line.replace(/^["'“”«»\s]+|(?<!["'“”«».\s])["'“”«».\s]+$/g, '');
  return [...bare].slice(0, MAX_TITLE_CHARACTERS).join('').trim();
}

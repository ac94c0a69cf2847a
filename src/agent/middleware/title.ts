// Gives a thread its title with the first question; a title model, if there is one, betters it.
import { type JsonObject, type Message, textOf } from '../../messages/message.ts';
import type { Model } from '../../models/model.ts';
import type { AgentEvent, Caller, Emit } from '../agent-event.ts';
import type { CallBudget } from '../call-budget.ts';
import type { HookContext, HookEffect, Middleware } from '../middleware.ts';
import { askQuietly } from '../quiet-call.ts';
import { attachedNames } from '../uploads/shown-uploads.ts';

const MAX_TITLE_CHARACTERS = 60;
/** A question may be megabytes long. */
const SCANNED_CHARACTERS = 4_096;

export interface TitleParts {
  /** Absent: the title is made of the question alone, without a model call. */
  readonly write?: TitleWriter;
  /** A title that was not ready when the run ended; nothing waits for it. It is empty when none came. */
  readonly onLate?: (context: HookContext, written: WrittenTitle) => void;
}

/** One for each run: it remembers the title that is being written. */
export function createTitleMiddleware({ write, onLate }: TitleParts = {}): Middleware {
  let writing: { readonly result: Promise<WrittenTitle>; settled: WrittenTitle | undefined } | undefined;
  return {
    name: 'title',
    beforeAgent: async ({ state }, emit) => {
      const question = firstQuestion(state.messages);
      if (question === undefined || hasTitle(state.values)) return undefined;
      if (write !== undefined) writing = startWriting(write, question);
      return titled(titleFromQuestion(question), 'before_agent', emit);
    },
    afterAgent: async (context, emit) => {
      const { result, settled } = writing ?? {};
      writing = undefined;
      if (settled !== undefined) {
        for (const event of settled.events) await emit(event);
        return settled.title === '' ? undefined : titled(settled.title, 'after_agent', emit);
      }
      result?.then((written) => onLate?.(context, written)).catch(() => {});
      return undefined;
    },
  };
}

function startWriting(write: TitleWriter, question: string) {
  const writing: { result: Promise<WrittenTitle>; settled: WrittenTitle | undefined } = {
    result: write(question),
    settled: undefined,
  };
  // A title that cannot be written is no reason to fail: the one made of the question stays.
  writing.result.then(
    (written) => {
      writing.settled = written;
    },
    () => {
      writing.settled = { title: '', events: [] };
    },
  );
  return writing;
}

async function titled(title: string, hook: 'before_agent' | 'after_agent', emit: Emit): Promise<HookEffect> {
  const content = { name: 'title', hook, action: 'set', changes: { title } };
  await emit({ type: 'middleware', tag: 'title', content, metadata: {} });
  return { delta: { messages: [], values: { title } } };
}

function hasTitle(values: JsonObject): boolean {
  return typeof values.title === 'string' && values.title !== '';
}

/** Of a question without words, the names of its files. */
function firstQuestion(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => message.type === 'human');
  if (first === undefined) return undefined;
  const words = textOf(first.content);
  return words.trim() === '' ? attachedNames(first).join(', ') : words;
}

/** The first line of the question, cut at a word, without Markdown marks. */
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

/** Begins or ends a block of code; behind it stands its language, which says nothing of the question. */
function isFence(line: string): boolean {
  return line.startsWith('~~~') || (line.startsWith('```') && !line.replace(/^`+/, '').includes('`'));
}

const CALLER: Caller = 'middleware:title';
const MAX_QUESTION_CHARACTERS = 500;

const INSTRUCTIONS =
  'Write a title of at most six words for a conversation that begins with the message below, in its language. ' +
  'Answer with the title alone: no quotes, no full stop, no explanation.';

interface WrittenTitle {
  /** Empty when the model had nothing usable to say. */
  readonly title: string;
  /** What the record and the totals of the run get of the call. */
  readonly events: readonly AgentEvent[];
}

/** Resolves within half a minute; a model that fails gives an empty title. */
type TitleWriter = (question: string) => Promise<WrittenTitle>;

export function createTitleWriter(model: Model, { now, newId, budget }: TitleWriterParts): TitleWriter {
  return async (question) => {
    const { text, events } = await askQuietly({
      caller: CALLER,
      model,
      budget,
      system: INSTRUCTIONS,
      text: question.slice(0, MAX_QUESTION_CHARACTERS),
      now,
      newId,
    });
    return { title: cleanTitle(text), events };
  };
}

interface TitleWriterParts {
  readonly now: () => number;
  readonly newId: () => string;
  readonly budget?: CallBudget | undefined;
}

/** One line without quotes, cut to the length of a title. */
function cleanTitle(text: string): string {
  const [line = ''] = text.split('\n');
  const bare = line.replace(/^["'“”«»\s]+|(?<!["'“”«».\s])["'“”«».\s]+$/g, '');
  return [...bare].slice(0, MAX_TITLE_CHARACTERS).join('').trim();
}

// Writes a title with a model call of its own, which is told apart from the lead agent's calls.
import type { Model } from '../models/model.ts';
import type { AgentEvent, Caller } from './agent-event.ts';
import type { CallBudget } from './call-budget.ts';
import { askQuietly } from './quiet-call.ts';

const CALLER: Caller = 'middleware:title';
const MAX_QUESTION_CHARACTERS = 500;
const MAX_TITLE_CHARACTERS = 60;

const INSTRUCTIONS =
  'Write a title of at most six words for a conversation that begins with the message below, in its language. ' +
  'Answer with the title alone: no quotes, no full stop, no explanation.';

export interface WrittenTitle {
  /** Empty when the model had nothing usable to say. */
  readonly title: string;
  /** What the record and the totals of the run are told of the call. */
  readonly events: readonly AgentEvent[];
}

/** Resolves within half a minute; a model that fails gives an empty title. */
export type TitleWriter = (question: string) => Promise<WrittenTitle>;

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

// Gives a thread its title with the first question.
import { type JsonObject, type Message, textOf } from '../../messages/message.ts';
import type { Middleware } from '../middleware.ts';

const MAX_TITLE_CHARACTERS = 60;

/** Sets `title` before the first model call, without one of its own. */
export function createTitleMiddleware(): Middleware {
  return {
    name: 'title',
    beforeAgent: async ({ state }) => {
      const question = firstQuestion(state.messages);
      if (question === undefined || hasTitle(state.values)) return undefined;
      const title = titleFromQuestion(question);
      return {
        delta: { messages: [], values: { title } },
        trace: {
          tag: 'title',
          content: { name: 'title', hook: 'before_agent', action: 'set', changes: { title } },
        },
      };
    },
  };
}

function hasTitle(values: JsonObject): boolean {
  return typeof values.title === 'string' && values.title !== '';
}

function firstQuestion(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => message.type === 'human');
  return first === undefined ? undefined : textOf(first.content);
}

/** The first line of the question, cut at a word, without Markdown marks. */
export function titleFromQuestion(question: string): string {
  const line = question
    .split('\n')
    .map((it) =>
      it
        .replace(/^[\s#>*`-]+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((it) => it !== '');
  if (line === undefined) return 'New conversation';
  const characters = [...line];
  if (characters.length <= MAX_TITLE_CHARACTERS) return line;
  const cut = characters.slice(0, MAX_TITLE_CHARACTERS).join('');
  const word = cut.lastIndexOf(' ');
  return `${(word > MAX_TITLE_CHARACTERS / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}

// The tool with which the agent asks the person a question and waits for the answer.

import { z } from 'zod';
import { jsonIn } from '../json/unknown-json.ts';
import type { JsonObject } from '../messages/message.ts';
import { defineTool, failure, type Tool } from './tool.ts';

const CLARIFICATION_TYPES = [
  'missing_info',
  'ambiguous_requirement',
  'approach_choice',
  'risk_confirmation',
  'suggestion',
] as const;

type ClarificationType = (typeof CLARIFICATION_TYPES)[number];

const ICONS: Readonly<Record<ClarificationType, string>> = {
  missing_info: '❓',
  ambiguous_requirement: '🤔',
  approach_choice: '🔀',
  risk_confirmation: '⚠️',
  suggestion: '💡',
};

const MAX_OPTIONS = 24;
const MAX_OPTION_CHARACTERS = 200;
const MAX_TEXT_CHARACTERS = 8_000;

const option = z.union([z.string(), z.object({ label: z.string(), value: z.string().optional() })]);

const input = z.object({
  question: z
    .string()
    .trim()
    .min(1)
    .max(MAX_TEXT_CHARACTERS)
    .describe('The question, in one or two sentences'),
  clarification_type: z.enum(CLARIFICATION_TYPES).describe('What kind of question it is'),
  context: z
    .string()
    .trim()
    .max(MAX_TEXT_CHARACTERS)
    .nullish()
    .describe('Why you ask, if the question does not make it clear'),
  options: z
    // Some models send the list as a string.
    .union([z.array(option), z.string()])
    .nullish()
    .describe('Answers to choose from, a list of short texts; the person can always answer something else'),
});

/**
 * `ask_clarification`: ends the run with a question. The artifact is what a client needs to show it as a form,
 * `{human_input: {version: 1, kind: 'human_input_request', ...}}`; the reply is the person's next message.
 */
export function createAskClarificationTool(): Tool {
  return defineTool({
    name: 'ask_clarification',
    description:
      'Asks the person a question and ends your turn; their answer is the next message. Use it when you cannot continue ' +
      'without knowing something, when a request is ambiguous, or before something risky.',
    input,
    // Asking changes nothing: a call that was cut off is asked again.
    effect: 'read',
    run: async (asked, { callId }) => {
      const options = readOptions(asked.options ?? []);
      if (options === undefined) {
        return failure(
          'Error: options must be a list of short texts. Ask again with such a list, or without options.',
        );
      }
      const question = { ...asked, context: asked.context || null, options };
      return { kind: 'question', content: questionText(question), artifact: humanInput(question, callId) };
    },
  });
}

interface Question {
  readonly question: string;
  readonly clarification_type: ClarificationType;
  readonly context: string | null;
  readonly options: readonly Option[];
}

interface Option {
  readonly label: string;
  readonly value: string;
}

function readOptions(given: string | readonly z.output<typeof option>[]): readonly Option[] | undefined {
  const list = typeof given === 'string' ? readListText(given) : given;
  if (list === undefined) return undefined;
  const byLabel = new Map<string, Option>();
  for (const item of list) {
    const { label, value = label } = typeof item === 'string' ? { label: item } : item;
    const trimmed = label.trim().slice(0, MAX_OPTION_CHARACTERS);
    if (trimmed !== '' && !byLabel.has(trimmed)) {
      byLabel.set(trimmed, {
        label: trimmed,
        value: value.trim().slice(0, MAX_OPTION_CHARACTERS) || trimmed,
      });
    }
  }
  return [...byLabel.values()].slice(0, MAX_OPTIONS);
}

function readListText(text: string): readonly z.output<typeof option>[] | undefined {
  if (text.trim() === '') return [];
  return z.array(option).safeParse(jsonIn(text)).data;
}

/** Returns the text for clients that do not know the artifact. */
function questionText({ question, clarification_type, context, options }: Question): string {
  const paragraphs = [context, `${ICONS[clarification_type]} ${question}`].filter((text) => text !== null);
  const choices = options.map(({ label }, index) => `${index + 1}. ${label}`).join('\n');
  return [...paragraphs, ...(choices === '' ? [] : [choices])].join('\n\n');
}

function humanInput(
  { question, clarification_type, context, options }: Question,
  callId: string,
): JsonObject {
  return {
    human_input: {
      version: 1,
      kind: 'human_input_request',
      source: 'ask_clarification',
      request_id: callId,
      clarification_type,
      question,
      input_mode: options.length > 0 ? 'choice_with_other' : 'free_text',
      context,
      options: options.map((it, index) => ({ id: `option-${index + 1}`, label: it.label, value: it.value })),
    },
  };
}

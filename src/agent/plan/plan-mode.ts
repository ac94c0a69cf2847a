// What plan mode adds to the lead agent: a tool, a part of its prompt, and a middleware for reminders.
import type { ToolCall } from '../../messages/message.ts';
import { createWriteTodosTool, WRITE_TODOS } from '../../tools/write-todos.ts';
import { type Middleware, refusing, type ToolReview } from '../middleware.ts';
import type { SourceParts } from '../tool-source.ts';
import { askedAgain, dueReminder, withEndReminder } from './reminders.ts';

/** For the lead agent alone: a sub-agent does one item of the plan and does not change it. */
export function createPlanMode(): SourceParts {
  return { tools: [createWriteTodosTool()], prompt: PROMPT, middleware: [createPlanMiddleware()] };
}

const PROMPT = `Plan mode is on. The person follows your plan while you work:
- For work of three or more steps, write a plan with write_todos before you begin. For a question or a small task, work without one.
- Keep one item in_progress while you work. When an item is done, mark it completed and the next one in_progress in the same call.
- When you learn something that changes the work, change the plan. Replace a plan of earlier work that no longer applies.
- Mark an item completed only when it is done. Before you end, the plan says truly what is done and what is not.`;

/** Everything is known from the state, so a run that is taken over continues as before. */
function createPlanMiddleware(): Middleware {
  return {
    name: 'plan',
    shapeRequest(request, state) {
      const messages = withEndReminder(request.messages, state.values);
      const due = dueReminder(state, messages);
      return { ...request, messages: due === undefined ? messages : [...messages, due] };
    },
    async afterModel({ state, signal }, emit) {
      const values = signal.aborted ? undefined : askedAgain(state);
      if (values === undefined) return undefined;
      const content = { name: 'plan', hook: 'after_model', action: 'remind', changes: values };
      await emit({ type: 'middleware', tag: 'plan', content });
      return { delta: { messages: [], values }, asksAgain: true };
    },
    reviewTools: async (calls) => reviewed(calls),
  };
}

function reviewed(calls: readonly ToolCall[]): ToolReview {
  const isWriting = ({ name }: ToolCall) => name === WRITE_TODOS;
  const isOne = calls.filter(isWriting).length < 2;
  return refusing(calls, (call) => (isOne || !isWriting(call) ? undefined : TWICE));
}

const TWICE =
  'Error: write_todos was called more than once in one answer, and each call replaces the whole plan. ' +
  'The plan was not changed. Call it once, with the whole list.';

// The tool with which the agent writes its plan, and the plan in the state: the field `todos`.
import { z } from 'zod';
import type { JsonObject } from '../messages/message.ts';
import { defineTool, failure, result, type Tool } from './tool.ts';

export const WRITE_TODOS = 'write_todos';

const MAX_ITEMS = 50;
const MAX_CHARACTERS = 500;

const todoSchema = z.object({
  content: z
    .string()
    .trim()
    .min(1, { error: 'Say what is to be done, in one short sentence' })
    .max(MAX_CHARACTERS, {
      error: `An item can have at most ${MAX_CHARACTERS} characters: use one short sentence`,
    })
    .describe('What to do, in one short sentence'),
  status: z.enum(['pending', 'in_progress', 'completed']).describe('How far it is'),
});
const todosSchema = z
  .array(todoSchema)
  .max(MAX_ITEMS, { error: `A plan can have at most ${MAX_ITEMS} items: combine small ones` });

const input = z.object({
  todos: todosSchema.describe('The whole plan in its order: it replaces the plan before. [] removes it'),
});

export type Todo = z.output<typeof todoSchema>;

/** Returns the plan of a thread; empty when there is none, or a client wrote something else there. */
export function todosIn({ todos }: JsonObject): readonly Todo[] {
  return todosSchema.safeParse(todos).data ?? [];
}

/** Returns the items that are not completed. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ status }) => status !== 'completed');
}

/** `write_todos`: replaces the plan. At most one item is in progress. A refused list changes nothing. */
export function createWriteTodosTool(): Tool {
  return defineTool({
    name: WRITE_TODOS,
    description:
      'Writes your plan, which the person follows while you work. Send the whole list each time, with at most one ' +
      'item in_progress. Mark an item in_progress before you start it and completed as soon as it is done.',
    input,
    // The plan is part of the step's delta: a call that was cut off left nothing behind.
    effect: 'read',
    run: async ({ todos }) => {
      const active = todos.filter(({ status }) => status === 'in_progress');
      if (active.length > 1) return failure(tooManyActive(active.length));
      return result(summary(todos), { todos });
    },
  });
}

function tooManyActive(count: number): string {
  return (
    `Error: ${count} items are in_progress, but at most one can be. The plan was not changed. ` +
    'Send the whole list again with one of them in_progress and the others pending or completed.'
  );
}

function summary(todos: readonly Todo[]): string {
  if (todos.length === 0) return 'The plan is removed.';
  const open = openTodos(todos);
  if (open.length === 0) return 'The plan is updated: every item is completed.';
  const progress = `The plan is updated: ${todos.length - open.length} of ${todos.length} completed.`;
  const hasActive = open.some(({ status }) => status === 'in_progress');
  return hasActive ? progress : `${progress} Nothing is in progress: mark the next item as in_progress.`;
}

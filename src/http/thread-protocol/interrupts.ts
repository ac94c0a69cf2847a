// The questions that a thread waits with for a person.
import { z } from 'zod';
import type { StateAt } from '../../threads/update-state.ts';

const tasksSchema = z.array(
  z.looseObject({ interrupts: z.array(z.looseObject({ id: z.string() })).optional() }),
);

/** Their ids, in the order of the tasks; none when the thread waits for nobody. */
export function pendingInterrupts(head: StateAt | undefined): readonly string[] {
  const tasks = tasksSchema.safeParse(head?.checkpoint.tasks ?? []);
  if (!tasks.success) return [];
  return tasks.data.flatMap(({ interrupts = [] }) => interrupts.map(({ id }) => id));
}

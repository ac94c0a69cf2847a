// An answer that stops in its middle until the test lets it go on.

import type { ModelServer } from '../model-server.ts';
import { answer } from './answer.ts';
import { step } from './step.ts';

/** The model says two words and then waits. */
export function halfAnAnswer(model: Pick<ModelServer, 'enqueue'>): { readonly goOn: () => void } {
  const gate = Promise.withResolvers<void>();
  model.enqueue(
    answer.script(
      step.text('one '),
      step.text('two '),
      step.until(gate.promise),
      step.text('three'),
      step.finish(),
      step.done(),
    ),
  );
  return { goOn: gate.resolve };
}

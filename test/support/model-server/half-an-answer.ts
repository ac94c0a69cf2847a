// A reply that pauses halfway until the test continues it.

import type { ModelServer } from '../model-server.ts';
import { answer } from './answer.ts';
import { step } from './step.ts';

/** Makes the model send two words and then wait. */
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

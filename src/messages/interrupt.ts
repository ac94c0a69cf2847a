// A question to the person that a run waits for (SDK: Interrupt).
import type { Json } from './message.ts';

export type Interrupt = {
  /** Stays the same when the step is tried again, so that its answer can be matched. */
  readonly id: string;
  readonly value: Json;
  /** The sub-agents that ask, from the outermost inwards; absent when the lead agent asks. */
  readonly namespace?: readonly string[];
};

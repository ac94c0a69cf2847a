// A question to the person that a run waits for (SDK: Interrupt).
import type { Json } from './message.ts';

export type Interrupt = {
  /** The same when the step is tried again, so that its answer finds it. */
  readonly id: string;
  readonly value: Json;
  /** Who asks, from the outermost sub-agent inwards; absent when it is the lead agent. */
  readonly namespace?: readonly string[];
};

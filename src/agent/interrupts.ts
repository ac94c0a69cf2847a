// Questions to the person: each has an id that finds its answer again when the step is repeated.
import type { Json, JsonObject } from '../messages/message.ts';
import { RunInterrupt } from '../tools/tool.ts';
import type { Answers } from './agent.ts';

/** `interrupt` for one place: the n-th question of a scope has the id `<scope>:<n>`. */
export function interruptIn(scope: string, answers: Answers): (value: Json) => Json {
  let asked = 0;
  return (value) => {
    const id = `${scope}:${asked++}`;
    const answer = answers.get(id);
    if (answer === undefined) throw new RunInterrupt([{ id, value }]);
    return answer;
  };
}

/** Answers in the form in which a checkpoint keeps them. */
export function answersJson(answers: Answers): JsonObject {
  return Object.fromEntries(answers);
}

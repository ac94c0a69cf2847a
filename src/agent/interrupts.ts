// Questions to the person: each has an id that finds its answer again when the step is repeated.
import type { JsonObject } from '../messages/message.ts';
import { RunInterrupt, type ToolContext } from '../tools/tool.ts';
import type { Answers } from './agent.ts';

/** `interrupt` for one place: the n-th question of a scope has the id `<scope>:<n>`, or `<scope>:<n>:<about>`. */
export function interruptIn(scope: string, answers: Answers): ToolContext['interrupt'] {
  let asked = 0;
  return (value, about) => {
    const place = `${scope}:${asked++}`;
    const id = about === undefined ? place : `${place}:${about}`;
    const answer = answers.get(id);
    if (answer === undefined) throw new RunInterrupt([{ id, value }]);
    return answer;
  };
}

/** Answers in the form in which a checkpoint keeps them. */
export function answersJson(answers: Answers): JsonObject {
  return Object.fromEntries(answers);
}

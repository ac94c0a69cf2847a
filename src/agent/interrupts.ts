// Questions to the person. Each has an id by which its answer is found when the step is repeated.
import { RunInterrupt, type ToolContext } from '../tools/tool.ts';
import type { Answers } from './agent.ts';

/** Returns `interrupt` for a scope. Its n-th question has the id `<scope>:<n>`, or `<scope>:<n>:<about>`. */
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

// What the model answers to the clients: the first word of the last question says what happens.
import { answer } from '../support/model-server/answer.ts';
import { type Step, step } from '../support/model-server/step.ts';

interface Asked {
  readonly body: Readonly<Record<string, unknown>>;
  readonly lastUserText: string;
}

/** Long enough for a client to leave and come back in the middle of it. */
const SLOW_WORDS = 60;
const SLOW_PAUSE_MS = 25;

/** `list` calls a tool, `write` one that a person has to allow, `fail` is refused, `slow` takes a while. */
export function scriptedAnswer({ body, lastUserText }: Asked): ReturnType<typeof answer.text> {
  if (lastRole(body) === 'tool') return answer.text('That is done.');
  switch (lastUserText.split(' ', 1)[0]) {
    case 'list':
      return answer.toolCalls([{ name: 'ls', args: { description: 'look', path: '/mnt/user-data' } }], {
        text: 'I look.',
      });
    case 'write': {
      const args = { description: 'keep it', path: '/mnt/user-data/workspace/NOTES.md', content: 'buy milk' };
      return answer.toolCalls([{ name: 'write_file', args }]);
    }
    case 'fail':
      return answer.status(400, { error: { message: 'No such thing', type: 'invalid_request_error' } });
    case 'slow':
      return answer.script(...slowly(), step.finish(), step.done());
    default:
      return answer.text('Hello from here.');
  }
}

function slowly(): Step[] {
  return Array.from({ length: SLOW_WORDS }, (_, index) => [
    step.text(`${index + 1} `),
    step.pause(SLOW_PAUSE_MS),
  ]).flat();
}

function lastRole({ messages }: Readonly<Record<string, unknown>>): unknown {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return typeof last === 'object' && last !== null && 'role' in last ? last.role : undefined;
}

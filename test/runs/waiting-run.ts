// Requests and states for tests of runs that wait for a person.
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';

interface WaitingState extends StateJson {
  readonly tasks: readonly {
    readonly id: string;
    readonly name: string;
    readonly interrupts: readonly { id: string; value: unknown }[];
  }[];
}

export const MODES = ['values', 'updates'];

/** Returns a call of the tool that needs permission. */
export const write = (path: string, content: string, id: string) => ({
  id,
  name: 'write_file',
  args: { description: 'note', path: `/mnt/user-data/workspace/${path}`, content },
});

export const stateOf = (client: HttpClient, threadId: string) =>
  jsonOf<WaitingState>(client.get(`/api/graph/threads/${threadId}/state`));

/** Returns the body of a run with a command and no input. */
export const command = (fields: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  assistant_id: 'lead_agent',
  input: null,
  stream_mode: MODES,
  command: fields,
  ...more,
});

// A service whose database is copied in the middle of a reply and put back later, as after a restore.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ProtocolEventJson } from '../protocol/events-of.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, question } from '../support/service.ts';
import type { TestFrame } from '../support/sse.ts';
import { type FaultService, receive, startFaultService } from './fault-service.ts';

export interface LostAnswer {
  readonly threadId: string;
  readonly runId: string;
  /** The path of the run's stream. */
  readonly path: string;
  /** The frames of the run that a client has received, the end of which is lost. */
  readonly seen: readonly TestFrame[];
  /** The first of these, which existed when the database was copied. */
  readonly copied: readonly TestFrame[];
  /** The same events in Agent Protocol v2. */
  readonly told: readonly ProtocolEventJson[];
  /** Lets the new reply come to its end. */
  goOn(): void;
}

export interface RestoredService extends FaultService {
  /**
   * Asks for a reply and loses its end: the service runs again on the copy, and continues the first half
   * differently. With `killed`, the process was also killed after the copy was made, and a second one had
   * taken the run over.
   */
  loseAnswer(killed?: 'killed'): Promise<LostAnswer>;
}

const COPIED = ['one ', 'two '];
const LOST = ['three ', 'four ', 'five '];
/** More than was lost, so that a client which only counts would be shown its end. */
const ANEW = ['eins ', 'zwei ', 'drei ', 'vier ', 'fünf ', 'sechs ', 'sieben ', 'acht '];
export const WHOLE = ANEW.join('');

const CHANNELS = ['values', 'updates', 'messages', 'lifecycle', 'checkpoints', 'tasks', 'custom'] as const;

export function protocolEvents(client: HttpClient, threadId: string, since?: number): Promise<Response> {
  return client.post(`/api/graph/threads/${threadId}/stream/events`, { channels: CHANNELS, since });
}

/** Whether the last of the words is in the messages. */
function isSaidIn(words: readonly string[]): (frames: readonly TestFrame[]) => boolean {
  const last = words.at(-1) ?? '';
  return (frames) =>
    frames.some(({ event, data }) => event === 'messages' && JSON.stringify(data).includes(last));
}

export async function startRestoredService(): Promise<RestoredService> {
  const service = await startFaultService();
  const { client, model, process } = service;
  const file = (name: string) => join(process.dataHome, name);

  const copy = (): void => {
    const database = new DatabaseSync(file('service.db'));
    database.exec(`vacuum into '${file('copy.db')}'`);
    database.close();
  };
  const putBack = async (): Promise<void> => {
    await process.kill();
    for (const name of ['service.db', 'service.db-wal', 'service.db-shm'])
      await rm(file(name), { force: true });
    await rename(file('copy.db'), file('service.db'));
    await process.restart();
  };

  return {
    ...service,
    async loseAnswer(killed) {
      const copyIsMade = Promise.withResolvers<void>();
      const mayEnd = Promise.withResolvers<void>();
      const copied = COPIED.map(step.text);
      const lost = LOST.map(step.text);
      model.enqueue(
        killed === undefined
          ? answer.script(...copied, step.until(copyIsMade.promise), ...lost, step.hang())
          : answer.script(...copied, step.hang()),
      );
      const threadId = await newThread(client);
      const runs = `/api/graph/threads/${threadId}/runs`;
      const body = question('count', { stream_mode: MODES });
      const { run_id: runId } = await jsonOf<RunJson>(client.post(runs, body));
      const path = `${runs}/${runId}/stream`;
      const said = (words: readonly string[]) => (frames: readonly TestFrame[]) =>
        frames.filter(({ event }) => event === 'messages').length >= words.length;
      const before = await receive(await client.get(path), said(COPIED));
      copy();
      copyIsMade.resolve();
      if (killed !== undefined) {
        await process.kill();
        model.enqueue(answer.script(...lost, step.hang()));
        await process.restart();
      }
      const headers = { 'last-event-id': before.at(-1)?.id ?? '' };
      const after = await receive(await client.get(path, headers), said(LOST));
      const told = await receive(await protocolEvents(client, threadId), isSaidIn(LOST));
      const anew = ANEW.map(step.text);
      model.enqueue(
        answer.script(
          ...anew.slice(0, 2),
          step.until(mayEnd.promise),
          ...anew.slice(2),
          step.finish(),
          step.done(),
        ),
      );
      await putBack();
      const events = told.map(({ data }) => data as ProtocolEventJson);
      const seen = [...before, ...after];
      return { threadId, runId, path, seen, copied: before, told: events, goOn: mayEnd.resolve };
    },
  };
}

// SIGTERM with open streams, repeated, and while the database accepts no writes
// (docs/contract/operation.md#starting-and-stopping).
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, question } from '../support/service.ts';
import type { TestFrame } from '../support/sse.ts';
import { type FaultService, receive, startFaultService } from './fault-service.ts';

const WORDS = Array.from({ length: 200 }, (_, index) => step.text(`word ${index} `));

let service: FaultService;
afterEach(() => service.remove());

async function started(kind: 'stream' | 'wait'): Promise<Response> {
  const threadId = await newThread(service.client);
  const body = question('hi', { stream_mode: ['values', 'messages-tuple', 'debug'] });
  return service.client.post(`/api/graph/threads/${threadId}/runs/${kind}`, body);
}

/** Resolves when the stream has shown the first words of the model; `rest` resolves with all its frames. */
async function underWay(response: Response): Promise<{ readonly rest: Promise<TestFrame[]> }> {
  const speaking = Promise.withResolvers<void>();
  const rest = receive(response, (frames) => {
    if (frames.some(({ event }) => event === 'messages')) speaking.resolve();
    return false;
  });
  await speaking.promise;
  return { rest };
}

function takesConnections(url: string): Promise<boolean> {
  return fetch(`${url}/health`, { headers: { connection: 'close' } }).then(
    () => true,
    () => false,
  );
}

describe('SIGTERM', () => {
  it('[running.stop] shows every reader the end of a run that ends in time', async () => {
    service = await startFaultService();
    const gate = Promise.withResolvers<void>();
    service.model.onRequest(() =>
      answer.script(step.text('one '), step.until(gate.promise), ...WORDS, step.finish(), step.done()),
    );
    const waited = (await started('wait')).text();
    const readers = await Promise.all([1, 2, 3].map(async () => underWay(await started('stream'))));
    const stopped = service.process.stop();
    gate.resolve();
    for (const { rest } of readers) expect((await rest).at(-1)?.event).toBe('end');
    expect(JSON.parse(await waited)).toMatchObject({ messages: [{ type: 'human' }, { type: 'ai' }] });
    expect(await stopped).toBe(0);
  });

  it('[running.stop] twice stops immediately', async () => {
    service = await startFaultService();
    service.model.onRequest(() => answer.hangMidStream('some words'));
    const { rest } = await underWay(await started('stream'));
    const first = service.process.stop();
    // Signals in quick succession count as one, so they are sent until one of them counts as the second.
    while (await takesConnections(service.process.url));
    const again = setInterval(() => void service.process.stop(), 100);
    const stopped = first.finally(() => clearInterval(again));
    // Far below the 30 seconds that the run would get.
    const late = AbortSignal.timeout(20_000);
    await Promise.race([stopped, new Promise((_, reject) => late.addEventListener('abort', reject))]);
    expect((await rest).at(-1)?.event).toBe('messages');
  });

  it('[running.stop] does not wait without limit for a database that accepts no writes', async () => {
    service = await startFaultService({ runs: { drain_ms: 1 } });
    const gate = Promise.withResolvers<void>();
    service.model.onRequest(() =>
      answer.script(step.text('one '), step.until(gate.promise), ...WORDS, step.hang()),
    );
    const { rest } = await underWay(await started('stream'));
    const database = new DatabaseSync(join(service.process.dataHome, 'service.db'), { timeout: 5_000 });
    try {
      database.exec('begin immediate');
      gate.resolve();
      expect(await service.process.stop()).toBe(0);
    } finally {
      database.close();
    }
    expect((await rest).some(({ event }) => event === 'end')).toBe(false);
  });
});

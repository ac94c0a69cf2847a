// The sockets as another user: handshake and every answer are those of an absent row.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDemoModel } from '../../src/models/demo-model.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { connect, refusedConnect, type SocketClient } from '../websocket/socket-client.ts';
import { absentIds, createWorld, freshThread, SECRET, type World } from './world.ts';

interface Who {
  readonly client?: World['ann'];
  readonly origin?: null;
  readonly options?: { readonly headers: Record<string, string> };
}

let service: ServedService;
let world: World;
let people: readonly Who[];
const open: SocketClient[] = [];

/** `openUrl` answers the address of an empty database. */
export function socketsContract(openUrl: () => Promise<string>): void {
  beforeAll(async () => {
    service = await openServedService({
      models: [createDemoModel({ delayMs: 0 })],
      config: { database: { url: await openUrl() } },
    });
    world = await createWorld(service);
    const headers = { authorization: `Bearer ${world.annsKey}` };
    people = [{ client: world.ann }, { origin: null, options: { headers } }];
  });
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate();
  });
  afterAll(() => service.close());

  describe('the sockets', theSockets);
}

const address = (thread: string, kind: 'runs/stream' | 'stream/events') =>
  `${service.server.url}/api/graph/threads/${thread}/${kind}`;
const token = () => world.ann.cookies.get('csrf_token') ?? '';

async function opened(url: string, who: Who): Promise<SocketClient> {
  const client = await connect({ url, ...who });
  open.push(client);
  return client;
}

/** What comes back for the first frame on an own thread, with the ids left out. */
async function firstAnswer(who: Who, frame: Record<string, unknown>, id: string): Promise<unknown> {
  const client = await opened(address(await freshThread(world.ann), 'runs/stream'), who);
  client.send({ ...frame, csrf_token: token() });
  const end = await client.closed;
  return JSON.parse(JSON.stringify({ received: client.received, end }).replaceAll(id, '<id>'));
}

function theSockets(): void {
  it('[isolation.sockets] refuse the handshake on a foreign thread as on an absent one', async () => {
    for (const who of people) {
      const foreign = await refusedConnect({ url: address(world.bobs.thread, 'runs/stream'), ...who });
      const absent = await refusedConnect({ url: address(absentIds().thread, 'runs/stream'), ...who });
      expect(foreign).toEqual(absent);
      expect(foreign.status).toBe(404);
    }
  });

  it('[isolation.sockets] treat a foreign run or checkpoint as absent', async () => {
    for (const who of people) {
      for (const kind of ['run', 'checkpoint'] as const) {
        const frame = (id: string) =>
          kind === 'run'
            ? { join: id }
            : { assistant_id: 'lead_agent', input: { messages: [] }, checkpoint_id: id };
        const foreign = await firstAnswer(who, frame(world.bobs[kind]), world.bobs[kind]);
        const { [kind]: id } = absentIds();
        expect([kind, foreign]).toEqual([kind, await firstAnswer(who, frame(id), id)]);
        expect(foreign).toMatchObject({ end: { code: 1008 } });
      }
    }
  });

  it('[isolation.sockets] carry out commands on a foreign thread as on an absent one, and show none of its events', async () => {
    const commands = [
      { id: 1, method: 'state.get', params: {} },
      { id: 2, method: 'agent.getTree', params: { run_id: world.bobs.run } },
      { id: 3, method: 'input.respond', params: { response: 'yes' } },
      { id: 4, method: 'unknown', params: {} },
    ];
    const transcript = async (who: Who, thread: string): Promise<unknown> => {
      const client = await opened(address(thread, 'stream/events'), who);
      client.send({
        id: 0,
        method: 'subscription.subscribe',
        params: { channels: ['values', 'messages', 'lifecycle'] },
      });
      await client.until<{ id?: number }>(({ id }) => id === 0);
      for (const command of commands) client.send(command);
      await client.until<{ id?: number }>(({ id }) => id === 4);
      return JSON.parse(JSON.stringify(client.received.slice(1)).replaceAll(thread, '<thread>'));
    };
    for (const who of people) {
      const foreign = await transcript(who, world.bobs.thread);
      expect(foreign).toEqual(await transcript(who, absentIds().thread));
      expect(JSON.stringify(foreign)).not.toContain(SECRET);
    }
  });

  it('[isolation.sockets] start no run on a foreign thread', async () => {
    const { runs } = service.service.storage.as(world.bobs.user);
    const runIds = async () =>
      (await runs.list(world.bobs.thread, { limit: 9, offset: 0 })).map(({ runId }) => runId);
    const before = await runIds();
    expect(before).toContain(world.bobs.run);
    for (const who of people) {
      const client = await opened(address(world.bobs.thread, 'stream/events'), who);
      client.send({
        id: 1,
        method: 'run.start',
        params: { assistant_id: 'lead_agent', input: { messages: [] } },
      });
      expect(await client.until<{ id: number }>(({ id }) => id === 1)).toMatchObject({ type: 'error' });
    }
    expect(await runIds()).toEqual(before);
  });
}

// What `useStream` of @langchain/react, vue, svelte and angular is made of: the SDK's controller, without a framework.
import type { Client } from '@langchain/langgraph-sdk';
import { StreamController } from '@langchain/langgraph-sdk/stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { halfAnAnswer } from '../support/model-server/half-an-answer.ts';
import { newThread } from '../support/service.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { sdkClient } from './sdk-client.ts';

let service: ServedService;
let ann: HttpClient;
let client: Client;
type Controller = StreamController<Record<string, unknown>[] | Record<string, unknown>>;
const open: Controller[] = [];
beforeAll(async () => {
  service = await openServedService();
  ann = await service.user('ann');
  client = sdkClient({ url: service.server.url, client: ann });
});
afterEach(async () => {
  for (const controller of open.splice(0)) await controller.dispose();
  service.model.reset();
});
afterAll(() => service.close());

function controllerOf(threadId?: string): Controller {
  const controller = new StreamController<Record<string, unknown>[] | Record<string, unknown>>({
    client,
    assistantId: 'lead_agent',
    ...(threadId === undefined ? {} : { threadId }),
  });
  open.push(controller);
  return controller;
}

type Snapshot = ReturnType<Controller['rootStore']['getSnapshot']>;

function until(controller: Controller, wanted: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
  const { rootStore } = controller;
  return new Promise((resolve) => {
    const look = (): void => {
      const snapshot = rootStore.getSnapshot();
      if (!wanted(snapshot)) return;
      unsubscribe();
      resolve(snapshot);
    };
    const unsubscribe = rootStore.subscribe(look);
    look();
  });
}

/** The end of a run and its last words come on two connections, in either order. */
function settled(controller: Controller, lastWords: string): Promise<Snapshot> {
  return until(controller, (it) => !it.isLoading && textsOf(it).at(-1)?.[1] === lastWords);
}

const textsOf = ({ messages }: Snapshot) => messages.map(({ type, text }) => [type, text]);
const asking = (content: string) => ({ messages: [{ type: 'human', content }] });

describe('the hook', () => {
  it('[protocol.hook] sends a question on a new thread and shows the reply as it grows', async () => {
    const { goOn } = halfAnAnswer(service.model);
    const controller = controllerOf();
    const submitted = controller.submit(asking('hi'));
    const half = await until(controller, (snapshot) => textsOf(snapshot).at(-1)?.[1] === 'one two ');
    expect(half.isLoading).toBe(true);
    goOn();
    await submitted;
    const whole = await settled(controller, 'one two three');
    expect(textsOf(whole)).toEqual([
      ['human', 'hi'],
      ['ai', 'one two three'],
    ]);
    expect(whole.error).toBeUndefined();
    expect(whole.values).toMatchObject({ title: 'hi' });
  });

  it('[protocol.hook] continues the conversation, and shows each message once', async () => {
    service.model.enqueue(answer.text('first'), answer.text('second'));
    const controller = controllerOf();
    await controller.submit(asking('one'));
    await controller.submit(asking('two'));
    const whole = await settled(controller, 'second');
    expect(textsOf(whole)).toEqual([
      ['human', 'one'],
      ['ai', 'first'],
      ['human', 'two'],
      ['ai', 'second'],
    ]);
  });

  it('[protocol.hook] finds a run that is still active after a reload, and follows it to its end', async () => {
    service.model.enqueue(answer.text('first'));
    const threadId = await newThread(ann);
    const before = controllerOf(threadId);
    await before.submit(asking('one'));
    const { goOn } = halfAnAnswer(service.model);
    void before.submit(asking('two'));
    await until(before, (snapshot) => textsOf(snapshot).at(-1)?.[1] === 'one two ');

    const after = controllerOf(threadId);
    const half = await until(after, (snapshot) => textsOf(snapshot).at(-1)?.[1] === 'one two ');
    expect(half.isLoading).toBe(true);
    goOn();
    const whole = await settled(after, 'one two three');
    expect(textsOf(whole)).toEqual([
      ['human', 'one'],
      ['ai', 'first'],
      ['human', 'two'],
      ['ai', 'one two three'],
    ]);
  });

  it('[protocol.hook] stops a run, and what it said stays', async () => {
    halfAnAnswer(service.model);
    const threadId = await newThread(ann);
    const controller = controllerOf(threadId);
    const submitted = controller.submit(asking('hi'));
    await until(controller, (snapshot) => textsOf(snapshot).at(-1)?.[1] === 'one two ');
    await controller.stop();
    await submitted;
    expect((await until(controller, ({ isLoading }) => !isLoading)).error).toBeUndefined();
    const [run] = await jsonOf<RunJson[]>(ann.get(`/api/graph/threads/${threadId}/runs?limit=1`));
    await ann.get(`/api/graph/threads/${threadId}/runs/${run?.run_id}/join`).then((it) => it.text());
    const again = controllerOf(threadId);
    const whole = await until(again, ({ messages }) => messages.length === 2);
    expect(textsOf(whole).at(-1)).toEqual(['ai', 'one two ']);
    expect(whole.isLoading).toBe(false);
  });

  it('[protocol.hook] shows why a run failed', async () => {
    service.model.onRequest(() => answer.unauthorized());
    const controller = controllerOf(await newThread(ann));
    await controller.submit(asking('hi'));
    const { error } = await until(
      controller,
      (snapshot) => snapshot.error !== undefined && !snapshot.isLoading,
    );
    expect(String(error)).toContain('key');
  });

  it('[protocol.hook] shows tool calls with their results', async () => {
    const args = { path: '/mnt/user-data/workspace/b.txt', content: 'b' };
    service.model.enqueue(answer.toolCalls([{ name: 'write_file', args }]), answer.text('written'));
    const controller = controllerOf();
    await controller.submit(asking('write'));
    const { toolCalls } = await settled(controller, 'written');
    expect(toolCalls).toMatchObject([{ name: 'write_file', input: args, status: 'finished', output: 'OK' }]);
  });
});

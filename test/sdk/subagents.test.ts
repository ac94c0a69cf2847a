// Sub-agents as the official client and its React hook know them.
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { lookAndAnswer, task, taskOf } from '../support/scripted-subagents.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { type BuiltPage, buildHookPage, openTab, openWindow, type Tab } from './hook-page.ts';
import { ask, collected, openSdkUser, SDK_VERSIONS, type State, textsOf } from './official-client.ts';

const PATIENCE = { timeout: 240_000 };
const POLL = { timeout: 60_000, interval: 25 };

/** Two sub-agents that look and answer, and a lead agent that is content with them. */
function script({ model }: ServedService): void {
  model.reset();
  const lead = [answer.toolCalls([task('c1'), task('c2')], { text: 'Delegating' }), answer.text('All done')];
  const left = new Map([
    ['', [...lead]],
    ['do c1', [...lookAndAnswer()]],
    ['do c2', [...lookAndAnswer()]],
  ]);
  model.onRequest((request) => left.get(taskOf(request))?.shift() ?? answer.serverError(400));
}

describe.each(SDK_VERSIONS)('sub-agents with SDK $version', (version) => {
  let service: ServedService;
  beforeAll(async () => {
    service = await openServedService();
  });
  afterAll(() => service.close());

  it('[sdk.subagents] are streamed in their namespace, replayed alike, and have a history', async () => {
    script(service);
    const { client } = await openSdkUser(service, version);
    const { thread_id: threadId } = await client.threads.create();
    const streamed = await collected(
      client.runs.stream(threadId, 'lead_agent', {
        input: ask('delegate'),
        streamMode: ['values', 'messages-tuple', 'custom'],
        streamSubgraphs: true,
        streamResumable: true,
      }),
    );
    const events = new Set<string>(streamed.map(({ event }) => event));
    for (const mode of ['values', 'messages']) expect(events).toContain(`${mode}|tools:c1`);
    expect(events).toContain('values|tools:c2');
    const told = streamed.filter(({ event }) => event === 'custom').map(({ data }) => data);
    expect(told).toContainEqual(expect.objectContaining({ type: 'task_completed', task_id: 'c1' }));

    const [run] = await client.runs.list(threadId);
    const again = client.runs.joinStream(threadId, run?.run_id ?? '', { lastEventId: '-1' });
    expect(await collected(again)).toEqual(streamed);

    const [newest] = await client.threads.getHistory<State>(threadId, {
      limit: 1,
      checkpoint: { checkpoint_ns: 'tools:c1' },
    });
    expect(newest?.checkpoint.checkpoint_ns).toBe('tools:c1');
    const texts = newest && textsOf(newest.values);
    expect([texts?.length, texts?.[0], texts?.at(-1)]).toEqual([4, 'human: do c1', 'ai: It is empty']);
  });
});

describe('useStream', PATIENCE, () => {
  let browser: Browser;
  let built: BuiltPage;
  let service: ServedService;
  let window: BrowserContext;

  beforeAll(async () => {
    built = await buildHookPage();
    service = await openServedService({ overrides: { webRoot: built.root } });
    browser = await openBrowser();
  }, PATIENCE.timeout);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await built?.remove();
  });
  beforeEach(async () => {
    script(service);
    window = await openWindow(browser, service);
  });
  afterEach(() => window.close());

  const subagents = ({ page }: Tab) => page.locator('aside').allTextContents();

  it('[hook.subagents] shows the lead agent alone, and each sub-agent with its own messages', async () => {
    const tab = await openTab(window, '/?subagents');
    await tab.send('delegate');
    await tab.idle();
    const lead = ['human: delegate', 'ai: Delegating', 'tool: It is empty', 'tool: It is empty'];
    await tab.shows([...lead, 'ai: All done']);
    const said = (id: string) => `Task ${id}: complete: ai: Looking, tool: (empty), ai: It is empty`;
    await expect.poll(() => subagents(tab), POLL).toEqual([said('c1'), said('c2')]);
    expect(tab.complaints).toEqual([]);
  });

  it('[hook.subagents.reload] shows each sub-agent with its messages when the thread is opened again', async () => {
    const tab = await openTab(window, '/?subagents');
    await tab.send('delegate');
    await tab.idle();
    const again = await openTab(window, `${new URL(tab.page.url()).pathname}?subagents`);
    const said = (id: string) =>
      `Task ${id}: complete: human: do ${id}, ai: Looking, tool: (empty), ai: It is empty`;
    await expect.poll(() => subagents(again), POLL).toEqual([said('c1'), said('c2')]);
    expect(again.complaints).toEqual([]);
  });
});

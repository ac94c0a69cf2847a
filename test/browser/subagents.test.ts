// Sub-agents as the person sees them: while they work, afterwards, and when one of them asks.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChatInBrowser } from '../support/chat-in-browser.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import {
  axeViolations,
  eventually,
  openWebApp,
  PATIENCE,
  type StorageState,
  type WebApp,
} from '../support/web-app.ts';

const CONFIG = `
agent:
  approvals: { str_replace: always }
`;
const PHONE = { width: 360, height: 740 };
/** Its words take seconds to be said again. */
const LONG_FILE = `write LONG.md: ${Array.from({ length: 700 }, (_, index) => `word${index}`).join(' ')}`;

describe('sub-agents', PATIENCE, () => {
  let browser: Browser;
  let service: ServiceProcess;
  let state: StorageState;
  let remove: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    ({ browser, service, state, remove } = await startChatInBrowser(CONFIG));
  }, PATIENCE.timeout);
  afterAll(() => remove?.());

  const open = async (options = {}): Promise<WebApp> => {
    const app = await openWebApp(browser, service, { storageState: state, ...options });
    await app.open();
    return app;
  };
  const card = ({ page }: WebApp, task: string) =>
    page.locator('[data-tool="task"]').filter({ has: page.getByText(task, { exact: true }) });
  const stateOf = (app: WebApp, task: string) => () => card(app, task).getAttribute('data-tool-state');
  const title = (app: WebApp, task: string) => card(app, task).getByRole('button').first();
  const approval = ({ page }: WebApp) => page.getByRole('group', { name: 'Approval', exact: true });

  it('[web.subagents] shows what each is doing while it works, also after a reload', async () => {
    const app = await open();
    await app.send(LONG_FILE);
    await app.untilAnswer(/I wrote 700 words/);
    await app.untilIdle();
    const request = app.page.waitForRequest(/\/runs$/);
    await app.send('In parallel: read LONG.md; count to 3');
    expect((await request).postDataJSON().stream_mode).toContain('custom');
    await eventually(stateOf(app, 'count to 3')).toBe('success');
    const words = () => title(app, 'read LONG.md').textContent();
    await eventually(words).toMatch(/read LONG\.md1 stepSub-agent·running\s?Read file workspace\/LONG\.md$/);
    expect(await stateOf(app, 'read LONG.md')()).toBe('running');
    await app.page.reload();
    await eventually(words).toMatch(/1 stepSub-agent·running\s?Read file workspace\/LONG\.md$/);
    await app.untilAnswer(/All 2 sub-agents are done.*word699/);
    expect(await words()).toBe('read LONG.md1 stepSub-agent·done');
    await app.untilIdle();
    await app.page.reload();
    await eventually(words).toBe('read LONG.md1 stepSub-agent·done');
    expect(app.complaints).toEqual([]);
    await app.close();
  });

  it('[web.subagents.steps] shows the steps as they come, and reads those from before', async () => {
    const app = await open();
    await app.send(LONG_FILE);
    await app.untilAnswer(/I wrote 700 words/);
    await app.send('In parallel: read LONG.md');
    await title(app, 'read LONG.md').press('Enter');
    const step = card(app, 'read LONG.md').locator('[data-tool="read_file"]');
    await eventually(() => step.getAttribute('data-tool-state')).toBe('success');
    expect(await stateOf(app, 'read LONG.md')()).toBe('running');
    await card(app, 'read LONG.md').getByText('I will read the file.').waitFor();
    await app.untilIdle();
    await app.page.reload();
    await title(app, 'read LONG.md').press('Enter');
    await step.getByRole('button').press('Enter');
    await step.locator('pre', { hasText: 'word699' }).waitFor();
    expect(await card(app, 'read LONG.md').locator('.markdown').textContent()).toContain('word699');
    await app.close();
  });

  it('[web.subagents.steps] [web.keyboard] asks for them when they are opened, by keyboard too', async () => {
    const app = await open();
    await app.send('In parallel: list the files; count to 3');
    await app.untilAnswer(/All 2 sub-agents are done/);
    await app.untilIdle();
    const asked: unknown[] = [];
    app.page.on('request', (request) => {
      const namespace = request.postDataJSON()?.checkpoint?.checkpoint_ns;
      if (namespace !== undefined) asked.push(namespace);
    });
    await app.page.reload();
    await title(app, 'list the files').waitFor();
    expect(asked).toEqual([]);
    await title(app, 'list the files').focus();
    await app.page.keyboard.press('Enter');
    const steps = app.page.getByRole('list', { name: 'Steps of the sub-agent' });
    await steps.getByText('List folder', { exact: true }).waitFor();
    expect(asked).toEqual([expect.stringMatching(/^tools:call_/)]);
    expect(await title(app, 'list the files').getAttribute('aria-expanded')).toBe('true');
    await title(app, 'count to 3').focus();
    await app.page.keyboard.press('Enter');
    await card(app, 'count to 3').getByText('No tools used.').waitFor();
    await app.close();
  });

  it('[web.subagents.approval] asks for each sub-agent by its task, and goes on when it is answered', async () => {
    const app = await open();
    await app.send('write A.md: one two');
    await app.untilAnswer(/I wrote 2 words/);
    const [first, second] = ['replace one with 1 in A.md', 'replace two with 2 in A.md'];
    await app.send(`In parallel: ${first}; ${second}; count to 3`);
    await approval(app).getByText(`For the sub-agent: ${first}`).waitFor();
    await eventually(stateOf(app, first)).toBe('waiting');
    await eventually(stateOf(app, second)).toBe('waiting');
    await eventually(stateOf(app, 'count to 3')).toBe('success');
    await approval(app).getByRole('button', { name: 'Allow once: Edit file' }).press('Enter');
    await approval(app).getByText(`For the sub-agent: ${second}`).waitFor();
    await app.page.reload();
    await approval(app).getByText(`For the sub-agent: ${second}`).waitFor();
    await eventually(stateOf(app, first)).toBe('success');
    await approval(app).getByRole('button', { name: 'Deny: Edit file' }).press('Enter');
    await approval(app).getByRole('button', { name: 'Deny', exact: true }).press('Enter');
    await app.untilAnswer(/“one” is now “1”.*That did not work/);
    await eventually(() => approval(app).count()).toBe(0);
    await title(app, second).press('Enter');
    const step = card(app, second).locator('[data-tool="str_replace"]');
    await eventually(() => step.getAttribute('data-tool-state')).toBe('error');
    expect(app.complaints).toEqual([]);
    await app.close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`[web.axe] [web.phone] fits a phone and has no violations with sub-agents, ${colorScheme}`, async () => {
      const app = await open({ colorScheme, viewport: PHONE });
      await app.send('write A.md: one two');
      await app.untilAnswer(/I wrote 2 words/);
      await app.send('In parallel: read A.md; replace one with 1 in A.md');
      await approval(app).getByText('For the sub-agent:').waitFor();
      await app.untilIdle();
      // A card folds when its sub-agent has finished.
      await eventually(stateOf(app, 'read A.md')).toBe('success');
      await title(app, 'read A.md').press('Enter');
      await card(app, 'read A.md').locator('[data-tool="read_file"]').getByRole('button').press('Enter');
      await card(app, 'read A.md').locator('pre').first().waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      const region = app.page.getByRole('region', { name: 'Conversation' });
      expect(await region.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      await app.close();
    });
  }
});

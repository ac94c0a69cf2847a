// Tours with axe through the pages, menus and dialogs, in both themes and on a phone. What they do has tests of its own.
import { beforeAll, describe, expect, it } from 'vitest';
import { browserTests, chatForTests, writeSampleChat } from '../support/chat-in-browser.ts';
import {
  axeViolationsInBothThemes,
  EMAIL,
  eventually,
  messageBox,
  PATIENCE,
  threadList,
  type WebApp,
} from '../support/web-app.ts';

const PHONE = { width: 360, height: 740 };
const SIGNED_OUT = { storageState: { cookies: [], origins: [] } };

const approvals = ({ page }: WebApp) => page.getByRole('group', { name: 'Approval', exact: true });

describe('the look of the app', PATIENCE, () => {
  const chat = browserTests();

  beforeAll(() => writeSampleChat(chat), PATIENCE.timeout);

  it('[web.axe] has no violations at sign-in and registration', async () => {
    const app = await chat.open('/', SIGNED_OUT);
    await app.signIn({ email: EMAIL, password: 'not this one' });
    await app.page.getByRole('alert').waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await app.page.getByRole('link', { name: 'Register' }).click();
    await app.page.getByRole('heading', { name: 'Create your account' }).waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
  });

  it('[web.axe] has no violations in the chat and its menus', async () => {
    const app = await chat.open();
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await threadList(app.page)
      .getByRole('link', { name: /write NOTES\.md/ })
      .click();
    await app.page.locator('.markdown table').waitFor();
    await app.page.locator('[data-tool]').first().getByRole('button').first().click();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await app.page.getByRole('button', { name: /^Account/ }).click();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await app.page.getByRole('menuitem', { name: 'Change password' }).click();
    await app.page.getByRole('dialog').waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await app.page.keyboard.press('Escape');
    await app.page.getByRole('button', { name: /^Model:/ }).click();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await app.page.keyboard.press('Escape');
    await app.send('ask me to choose red or blue');
    await app.page.getByRole('group', { name: 'Question from the agent' }).last().waitFor();
    await app.untilIdle();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
  });

  it('[web.axe] has no violations where something went wrong', async () => {
    const app = await chat.open('/threads/nowhere');
    await app.page.getByText('Chat not found').waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await app.page.context().setOffline(true);
    await app.page.getByRole('link', { name: 'Start a new chat' }).click();
    await app.page.getByText('Connection lost').waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
  });

  it('[web.axe] has no violations on a phone', async () => {
    const app = await chat.open('/', { viewport: PHONE });
    await messageBox(app.page).waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await app.page.getByRole('button', { name: 'Open chats' }).click();
    await threadList(app.page).getByRole('link').first().waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
  });
});

describe('a tool that needs permission', PATIENCE, () => {
  const chat = chatForTests('agent: { approvals: { write_file: always, read_file: always } }\n');

  it('[web.axe] has no violations while the agent waits for permission', async () => {
    const { page } = chat.app;
    await chat.app.send('write AXE.md: hello');
    await approvals(chat.app).getByRole('button', { name: 'Allow once: Write file', exact: true }).waitFor();
    await chat.app.untilIdle();
    expect(await axeViolationsInBothThemes(page)).toEqual([]);
    await approvals(chat.app).getByRole('button', { name: 'Edit: Write file' }).press('Enter');
    expect(await axeViolationsInBothThemes(page)).toEqual([]);
    await approvals(chat.app).getByRole('button', { name: 'Cancel' }).press('Enter');
    await approvals(chat.app).getByRole('button', { name: 'Deny: Write file' }).press('Enter');
    expect(await axeViolationsInBothThemes(page)).toEqual([]);
    await approvals(chat.app).getByRole('button', { name: 'Cancel' }).press('Enter');
    await chat.app.send('read ONE.md and TWO.md');
    await page.getByText('0 of 2 decided').waitFor();
    expect(await axeViolationsInBothThemes(page)).toEqual([]);
  });
});

describe('sub-agents', PATIENCE, () => {
  const chat = browserTests(
    'agent: { approvals: { str_replace: always }, suggestions: { enabled: false } }\n',
  );
  const card = ({ page }: WebApp, task: string) =>
    page.locator('[data-tool="task"]').filter({ has: page.getByText(task, { exact: true }) });
  const stateOf = (app: WebApp, task: string) => () => card(app, task).getAttribute('data-tool-state');
  const title = (app: WebApp, task: string) => card(app, task).getByRole('button').first();

  it('[web.axe] [web.phone] fits a phone and has no violations with sub-agents', async () => {
    const app = await chat.open('/', { viewport: PHONE });
    await app.send('write A.md: one two');
    await app.untilAnswer(/I wrote 2 words/);
    await app.send('In parallel: read A.md; replace one with 1 in A.md');
    await approvals(app).getByText('For the sub-agent:').waitFor();
    await app.untilIdle();
    // A card folds when its sub-agent has finished.
    await eventually(stateOf(app, 'read A.md')).toBe('success');
    await title(app, 'read A.md').press('Enter');
    await card(app, 'read A.md').locator('[data-tool="read_file"]').getByRole('button').press('Enter');
    await card(app, 'read A.md').locator('pre').first().waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    const region = app.page.getByRole('region', { name: 'Conversation' });
    expect(await region.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });
});

// Windows of one person: what happens in one is seen in the others.
import { describe, expect, it } from 'vitest';
import { chatForTests, scriptedModel } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import type { ModelServer } from '../support/model-server.ts';
import {
  axeViolations,
  chooseModel,
  eventually,
  messageBox,
  PATIENCE,
  threadList,
  type WebApp,
} from '../support/web-app.ts';

/** A folder for pictures of what the tests see; none are taken without it. */
const { SCREENSHOTS } = process.env;
const config = (model: ModelServer) => `
models:
  - { name: demo, provider: demo, model: demo, display_name: Demo }
  - { name: second, provider: demo, model: demo, display_name: Second }
  - ${scriptedModel(model)}
agent:
  approvals: { write_file: always }
  # Asked of the model once more after a test, they would take the answers of the next one.
  suggestions: { enabled: false }
`;

describe('windows of one person', PATIENCE, () => {
  const chat = chatForTests(config);

  it('[web.live] show a message that was sent in another one, and its reply as it is written', async () => {
    await chat.app.send('count to 2');
    await chat.app.untilAnswer(/1 2$/);
    await chat.app.untilIdle();
    const other = await chat.open(new URL(chat.app.page.url()).pathname);
    await other.untilAnswer(/1 2$/);
    await other.untilIdle();
    await messageBox(other.page).fill('half a thought');

    const shown = Promise.withResolvers<void>();
    chat.model.enqueue(
      answer.script(
        step.text('1 2 3'),
        step.until(shown.promise),
        step.text(' 4'),
        step.finish(),
        step.done(),
      ),
    );
    await chooseModel(chat.app, 'scripted');
    await chat.app.send('count to 4');
    await other.untilAnswer(/1 2 3$/);
    await other.page.getByRole('button', { name: 'Stop' }).waitFor();
    await threadList(other.page).getByText('Answering:').waitFor();
    shown.resolve();
    await other.untilAnswer(/1 2 3 4$/);
    expect(await said(other)).toEqual(['count to 2', 'count to 4']);
    expect(await messageBox(other.page).inputValue()).toBe('half a thought');

    await chooseModel(other, 'Demo');
    await messageBox(other.page).fill('count to 3');
    await messageBox(other.page).press('Enter');
    await chat.app.untilAnswer(/1 2 3$/);
    await eventually(() => said(chat.app)).toEqual(['count to 2', 'count to 4', 'count to 3']);
  });

  it('[web.plan] follow the plan while the agent works by it, and see it after a reload', async () => {
    const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
    const { page } = chat.app;
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    const things = [...'abcdefghi'].map((letter) => letter.repeat(90));
    const plan = (done: number) => {
      const todos = things.map((content, index) => {
        if (index < done) return { content, status: 'completed' };
        return { content, status: index === done ? 'in_progress' : 'pending' };
      });
      return answer.toolCalls([{ name: 'write_todos', args: { todos } }]);
    };
    const [begun, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const replies = [plan(1), plan(4), plan(9), answer.text('Plan: a party')];
    chat.model.onRequest(async () => {
      if (replies.length === 3) await begun.promise;
      if (replies.length === 2) await seen.promise;
      return replies.shift() ?? answer.serverError();
    });
    await chooseModel(chat.app, 'scripted');
    const request = page.waitForRequest((it) => it.method() === 'POST' && it.url().endsWith('/runs'));
    await chat.app.send('plan a party');
    expect((await request).postDataJSON()).toMatchObject({
      config: { configurable: { is_plan_mode: true } },
    });
    const panel = (of: WebApp) => of.page.getByRole('region', { name: 'Plan', exact: true });
    const items = async (of: WebApp) => (await panel(of).getByRole('listitem').allTextContents()).join('; ');
    await eventually(() => items(chat.app)).toMatch(/^[Aa]+Done; .*In progress; .*[Ii]+To do$/);
    begun.resolve();
    await page.reload();
    const progress = (of: WebApp) => () => panel(of).getByRole('button').textContent();
    await eventually(progress(chat.app)).toMatch(/^Plan.*[1-9] of 9 done$/);
    const other = await chat.open(new URL(page.url()).pathname, phone);
    const title = panel(other).getByRole('button');
    await eventually(progress(other)).toMatch(/^Plan.*[1-9] of 9 done$/);
    expect(await title.getAttribute('aria-expanded')).toBe('false');
    await title.click();
    seen.resolve();
    for (const window of [chat.app, other]) {
      await window.untilAnswer(/Plan: a party/);
      await window.untilIdle();
      await eventually(progress(window)).toMatch(/9 of 9 done$/);
      expect(await axeViolations(window.page)).toEqual([]);
      expect(window.complaints).toEqual([]);
    }
    expect(await items(other)).toBe(things.map((it) => `${it}Done`).join('; '));
    const overflow = () => other.page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(await overflow()).toBe(false);
    if (SCREENSHOTS !== undefined) {
      await other.page.screenshot({ path: `${SCREENSHOTS}/plan-phone.png` });
      await page.screenshot({ path: `${SCREENSHOTS}/plan.png` });
    }
    const card = page.locator('[data-tool="write_todos"]').last();
    await page.locator('details[data-folded-work] > summary').last().click();
    await card.getByRole('button').first().click();
    await card.getByText(/^i+$/).waitFor();
    expect(await card.getByRole('button').first().textContent()).toMatch(/Update plan.*9 of 9$/);
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/plan-card.png` });

    // What is done and past is not shown any more.
    await chooseModel(chat.app, 'Demo');
    await page.getByRole('button', { name: 'Plan', exact: true, pressed: true }).click();
    await chat.app.send('count to 2');
    await chat.app.untilAnswer(/1 2$/);
    await eventually(() => panel(chat.app).count()).toBe(0);
  });

  it('[web.live.list] list new chats, their titles, and deletions', async () => {
    const other = await chat.open();
    await chat.app.send('count to 11');
    const link = threadList(other.page).getByRole('link', { name: /^count to 11/ });
    await link.click();
    await other.untilAnswer(/10 11$/);
    await chat.app.untilIdle();
    await chat.app.page.getByRole('button', { name: 'More for count to 11' }).click();
    await chat.app.page.getByRole('menuitem', { name: 'Rename' }).click();
    await chat.app.page.getByRole('textbox', { name: 'Title', exact: true }).fill('Eleven');
    await chat.app.page.getByRole('button', { name: 'Rename', exact: true }).click();
    await other.page.getByRole('heading', { name: 'Eleven' }).waitFor();
    await threadList(other.page)
      .getByRole('link', { name: /^Eleven/ })
      .waitFor();

    await chat.app.page.getByRole('button', { name: 'More for Eleven' }).click();
    await chat.app.page.getByRole('menuitem', { name: 'Delete' }).click();
    await chat.app.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await other.page.getByText('Chat not found').waitFor();
    const deleted = threadList(other.page).getByRole('link', { name: /^Eleven/ });
    await eventually(() => deleted.count()).toBe(0);
  });

  it('[web.chat-model] know which model replies in a chat', async () => {
    await chooseModel(chat.app, 'Second');
    await chat.app.send('count to 12');
    await chat.app.untilAnswer(/11 12$/);
    const other = await chat.open();
    await other.page.getByRole('button', { name: 'Model: Demo' }).waitFor();
    await threadList(other.page)
      .getByRole('link', { name: /^count to 12/ })
      .click();
    await other.page.getByRole('button', { name: 'Model: Second' }).waitFor();
    await chooseModel(other, 'Demo');
    await other.send('count to 13');
    await other.untilAnswer(/12 13$/);
    await chat.app.page.getByRole('button', { name: 'Model: Demo' }).waitFor();
  });

  it('[web.chat-model] continue with the model that asked, whichever window answers', async () => {
    await chooseModel(chat.app, 'Second');
    await chat.app.send('write NOTES.md: hello');
    const card = (of: WebApp) => of.page.getByRole('group', { name: 'Approval', exact: true });
    await card(chat.app).waitFor();
    const other = await chat.open(new URL(chat.app.page.url()).pathname);
    await card(other).waitFor();
    await chooseModel(other, 'Demo');
    await card(other).getByRole('button', { name: 'Allow once: Write file', exact: true }).press('Enter');
    await chat.app.untilAnswer(/I wrote 1 word/);
    await eventually(() => card(chat.app).count()).toBe(0);
    const { page } = chat.app;
    const models = async () => {
      const listed = await page.request.get(`/api/graph${new URL(page.url()).pathname}/runs`);
      return (await listed.json()).runs.map((run: RunUsage) => Object.keys(run.token_usage_by_model));
    };
    await eventually(models).toEqual([['second'], ['second']]);
  });
});

interface RunUsage {
  readonly token_usage_by_model: object;
}

function said({ page }: WebApp): Promise<readonly string[]> {
  return page.locator('[data-role="human"]').allTextContents();
}

// Going back in a chat: answers written anew, messages said in other words, and all versions of them.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { axeViolations, eventually, messageBox, PATIENCE, threadList } from '../support/web-app.ts';

/** A model that answers and one that nobody can reach. */
const CONFIG = `
models:
  - { name: demo, provider: demo, model: demo, display_name: Demo }
  - { name: broken, provider: openai-compatible, model: none, base_url: 'http://127.0.0.1:2', api_key: none }
`;

describe('a chat that is gone back in', PATIENCE, () => {
  const chat = chatForTests(CONFIG);

  const said = () => chat.app.page.locator('[data-role="human"]').allTextContents();
  const versions = (of: 'message' | 'answer') =>
    chat.app.page.getByRole('group', { name: `Versions of this ${of}` });

  async function say(text: string, answer: RegExp): Promise<void> {
    await chat.app.send(text);
    await chat.app.untilAnswer(answer);
    await chat.app.untilIdle();
  }

  async function sayInstead(message: string, text: string): Promise<void> {
    const turn = chat.app.page.getByRole('listitem').filter({ hasText: message });
    await turn.getByRole('button', { name: 'Edit message' }).press('Enter');
    await chat.app.page.getByRole('textbox', { name: 'r message' }).fill(text);
    await chat.app.page.keyboard.press('Enter');
  }

  async function chooseModel(name: string): Promise<void> {
    const { page } = chat.app;
    await page.getByRole('button', { name: /^Model:/ }).click();
    await page.getByRole('menuitemradio', { name }).click();
    await page.getByRole('button', { name: `Model: ${name}` }).waitFor();
  }

  /** By keyboard: what is known of an answer comes later than its versions, and moves them. */
  async function show(which: 'Previous' | 'Next', of: 'message' | 'answer'): Promise<void> {
    const button = versions(of).getByRole('button', { name: `${which} version` });
    await chat.app.openedAnew(() => button.press('Enter'));
    // The focus comes back there when the versions are known again, out of whatever was opened meanwhile.
    await eventually(() => versions(of).locator(':focus').count()).toBe(1);
  }

  it('[web.regenerate] generates the last reply again and keeps the earlier one', async () => {
    await say('count to 3', /1 2 3/);
    await say('count to 4', /1 2 3 4/);
    await chat.app.page.getByRole('button', { name: 'Regenerate' }).click();
    await versions('answer').getByText('2 / 2').waitFor();
    await chat.app.untilAnswer(/1 2 3 4/);
    expect(await said()).toEqual(['count to 3', 'count to 4']);
    expect(chat.app.complaints).toEqual([]);
  });

  it('[web.regenerate] keeps the existing reply when the new one fails, and retries', async () => {
    await say('count to 3', /1 2 3/);
    await chooseModel('broken');
    // A branch that failed has the thread read anew.
    await chat.app.openedAnew(() => chat.app.page.getByRole('button', { name: 'Regenerate' }).press('Enter'));
    const notice = chat.app.page.getByRole('alert');
    await notice.waitFor();
    await versions('answer').getByText('2 / 2').waitFor();
    await show('Previous', 'answer');
    await chat.app.untilAnswer(/1 2 3/);
    await eventually(() => notice.count()).toBe(0);
    await show('Next', 'answer');
    await notice.waitFor();
    await chooseModel('Demo');
    await notice.getByRole('button', { name: 'Try again' }).press('Enter');
    await chat.app.untilAnswer(/1 2 3/);
    await versions('answer').getByText('2 / 2').waitFor();
    await eventually(() => notice.count()).toBe(0);
  });

  it('[web.edit] returns to the original message when the reworded one fails', async () => {
    await say('count to 3', /1 2 3/);
    await chooseModel('broken');
    await chat.app.openedAnew(() => sayInstead('count to 3', 'count to 6'));
    const notice = chat.app.page.getByRole('alert');
    await notice.waitFor();
    await eventually(said).toEqual(['count to 6']);
    await show('Previous', 'message');
    await chat.app.untilAnswer(/1 2 3/);
    await eventually(() => notice.count()).toBe(0);
    await show('Next', 'message');
    await eventually(said).toEqual(['count to 6']);
    await notice.waitFor();
    await chooseModel('Demo');
    await notice.getByRole('button', { name: 'Try again' }).press('Enter');
    await chat.app.untilAnswer(/1 2 3 4 5 6/);
    expect(await said()).toEqual(['count to 6']);
  });

  it('[web.edit] rewords an earlier message, including the first one', async () => {
    await say('count to 3', /1 2 3/);
    await say('count to 4', /1 2 3 4/);
    await say('count to 5', /1 2 3 4 5/);
    await sayInstead('count to 4', 'count to 7');
    await chat.app.untilAnswer(/1 2 3 4 5 6 7/);
    await chat.app.untilIdle();
    expect(await said()).toEqual(['count to 3', 'count to 7']);
    await sayInstead('count to 3', 'count to 8');
    await chat.app.untilAnswer(/1 2 3 4 5 6 7 8/);
    await chat.app.untilIdle();
    expect(await said()).toEqual(['count to 8']);
    await say('count to 2', /^Agent1 2$/);
    expect(await said()).toEqual(['count to 8', 'count to 2']);
  });

  it('[web.versions] switches to another version permanently, and continues from it', async () => {
    await say('count to 3', /1 2 3/);
    await say('count to 4', /1 2 3 4/);
    await sayInstead('count to 3', 'count to 6');
    await versions('message').getByText('2 / 2').waitFor();
    await show('Previous', 'message');
    await eventually(said).toEqual(['count to 3', 'count to 4']);
    await versions('message').getByText('1 / 2').waitFor();
    await eventually(() => chat.app.page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe(
      'Next version',
    );
    await chat.app.page.getByRole('heading', { name: 'count to 3' }).first().waitFor();
    await chat.app.page.reload();
    await versions('message').getByText('1 / 2').waitFor();
    expect(await said()).toEqual(['count to 3', 'count to 4']);
    await say('count to 2', /^Agent1 2$/);
    expect(await said()).toEqual(['count to 3', 'count to 4', 'count to 2']);
    await show('Next', 'message');
    await eventually(said).toEqual(['count to 6']);
    await versions('message').getByText('2 / 2').waitFor();
    expect(await axeViolations(chat.app.page)).toEqual([]);
  });

  it('[web.versions.focus] does not take the focus if the person has moved it meanwhile', async () => {
    const { page } = chat.app;
    await say('count to 3', /1 2 3/);
    await page.getByRole('button', { name: 'Regenerate' }).press('Enter');
    await versions('answer').getByText('2 / 2').waitFor();
    const typed = Promise.withResolvers<void>();
    await page.route(/\/api\/threads\/[^/]+\/history$/, async (route) => {
      await typed.promise;
      await route.continue();
    });
    await chat.app.openedAnew(() =>
      versions('answer').getByRole('button', { name: 'Previous version' }).press('Enter'),
    );
    await messageBox(page).pressSequentially('and');
    typed.resolve();
    await versions('answer').getByText('1 / 2').waitFor();
    await page.keyboard.type(' then');
    expect(await messageBox(page).inputValue()).toBe('and then');
  });

  it('[web.copy] opens a copy that is an independent chat', async () => {
    await say('count to 9', /8 9/);
    const original = chat.app.page.url();
    await chat.app.page.getByRole('button', { name: 'More for count to 9' }).click();
    // The address is that of the copy before the copy is shown.
    await chat.app.openedAnew(() => chat.app.page.getByRole('menuitem', { name: 'Copy chat' }).click());
    await eventually(() => chat.app.page.url()).not.toBe(original);
    await chat.app.untilAnswer(/8 9/);
    await eventually(() =>
      threadList(chat.app.page)
        .getByRole('link', { name: /^count to 9/ })
        .count(),
    ).toBe(2);
    await sayInstead('count to 9', 'count to 2');
    await chat.app.untilAnswer(/^Agent1 2$/);
    await chat.app.page.goto(original);
    await chat.app.untilAnswer(/8 9/);
    expect(await said()).toEqual(['count to 9']);
  });
});

// How an answer ends, what it took, and why it is late, as people see and hear it.
import { describe, expect, it } from 'vitest';
import { browserTests, scriptedModel } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { axeViolations, eventually, messageBox, PATIENCE, type WebApp } from '../support/web-app.ts';

const { SCREENSHOTS } = process.env;

describe('the end of a reply', PATIENCE, () => {
  const chat = browserTests((model) =>
    [
      'agent: {approvals: {write_file: always}, suggestions: {enabled: false}}',
      `models: [${scriptedModel(model)}]`,
    ].join('\n'),
  );
  const { open } = chat;
  /** In both themes and at both sizes; the last one is the first again. */
  const shoot = async ({ page }: WebApp, name: string) => {
    expect(await axeViolations(page)).toEqual([]);
    if (SCREENSHOTS === undefined) return;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const size of [
        { width: 390, height: 844 },
        { width: 1440, height: 900 },
      ]) {
        await page.setViewportSize(size);
        await page.screenshot({ path: `${SCREENSHOTS}/end-${name}-${colorScheme}-${size.width}.png` });
      }
    }
  };
  const announced = ({ page }: WebApp) =>
    eventually(async () => (await page.getByRole('status').allTextContents()).join(' '));
  const marks = ({ page }: WebApp) => eventually(() => page.locator('[data-answer-end]').allTextContents());
  const stop = ({ page }: WebApp) => page.getByRole('button', { name: 'Stop' }).click();

  it('[web.end.stopped] a stopped reply says so, even before its first word, and later in the chat', async () => {
    const app = await open();
    const never = Promise.withResolvers<void>();
    chat.model.enqueue(answer.script(step.until(never.promise)));
    await app.send('say nothing');
    await chat.model.requested(1);
    await stop(app);
    await marks(app).toEqual(['Stopped.']);
    await announced(app).toBe('Stopped.');
    chat.model.enqueue(answer.script(step.text('Half of'), step.until(never.promise)));
    await app.send('say something');
    await app.untilAnswer(/Half of/);
    await stop(app);
    await marks(app).toEqual(['Stopped.', 'Stopped.']);
    await shoot(app, 'stopped');
    await app.page.reload();
    await marks(app).toEqual(['Stopped.', 'Stopped.']);
    chat.model.enqueue(answer.text('All of it.'));
    await app.send('go on');
    await announced(app).toBe('The answer is complete.');
    expect(await app.page.locator('[data-answer-end]').count()).toBe(2);
    never.resolve();
  });

  it('[web.stop] works while the message is being sent', async () => {
    const app = await open();
    const never = Promise.withResolvers<void>();
    const pressed = Promise.withResolvers<void>();
    chat.model.enqueue(answer.script(step.until(never.promise)));
    await app.page.route(/\/runs$/, async (route) => {
      const response = await route.fetch();
      await pressed.promise;
      await route.fulfill({ response });
    });
    await app.send('say nothing');
    await chat.model.requested(1);
    await stop(app);
    pressed.resolve();
    await marks(app).toEqual(['Stopped.']);
    await app.untilIdle();
    never.resolve();
  });

  it('[web.end.empty] an empty reply says so and can be requested again', async () => {
    const app = await open();
    chat.model.enqueue(answer.text(''), answer.text(''));
    await app.send('say nothing');
    await marks(app).toEqual(['The model gave no answer.']);
    await announced(app).toBe('The model gave no answer.');
    await shoot(app, 'empty');
    chat.model.enqueue(answer.text('Here it is.'));
    await app.page.getByRole('button', { name: 'Regenerate' }).click();
    await app.untilAnswer(/Here it is/);
    await marks(app).toEqual([]);
  });

  it('[web.end.failed] [web.end.cut] a failed reply gives the reason, and a cut one says that it is incomplete', async () => {
    const app = await open();
    chat.model.enqueue(answer.status(401, 'no'));
    await app.send('fail');
    await app.page
      .getByRole('alert')
      .getByText(/refused the API key/)
      .waitFor();
    await announced(app).toBe('The answer failed.');
    chat.model.enqueue(answer.text('As long as', { finishReason: 'length' }));
    await app.send('be long');
    await announced(app).toBe('The answer was cut off at its maximum length.');
    await marks(app).toEqual([
      expect.stringMatching(/^The answer failed: .*refused the API key/),
      'The answer was cut off at its maximum length.',
    ]);
    await shoot(app, 'failed');
  });

  it('[web.pause.provider] says why the model is delayed, and counts down to the next attempt', async () => {
    const app = await open();
    chat.model.enqueue(answer.text('Good day.'), answer.rateLimited('8'), answer.text('Here I am.'));
    await app.send('good day');
    await app.untilAnswer(/Good day\./);
    const other = await open(new URL(app.page.url()).pathname);
    await other.untilAnswer(/Good day\./);
    await other.untilIdle();
    await app.send('hello');
    const progressIn = ({ page }: WebApp) =>
      page.locator('[data-role="assistant"]').getByText(/Trying again in \d+ s \(attempt 2 of 3\)/);
    const progress = progressIn(app);
    await progress.waitFor();
    await progressIn(other).waitFor();
    await other.close();
    const words = async () => (await progress.textContent()) ?? '';
    const secondsLeft = async () => Number(/in (\d+) s/.exec(await words())?.[1]);
    expect(await words()).not.toContain('Try again');
    await announced(app).toContain("The provider of model 'scripted' is receiving too many requests.");
    const first = await secondsLeft();
    await eventually(secondsLeft).toBeLessThan(first);
    await shoot(app, 'late');
    await app.untilAnswer(/Here I am\./);
    await eventually(() => progress.count()).toBe(0);
  });

  it('[web.restart.seen] visible text stays in a window that loses its connection for long', async () => {
    const app = await open();
    const never = Promise.withResolvers<void>();
    chat.model.enqueue(answer.script(step.text('One two three four.'), step.until(never.promise)));
    await app.send('say four words');
    await app.untilAnswer(/four\./);
    const other = await open(new URL(app.page.url()).pathname);
    await other.untilAnswer(/four\./);
    await chat.service.kill();
    // It has given up reading.
    await other.untilIdle();
    const gate = Promise.withResolvers<void>();
    chat.model.enqueue(
      answer.script(
        step.text('One two '),
        step.until(gate.promise),
        step.text('three four five.'),
        step.finish(),
        step.done(),
      ),
    );
    await chat.service.restart();
    await other.page.getByText('The answer was interrupted and is being written again.').waitFor();
    expect(await other.answer()).toMatch(/^AgentOne two three four\./);
    gate.resolve();
    await other.untilAnswer(/One two three four five\.$/);
    never.resolve();
  });

  it('[web.queue.decision] says that a queued message was accepted before the person answered', async () => {
    const app = await open();
    const queued = Promise.withResolvers<void>();
    const write = { path: '/mnt/user-data/workspace/A.md', content: 'a', description: 'write' };
    chat.model.onRequest(async ({ lastUserText }) => {
      if (lastUserText !== 'write it') return answer.text('Here I am.');
      await queued.promise;
      return answer.toolCalls([{ name: 'write_file', args: write }]);
    });
    await app.send('write it');
    await chat.model.requested(1);
    await messageBox(app.page).fill('never mind');
    await messageBox(app.page).press('Enter');
    await app.page.getByText('Queued').waitFor();
    queued.resolve();
    await app.untilAnswer(/Here I am\./);
    await marks(app).toEqual(['Not done: your next message came before you decided.']);
  });

  it('[web.usage.turn] adds up the usage of all runs of a turn: after an approval, and after a question', async () => {
    const app = await open();
    const lines = () =>
      eventually(async () =>
        (await app.page.getByText(/ tokens/).allTextContents()).map(
          (text) => /[\d,]+ tokens/.exec(text)?.[0],
        ),
      );
    const write = { path: '/mnt/user-data/workspace/A.md', content: 'a', description: 'write' };
    chat.model.enqueue(
      answer.toolCalls([{ name: 'write_file', args: write }], { usage: { prompt: 900, completion: 64 } }),
      answer.text('Written.', { usage: { prompt: 900, completion: 46 } }),
    );
    await app.send('write it');
    await app.page.getByRole('button', { name: 'Allow once: Write file', exact: true }).press('Enter');
    await app.untilAnswer(/Written\./);
    await lines().toEqual(['1,910 tokens']);
    const ask = { question: 'Which one?', clarification_type: 'approach_choice', options: ['red', 'blue'] };
    chat.model.enqueue(
      answer.toolCalls([{ name: 'ask_clarification', args: ask }], {
        usage: { prompt: 500, completion: 20 },
      }),
      answer.text('Blue it is.', { usage: { prompt: 600, completion: 10 } }),
    );
    await app.send('ask me');
    await lines().toEqual(['1,910 tokens', '520 tokens']);
    const blue = app.page.getByRole('button', { name: 'blue', exact: true });
    // Nothing can be chosen while the run that asks has not ended.
    await eventually(() => blue.isEnabled()).toBe(true);
    await blue.press('Enter');
    await app.untilAnswer(/Blue it is\./);
    await lines().toEqual(['1,910 tokens', '520 tokens', '610 tokens']);
    await app.page.reload();
    await lines().toEqual(['1,910 tokens', '520 tokens', '610 tokens']);
    await shoot(app, 'added-up');
  });
});

// What an answer looks like, and what is round it: where editing begins, where Enter ends a line, unknown addresses.
import { afterAll, describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { startModelServer } from '../support/model-server.ts';
import { axeViolations, eventually, messageBox, PATIENCE, threadList } from '../support/web-app.ts';

const { SCREENSHOTS } = process.env;
/** What A4 has between its margins, in CSS pixels. */
const PAPER = { width: 688, height: 1000 };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const server = await startModelServer();
afterAll(() => server.close());

const MATHS = String.raw`The roots of $ax^2 + bx + c = 0$ are \(x_1\) and **$x_2$**:

$$
x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

\[
\begin{aligned}
a &= b \\
- c &= d
\end{aligned}
\]

$$\int_0^1 x\,dx = \tfrac12$$

among words \[ e^{i\pi} = -1 \] and on. $\undefined$ $\href{javascript:alert(1)}{x}$ \(\def\a{\a\a}\a\)`;

const DIAGRAM = `\`\`\`mermaid
%%{init: {"securityLevel": "loose", "themeCSS": "* { fill: url(https://evil.example/css) }", "htmlLabels": true}}%%
flowchart TD
  A["Start <img src=https://evil.example/label onerror=globalThis.owned=1>"] --> B{"Enough #quot;tea#quot;?"}
  B -- yes --> C((End))
  B -- no --> A
  C --> D["#60;img src=x onerror=globalThis.owned=1#62; &lt;img src=x onerror=globalThis.owned=1&gt;"]
  click A "javascript:globalThis.owned=1"
  click B "https://evil.example/click"
\`\`\``;

const CONFIG = `
models:
  - { name: scripted, provider: openai-compatible, model: scripted, base_url: '${server.url}', api_key: none }
`;

describe('a reply', PATIENCE, () => {
  const chat = chatForTests(CONFIG);
  async function asked(text: string): Promise<void> {
    server.onRequest(() => answer.text([text]));
    const { page } = chat.app;
    const answered = page.locator('[data-role="assistant"]').filter({ has: page.locator('.markdown') });
    const before = await answered.count();
    await chat.app.send('go on');
    await eventually(() => answered.count()).toBe(before + 1);
    await chat.app.untilIdle();
  }

  const last = () => chat.app.page.locator('[data-role="assistant"] .markdown').last();
  const said = () => last().locator('p').allTextContents();

  it('[web.markdown.exact] shows unclosed marks as they were written', async () => {
    await asked(
      'Pass **kwargs, list *.md, a ` tick, [note, ~~old and __init.\n\nSee [it][a].\n\n[a]: https://a.example',
    );
    await eventually(() => said()).toEqual([
      'Pass **kwargs, list *.md, a ` tick, [note, ~~old and __init.',
      'See it.',
    ]);
    expect(await last().locator('strong, em, del, code').count()).toBe(0);
    await last().getByRole('link', { name: 'it' }).waitFor();
    await asked('A second answer is shown, too.');
    await eventually(() => said()).toEqual(['A second answer is shown, too.']);
  });

  it('[web.markdown.direction] runs from right to left if its script does', async () => {
    await asked('مرحبا بالعالم.\n\nHello.\n\n- שלום עולם.\n- עוד שורה.\n\n```js\nlet a;\n```');
    const directions = () =>
      chat.app.page.evaluate(`[...[...document.querySelectorAll('[data-role="assistant"]')].at(-1).querySelectorAll('p, ul, figure')]
        .map((block) => getComputedStyle(block).direction)`);
    await eventually(directions).toEqual(['rtl', 'ltr', 'rtl', 'ltr']);
    await shot('direction');
  });

  it('[web.markdown.notes] footnote marks lead to the note and back, and its heading is for screen readers', async () => {
    await asked('One.[^1]\n\n[^1]: The first note.');
    await asked('Two.[^1]\n\n[^1]: The second note.');
    const mark = last().locator('sup a');
    await mark.press('Enter');
    const focused = () => chat.app.page.locator(':focus').textContent();
    await eventually(focused).toMatch(/^The second note/);
    await last().locator('.footnotes a').press('Enter');
    await eventually(focused).toBe('1');
    expect((await last().locator('.footnotes > :first-child').boundingBox())?.width).toBeLessThan(2);
    expect(chat.app.page.context().pages()).toHaveLength(1);
  });

  it('[web.markdown.tables] a wide table does not break words, scrolls, and shows that there is more', async () => {
    const row = (cell: string) => `|${` ${cell} |`.repeat(14)}`;
    await asked([row('head'), row('---'), row('some words')].join('\n'));
    const table = last().getByRole('figure', { name: 'Table' });
    await chat.app.page.setViewportSize(PHONE.viewport);
    const [seen, whole] = await table.evaluate((it) => [it.clientWidth, it.scrollWidth]);
    expect(whole).toBeGreaterThan((seen ?? 0) * 1.5);
    // Above the words of the head there is nothing but the ground and the cue.
    const edge = async () => {
      const { x = 0, y = 0, width = 0 } = (await table.boundingBox()) ?? {};
      return chat.app.page.screenshot({ clip: { x: x + width - 6, y: y + 1, width: 6, height: 4 } });
    };
    const more = await edge();
    await table.evaluate((it) => it.scrollBy({ left: it.scrollWidth, behavior: 'instant' }));
    await eventually(async () => (await edge()).equals(more)).toBe(false);
    const cell = table.getByRole('cell').first();
    expect((await cell.boundingBox())?.height).toBeLessThan(70);
    await chat.app.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('[web.markdown] the copy button of long code stays visible', async () => {
    await asked(`\`\`\`js\n${Array.from({ length: 200 }, (_, line) => `line(${line})`).join('\n')}\n\`\`\``);
    const button = last().getByRole('button', { name: 'Copy code' });
    // The lines are replaced once they have their colours, even while the page scrolls to one.
    await eventually(async () => {
      await last().getByText('line(199)').scrollIntoViewIfNeeded();
      return (await button.boundingBox())?.y;
    }).toBeGreaterThan(0);
  });

  it('[web.markdown.math] [web.csp] renders formulas, but not amounts of money', async () => {
    const { page, complaints } = chat.app;
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(request.url()));
    await asked('It costs $5 and not $10, or $HOME/$PATH.');
    await eventually(() => said()).toEqual(['It costs $5 and not $10, or $HOME/$PATH.']);
    await asked(String.raw`See \[note\], \[1\], \[2, 3\] and \[my_file\] \(as it was\).

\[x\] done`);
    await eventually(() => said()).toEqual([
      'See [note], [1], [2, 3] and [my_file] (as it was).',
      '[x] done',
    ]);
    expect(fetched.filter((url) => /formula|KaTeX/.test(url))).toEqual([]);
    await asked(String.raw`So \[x = 1\], \[x_1\], \[ y \] and \[\alpha\].`);
    await eventually(() => last().locator('.katex-display').count()).toBe(4);
    await asked(MATHS);
    await eventually(() => last().locator('.katex').count()).toBe(9);
    expect(await last().locator('.katex-display').count()).toBe(4);
    expect(await last().locator('a').count()).toBe(0);
    expect(await last().textContent()).toContain('\\undefined');
    await eventually(() => fetched.filter((url) => /KaTeX.*woff2$/.test(url))).not.toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    await shot('math');
    expect(complaints).toEqual([]);
  });

  it('[web.print.wide] a formula wider than the paper is printed whole', async () => {
    const { page } = chat.app;
    const sum = Array.from({ length: 40 }, (_, index) => `x_{${index}}`).join(' + ');
    await asked(`$$\n${sum} = 0\n$$\n\n$$\n\\frac{${sum}}{2}\n$$`);
    await eventually(() => last().locator('.katex-display').count()).toBe(2);
    await page.setViewportSize(PAPER);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const parts = last().locator('.katex-base');
    expect(await parts.count()).toBeGreaterThan(40);
    const widest = () =>
      parts.evaluateAll((all) => Math.max(...all.map((it) => it.getBoundingClientRect().right)));
    await eventually(widest).toBeLessThan(PAPER.width);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('[web.markdown.diagram] [web.csp] draws an inert diagram, and keeps the source of an invalid one', async () => {
    const { page, complaints } = chat.app;
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(request.url()));
    await asked('```mermaid\nflowchart TD\n  A --> \n```');
    await eventually(() => last().textContent()).toContain('This diagram could not be drawn.');
    await last().getByText('A -->').waitFor();
    await asked(
      `${DIAGRAM}\n\n\`\`\`mermaid\nsequenceDiagram\n  Ann->>Bob: Good day\n  Bob-->>Ann: Good day\n\`\`\``,
    );
    const figures = last().getByRole('figure', { name: 'Diagram' });
    await eventually(() => figures.count()).toBe(2);
    const image = figures.first().getByRole('img');
    await eventually(() => image.evaluate((it) => 'naturalWidth' in it && Number(it.naturalWidth) > 50)).toBe(
      true,
    );
    const picture = decodeURIComponent((await image.getAttribute('src')) ?? '');
    expect(picture).toContain('”tea”?');
    expect(picture).not.toMatch(/<a[ >]|<image|foreignObject|evil\.example\/css|<script| on[a-z]+=/);
    expect(await axeViolations(page)).toEqual([]);
    await shot('diagram');
    await last().getByRole('button', { name: 'Show source' }).first().press('Enter');
    await last().getByText('click B').waitFor();
    await last().getByRole('button', { name: 'Show diagram' }).press('Enter');
    await eventually(() => figures.count()).toBe(2);
    expect(await page.evaluate('globalThis.owned')).toBe(undefined);
    expect(fetched.filter((url) => url.includes('evil.example'))).toEqual([]);
    // Nothing of it is left in the page itself.
    expect(await page.locator('body > div[id^="ddiagram"], body > svg').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('[suggestions.web] suggestions are below a reply, and one click puts one into the message', async () => {
    const { page } = chat.app;
    server.onRequest(({ body }) =>
      JSON.stringify(body.messages).includes('JSON array')
        ? answer.text(['["Which of them keep longest?", "Write a recipe with olives and lemon", "Thanks"]'])
        : answer.text(['Olives grow here.']),
    );
    await chat.app.send('What grows here?');
    const list = page.getByRole('list', { name: 'Suggested messages' });
    await eventually(() => list.getByRole('button').allTextContents()).toEqual([
      'Which of them keep longest?',
      'Write a recipe with olives and lemon',
      'Thanks',
    ]);
    expect(await axeViolations(page)).toEqual([]);
    await shot('suggestions');
    await list.getByRole('button', { name: 'Thanks' }).click();
    expect(await messageBox(page).inputValue()).toBe('Thanks');
    await eventually(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    // An old chat asks no model for them.
    const before = server.requests.length;
    await page.reload();
    await chat.app.untilIdle();
    expect(await list.count()).toBe(0);
    expect(server.requests).toHaveLength(before);
  });

  it('[web.caret] editing starts at the end of the text, renaming with the whole title selected', async () => {
    await asked('yes');
    const { page } = chat.app;
    await page.locator('[data-role="human"]').hover();
    await page.getByRole('button', { name: 'Edit message' }).click();
    await page.keyboard.type(' then');
    expect(await page.getByRole('form', { name: 'Edit message' }).getByRole('textbox').inputValue()).toBe(
      'go on then',
    );
    await page.keyboard.press('Escape');
    await threadList(page)
      .getByRole('button', { name: /^More for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
    await page.keyboard.type('Another');
    expect(await page.getByRole('textbox', { name: 'Title', exact: true }).inputValue()).toBe('Another');
  });

  it('[web.composer.phone] on a phone Enter starts a new line and the button sends', async () => {
    const { page } = await chat.open('/', PHONE);
    server.onRequest(() => answer.text('received'));
    const box = messageBox(page);
    await box.fill('one');
    await box.press('Enter');
    await box.pressSequentially('two');
    expect(await box.inputValue()).toBe('one\ntwo');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await eventually(() => page.locator('[data-role="human"]').last().textContent()).toBe('one\ntwo');
  });

  it('[web.unknown-page] an unknown address shows a page that says so', async () => {
    const { page } = chat.app;
    const came = await page.goto('/no/such/page');
    expect(came?.status()).toBe(404);
    await eventually(() => page.getByRole('heading', { name: 'Page not found' }).count()).toBe(1);
    await shot('unknown');
    await page.getByRole('link', { name: 'Go to your chats' }).click();
    await messageBox(page).waitFor();
    expect(chat.app.complaints).toEqual([]);
  });

  async function shot(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    const { page } = chat.app;
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [width, height] of [
        [1440, 900],
        [390, 844],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        await page.screenshot({ path: `${SCREENSHOTS}/answer-${name}-${colorScheme}-${width}.png` });
      }
  }
});

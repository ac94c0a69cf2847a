// Texts that are made to be matched slowly, where the service looks for patterns in what somebody else wrote.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { answerTo, said } from '../models/demo-answers.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { openToolRuns } from '../support/tool-run.ts';
import { sendFiles } from '../support/upload.ts';

/** Milliseconds. Each of these texts took several seconds where an expression was not linear. */
const LITTLE = 1_500;
const MANY = 60_000;

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

it('[hostile.S63] the name of an upload is measured before it is looked at', async () => {
  const ann = await service.user('ann');
  const threadId = await newThread(ann);
  for (const name of [`${' '.repeat(MANY)}x`, `x${' '.repeat(MANY)}x`, `x${'. '.repeat(MANY / 2)}x`]) {
    const cost = await cpuTimeOf(async () => {
      const answer = await sendFiles(ann, threadId, [{ name, content: 'x' }]);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('255 bytes');
    });
    expect(cost).toBeLessThan(LITTLE);
  }
});

it('[hostile.S63] a page of open brackets and spaces is read as fast as any other', async () => {
  const gaps = ' '.repeat(5_000);
  const page = [
    '<system>',
    `<${gaps}`,
    `[${gaps}`,
    `<${gaps}/${gaps}|${gaps}system>`,
    '< '.repeat(1_000),
  ].join('\n');
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(page);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const runs = await openToolRuns({ config: { tools: { web_fetch: { allow_hosts: [host] } } } });
  onTestFinished(() => runs.close());
  let shown = '';
  const cost = await cpuTimeOf(async () => {
    const [outcome] = await runs.call({ name: 'web_fetch', args: { url: `http://${host}/` } });
    shown = outcome?.text ?? '';
  });
  expect(shown).toContain('&lt;');
  expect(cost).toBeLessThan(LITTLE);
});

it.each([
  ['a word and spaces', `replace${' '.repeat(MANY)}x`],
  ['words that may be the last ones', `replace ${'a to b in '.repeat(MANY / 10)}`],
  ['words that may be a name', `write ${'a to the file '.repeat(MANY / 10)} `],
  ['commas and politeness', `read ${', and '.repeat(MANY / 10)}${' ,'.repeat(MANY / 10)} please please`],
  ['dots and no end', `plan ${'. '.repeat(MANY)}x`],
  ['please, again and again', 'please '.repeat(MANY)],
  ['fences that do not close', `write a.md: ${'``` \n'.repeat(MANY / 10)}x`],
  ['what did I, and never said', 'what did i '.repeat(MANY / 10)],
])('[hostile.S63] the demo model reads %s at once', async (_, text) => {
  expect(await cpuTimeOf(() => answerTo(said(text)))).toBeLessThan(LITTLE);
});

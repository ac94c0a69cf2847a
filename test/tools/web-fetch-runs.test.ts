// web_fetch in whole runs, against real servers on this machine: what the configuration allows, and what
// stays refused.
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { SELF_SIGNED } from '../support/certificate.ts';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';

const servers: Server[] = [];
let runs: ToolRuns | undefined;
afterEach(async () => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  await runs?.close();
  runs = undefined;
});

interface Site {
  readonly port: number;
  readonly asked: string[];
}

/** Serves a site that records its requests, and their credentials. */
async function serve(listener: RequestListener, secure = false): Promise<Site> {
  const asked: string[] = [];
  const answering: RequestListener = (request, response) => {
    const { authorization = '', cookie = '' } = request.headers;
    asked.push(`${request.url}${authorization}${cookie}`);
    listener(request, response);
  };
  const server = secure ? createHttps(SELF_SIGNED, answering) : createHttp(answering);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, asked };
}

const page: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<title>Tea</title><article><h2>Leaves</h2><p>${'Two leaves and a bud. '.repeat(30)}</p></article>`,
  );
};

async function fetched(hosts: readonly string[], url: string) {
  runs = await openToolRuns({ config: { tools: { web_fetch: { allow_hosts: hosts } } } });
  const [outcome] = await runs.call({ name: 'web_fetch', args: { url } });
  return outcome ?? { status: 'none', text: '' };
}

it('[tools.web_fetch] a run reads a page of a server that the configuration allows', async () => {
  const { port, asked } = await serve(page);
  const { status, text } = await fetched([`127.0.0.1:${port}`], `http://127.0.0.1:${port}/tea`);
  expect(status).toBe('success');
  expect(text).toMatch(/^# Tea\n\nAddress: http:\/\/127\.0\.0\.1:\d+\/tea\n\n/);
  expect(text).toContain('## Leaves\n\nTwo leaves and a bud.');
  expect(asked).toEqual(['/tea']);
  // The model then gets the page as the result of its call.
  expect(runs?.prompt().at(-1)).toMatchObject({ role: 'tool', content: text });
});

it('[hostile.S40] [tools.web_fetch.guard] a run reaches no server of this machine that is not allowed', async () => {
  const open = await serve(page);
  const closed = await serve(page);
  const redirecting = await serve((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${closed.port}/` }).end();
  });
  const hosts = [`127.0.0.1:${open.port}`, `127.0.0.1:${redirecting.port}`];
  const { text } = await fetched(hosts, `http://127.0.0.1:${redirecting.port}/`);
  expect(text).toMatch(/^Error: Only the ports 80 and 443/);
  const others = [`http://127.0.0.1:${closed.port}/`, `http://localhost:${open.port}/`, 'http://127.0.0.1/'];
  for (const url of others) {
    const [outcome] = (await runs?.call({ name: 'web_fetch', args: { url } })) ?? [];
    expect(outcome).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/^Error: (Only|.* is not a public)/),
    });
  }
  expect([redirecting.asked, open.asked, closed.asked]).toEqual([['/'], [], []]);
});

it('[tools.web_fetch.guard] an untrusted certificate is refused with a sentence, and no request is sent', async () => {
  const { port, asked } = await serve(page, true);
  for (const host of ['127.0.0.1', 'localhost']) {
    const { status, text } = await fetched([`${host}:${port}`], `https://${host}:${port}/`);
    expect([status, text]).toEqual([
      'error',
      "Error: The page could not be fetched: the server's certificate is not trusted.",
    ]);
    await runs?.close();
  }
  runs = undefined;
  expect(asked).toEqual([]);
});

it('[tools.web_fetch.guard] a server without TLS under https, and with TLS under http, is reported in words', async () => {
  const plain = await serve(page);
  const secure = await serve(page, true);
  const { text } = await fetched([`127.0.0.1:${plain.port}`], `https://127.0.0.1:${plain.port}/`);
  expect(text).toBe('Error: The page could not be fetched: the server does not support https.');
  await runs?.close();
  const other = await fetched([`127.0.0.1:${secure.port}`], `http://127.0.0.1:${secure.port}/`);
  expect(other.text).toBe('Error: The page could not be fetched: the server closed the connection.');
});

// A server that webhooks call, and that misbehaves on demand.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';

interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** A status, a redirect, or no answer at all. */
type ScriptedAnswer = number | { readonly location: string } | 'hang';

export interface Receiver {
  readonly url: string;
  /** As `webhooks.allow_hosts` names it. */
  readonly host: string;
  readonly calls: readonly ReceivedCall[];
  callsTo(path: string): readonly ReceivedCall[];
  /** What the calls to a path get, in turns; the last one for all further ones. Default 200. */
  script(path: string, ...answers: readonly ScriptedAnswer[]): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const scripts = new Map<string, ScriptedAnswer[]>();
  const callsTo = (path: string) => calls.filter((call) => call.path === path);
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    calls.push({ path, headers, body: await text(request), at: Date.now() });
    const answers = scripts.get(path) ?? [200];
    const respond = answers[Math.min(callsTo(path).length, answers.length) - 1] ?? 200;
    if (respond === 'hang') return;
    if (typeof respond === 'number') response.writeHead(respond).end('thanks');
    else response.writeHead(302, { location: respond.location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    calls,
    callsTo,
    script: (path, ...answers) => void scripts.set(path, [...answers]),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As the documentation tells a receiver to verify a call. */
export function expectSigned({ headers, body }: ReceivedCall, secret: string, now = Date.now()): void {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest('base64');
  expect(String(headers['webhook-signature']).split(' ')).toContain(`v1,${expected}`);
  expect(Math.abs(now / 1_000 - Number(headers['webhook-timestamp']))).toBeLessThan(60);
}

// The conformance suite of the protocol, with the service as client: an administrator configures the server
// of each scenario, a person signs in to it where required, and a run calls its tools.
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { signInAdministrator } from '../support/administrator.ts';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

const require = createRequire(import.meta.url);
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = fileURLToPath(new URL('conformance-client.ts', import.meta.url));
const WAIT = { timeout: 60_000, interval: 50 };
/** A person stops after this many sign-ins. */
const MOST_SIGN_INS = 3;

/** Scenarios that do not apply to the service, with the counts of the suite. */
const EXCEPTIONS = {
  // A question interrupts the run: the call is cancelled, and repeated with the person's answer, which has
  // the defaults.
  'elicitation-sep1034-client-defaults': '1 failed',
  // The client should be identified by a document at a public address; the service registers itself instead.
  'auth/basic-cimd': '0 failed, 1 warnings',
  // The metadata of its authorization server name another issuer than their address, which RFC 8414 (3.3)
  // forbids.
  'auth/2025-03-26-oauth-metadata-backcompat': '3 failed',
  // Service accounts have a secret. They sign no assertions, and have no identity provider.
  'auth/client-credentials-jwt': '2 failed',
  'auth/cross-app-access-complete-flow': '2 failed',
};

const caseSchema = z.object({
  scenario: z.string(),
  url: z.string(),
  context: z.object({ client_id: z.string().optional(), client_secret: z.string().optional() }),
});
type Case = z.output<typeof caseSchema>;

let service: TestService;
let admin: HttpClient;
let door: Server;
/** Sequential, because each person would be offered the servers of all scenarios. */
let played: Promise<void> = Promise.resolve();

beforeAll(async () => {
  service = await openTestService({ config: { mcp: { allow_hosts: ['localhost'] } } });
  service.model.onRequest(({ body }) => answerTo(body));
  admin = await signInAdministrator(service);
  door = createServer(async (request, response) => {
    try {
      const given = caseSchema.parse(JSON.parse(await text(request)));
      const through = played.then(() => play(given));
      played = through.catch(() => {});
      await through;
      response.end('done');
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => void door.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  door.closeAllConnections();
  door.close();
  await service.close();
});

/** Calls each tool of a server once, and then replies with a word. */
function answerTo({ tools, messages }: Readonly<Record<string, unknown>>) {
  const offered = z.array(z.object({ function: z.object({ name: z.string() }) })).safeParse(tools);
  const said = z.array(z.object({ role: z.string() })).parse(messages);
  const names = (offered.data ?? []).map((it) => it.function.name).filter((it) => it.startsWith('suite-'));
  if (said.at(-1)?.role === 'tool' || names.length === 0) return answer.text('done');
  return answer.toolCalls(names.map((name, index) => ({ name, args: { a: 5, b: 3 }, id: `call_${index}` })));
}

it('[mcp-server.conformance.client] [mcp.oauth.scope] the service passes all applicable scenarios as a client, and the list of exceptions is accurate', {
  timeout: 300_000,
}, async () => {
  const { port } = door.address() as AddressInfo;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      SUITE,
      'client',
      '--command',
      `${process.execPath} ${CLIENT}`,
      '--suite',
      'all',
      '--timeout',
      '120000',
      '--verbose',
    ],
    { env: { ...process.env, CONFORMANCE_PERSON: `http://127.0.0.1:${port}` } },
    // The suite exits with an error code if any check failed.
  ).catch((error: { stdout: string }) => error);
  const results = [...stdout.matchAll(/^[✓✗] (\S+): (\d+) passed, (.*)$/gm)];
  const failed = results.filter(([, , passed, rest]) => rest !== '0 failed' || passed === '0');
  const summary = stdout.slice(stdout.indexOf('SUITE SUMMARY'));
  expect(Object.fromEntries(failed.map(([, name, , rest]) => [name, rest])), summary).toEqual(EXCEPTIONS);
  expect(results).toHaveLength(26);
});

/** The person signs in if required and asks again, and then calls the tools of the server. */
async function play(given: Case): Promise<void> {
  const name = `suite-${given.scenario.replace('auth/', '')}`;
  const mcpServers = { [name]: await entryOf(given) };
  expect((await admin.put('/api/mcp/config', { mcpServers })).status).toBe(200);
  const person = await service.user(name);
  const thread = await newThread(person);
  for (let signIns = 0; signIns <= MOST_SIGN_INS; signIns += 1) {
    if ((await needsSignIn(person, name)) && !(await signIn(person, name))) break;
    await callTools(person, thread);
    if (!(await needsSignIn(person, name))) break;
  }
  // The suite waits until its servers have no more connections.
  expect((await person.delete(`/api/mcp/servers/${name}/sign-in`)).status).toBe(204);
}

/** Returns the entry that an administrator writes, with the token address from the server's documentation. */
async function entryOf({ url, context, scenario }: Case): Promise<object> {
  const { client_id, client_secret } = context;
  if (!scenario.startsWith('auth/')) return { type: 'http', url, oauth: { enabled: false } };
  if (client_id === undefined || client_secret === undefined) return { type: 'http', url };
  const papers = new URL('/.well-known/oauth-protected-resource/mcp', url);
  const { authorization_servers: [issuer = ''] = [] } = await bodyOf<{ authorization_servers?: string[] }>(
    await fetch(papers),
  );
  const account = { client_id, client_secret, token_url: `${issuer}/token` };
  if (scenario === 'auth/pre-registration') return { type: 'http', url, oauth: account };
  const oauth = { grant_type: 'client_credentials', token_endpoint_auth_method: 'client_secret_basic' };
  return { type: 'http', url, oauth: { ...account, ...oauth } };
}

interface Shown {
  readonly name: string;
  readonly status: string;
  readonly sign_in: { readonly required: boolean; readonly signed_in: boolean };
}

/** Returns the value on the page of tool servers, once the service knows it. */
async function needsSignIn(person: HttpClient, name: string): Promise<boolean> {
  return vi.waitFor(async () => {
    const { servers } = await bodyOf<{ servers: readonly Shown[] }>(await person.get('/api/mcp/servers'));
    const server = servers.find((it) => it.name === name);
    if (server === undefined || server.status === 'connecting') throw new Error(`${name} still connects.`);
    return server.sign_in.required && !server.sign_in.signed_in;
  }, WAIT);
}

/**
 * Goes through the authorization server and back as a browser does; `false` when the service refuses to
 * begin.
 */
async function signIn(person: HttpClient, name: string): Promise<boolean> {
  const begun = await person.post(`/api/mcp/servers/${name}/sign-in`);
  if (begun.status === 409) return false;
  const { authorization_url: url } = await bodyOf<{ authorization_url: string }>(begun);
  const sent = await fetch(url, { redirect: 'manual' });
  const { pathname, search } = new URL(sent.headers.get('location') ?? '');
  const back = await person.get(`${pathname}${search}`);
  expect(back.headers.get('location')).toBe(`/tool-servers?signed_in=${name}`);
  return true;
}

/** Answers a question of a server by leaving every field unchanged. */
async function callTools(person: HttpClient, thread: string): Promise<void> {
  await streamed(person, thread, question('Call the tools.'));
  const { next } = await bodyOf<{ next: readonly string[] }>(
    await person.get(`/api/graph/threads/${thread}/state`),
  );
  if (next.length === 0) return;
  const resume = { action: 'accept', content: {} };
  await streamed(person, thread, { assistant_id: 'lead_agent', command: { resume } });
}

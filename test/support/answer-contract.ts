// Checks the responses that tests receive against the API's document: status, type, and body by its schema.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createModels } from '../../src/models/create-models.ts';
import { createService } from '../../src/service/create-service.ts';
import type { RequestTarget } from './http-client.ts';
import { openMemoryStorage } from './memory-storage.ts';
import { createOperationIndex } from './operation-index.ts';
import { QUIET_LOG } from './quiet-log.ts';
import { createSchemaCheck } from './schema-check.ts';
import { testConfig } from './test-config.ts';

const answerSchema = z.object({
  content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional(),
});
const operationSchema = z.object({ responses: z.record(z.string(), answerSchema) });
type Operation = z.output<typeof operationSchema>;
const documentSchema = z.object({
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});
type ApiDocument = z.output<typeof documentSchema>;

interface AskedRequest {
  readonly method: string;
  /** Path or address, with or without a query. */
  readonly url: string;
}

export interface AnswerContract {
  /**
   * Returns the response itself. Throws when its status or type is not in the document. The body of a success
   * is checked against its schema when it is read whole, since a live body must have only one reader.
   */
  hold(request: AskedRequest, response: Response): Promise<Response>;
}

const JSON_TYPE = 'application/json';
/** Stands for every type as which files are served. */
const ANY_TYPE = 'application/octet-stream';

// The document does not depend on the tested service, so a process makes it once. Neither the document nor
// the functions compiled from it ever change.
const loaded: { contract?: Promise<AnswerContract> } = {};

/** Returns the contract of the API, from the document of a separate service. */
export function answerContract(): Promise<AnswerContract> {
  loaded.contract ??= documentOfService().then(createAnswerContract);
  return loaded.contract;
}

/** True for addresses of the API, false for other servers, such as model servers. */
export function isOfTheApi({ hostname, pathname }: URL): boolean {
  return hostname === '127.0.0.1' && /^\/(api|health|openapi\.json)(\/|$)/.test(pathname);
}

/** Wraps the target so that its responses are checked against the contract. */
export function heldToContract(target: RequestTarget): RequestTarget {
  return {
    async request(url, init) {
      const response = await target.request(url, init);
      return (await answerContract()).hold({ method: init?.method ?? 'GET', url }, response);
    },
  };
}

async function documentOfService(): Promise<ApiDocument> {
  const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-document-'));
  const config = testConfig(dataHome, 'http://127.0.0.1:1');
  const service = await createService(config, createModels(config.models ?? []), {
    log: QUIET_LOG,
    storage: await openMemoryStorage(),
    peerAddress: () => '192.0.2.10',
  });
  const document = await service.app.request('/openapi.json');
  const parsed = documentSchema.parse(await document.json());
  await service.close(0);
  await rm(dataHome, { recursive: true, force: true });
  return parsed;
}

function createAnswerContract(document: ApiDocument): AnswerContract {
  const operations = createOperationIndex(document.paths);
  const problemWith = createSchemaCheck(document.components.schemas);
  return {
    async hold({ method, url }, response) {
      const { pathname } = new URL(url, 'http://service.test');
      const operation = operations.find(method, pathname);
      if (operation === undefined) return response;
      const asked = `${method} ${pathname}, ${response.status}`;
      const schema = await jsonSchemaOf(operation, response, asked);
      if (schema === undefined) return response;
      const check = (text: string) => {
        const problem = problemWith(schema, JSON.parse(text));
        if (problem === undefined) return;
        throw new Error(`${asked}: not what the document says: ${problem}. ${text.slice(0, 2_000)}`);
      };
      if (response.ok) return checkedWhenRead(response, check);
      // An error is never a live response.
      check(await response.clone().text());
      return response;
    },
  };
}

/** True for failures and refusals of a foreign host, which are documented once for all operations. */
function mayComeFromAnything(status: number): boolean {
  return status >= 500 || status === 403;
}

/** Returns `undefined` for anything but JSON. Throws when the document has no such response. */
async function jsonSchemaOf(
  { responses }: Operation,
  response: Response,
  asked: string,
): Promise<object | undefined> {
  const { status, headers } = response;
  const reply = responses[status] ?? (mayComeFromAnything(status) ? responses.default : undefined);
  if (reply === undefined)
    throw new Error(`${asked}: the document has no such status. ${await response.clone().text()}`);
  if (reply.content === undefined || ANY_TYPE in reply.content) return undefined;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const content = reply.content[type];
  if (content === undefined) throw new Error(`${asked}: the document has no answer of the type "${type}".`);
  return type === JSON_TYPE ? content.schema : undefined;
}

function checkedWhenRead(response: Response, check: (text: string) => void): Response {
  const read = response.text.bind(response);
  const text = async () => {
    const body = await read();
    check(body);
    return body;
  };
  const json = async (): Promise<unknown> => JSON.parse(await text());
  // Some Response objects do not allow their methods to be assigned.
  return Object.defineProperties(response, { text: { value: text }, json: { value: json } });
}

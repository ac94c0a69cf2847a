// What the conformance suite starts as a client, with the address of its server: our client of tool servers, which reads the
// list of tools and calls each of them once. The person that is asked leaves every field as it is.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { serverEntrySchema } from '../../src/mcp/config/server-entry.ts';
import { createMcp } from '../../src/mcp/create-mcp.ts';
import { createConfinement } from '../../src/processes/confinement.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

const url = process.argv.at(-1) ?? '';
const server = {
  name: 'suite',
  entry: serverEntrySchema.parse({ type: 'http', url }),
  version: '1',
  problem: undefined,
};
const dataHome = await mkdtemp(join(tmpdir(), 'conformance-client-'));
const path = process.env.PATH ?? '';
const mcp = createMcp({
  servers: async () => new Map([[server.name, server]]),
  authOf: () => undefined,
  isPersonal: () => false,
  takenNames: new Set(),
  dataHome,
  path,
  hidden: [],
  confinement: createConfinement({ path, hidden: [] }),
  log: QUIET_LOG,
  now: Date.now,
});
const { signal } = new AbortController();
let known = await mcp.forRun('user');
// A run goes on without a server that takes longer than two seconds; here it is waited for.
while (known.missing.some(({ reason }) => reason.includes('still starting'))) {
  await setTimeout(50);
  known = await mcp.forRun('user');
}
const { tools, missing } = known;
for (const { reason } of missing) console.error(reason);
for (const tool of tools) {
  const { parts } = await tool.call(
    { a: 5, b: 3 },
    { signal, onProgress() {}, elicit: () => ({ action: 'accept', content: {} }) },
  );
  console.log(tool.name, JSON.stringify(parts));
}
await mcp.stop();
await rm(dataHome, { recursive: true });

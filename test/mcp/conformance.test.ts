// The conformance suite of the protocol against our client of tool servers.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = fileURLToPath(new URL('conformance-client.ts', import.meta.url));

/** The others are about signing in at a server (`auth/...`), which a person does in a browser. */
it.concurrent.each(['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'])(
  '[mcp-server.conformance.client] the client passes %s',
  { timeout: 60_000 },
  async (scenario) => {
    const command = `${process.execPath} ${CLIENT}`;
    // It fails with the code of the suite and with what the suite says.
    const { stderr, stdout } = await promisify(execFile)(process.execPath, [
      ...[SUITE, 'client', '--command', command, '--scenario', scenario],
    ]);
    expect(`${stdout}${stderr}`).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  },
);

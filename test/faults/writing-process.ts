// A process that dies while it writes a file: `node writing-process.ts <data home> <place> <how> <moment>`.
// The moment is counted in turns of the event loop from the start of the draft; with 0 the process survives.
import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { createWorkspaceFiles } from '../../src/workspace/workspace-files.ts';

const [dataHome = '', place = '', how = '', moment = '0'] = process.argv.slice(2);
let turnsLeft = Number(moment);

function turn(): void {
  if (--turnsLeft <= 0) {
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  }
  setImmediate(turn);
}

const files = createWorkspaceFiles({
  dataHome,
  newId: () => {
    if (turnsLeft > 0) turn();
    return randomUUID();
  },
})({ userId: 'ada', threadId: place });
const path = '/mnt/user-data/outputs/big.txt';
const text = 'new '.repeat(500_000);
flushCompileCache();
if (how === 'str_replace')
  await files.replaceText(path, { search: 'old', replacement: 'new', occurrences: 'all' });
else await files.writeText(path, text, how === 'append' ? 'append' : 'replace');

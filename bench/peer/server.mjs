// Serves the peer from its own package, in a process of its own; its data is left in the folder of the arguments.
import { fileURLToPath } from 'node:url';
import { startServer } from '@langchain/langgraph-api/server';

const [port, folder] = process.argv.slice(2);

process.chdir(folder);
await startServer({
  port: Number(port),
  host: '127.0.0.1',
  cwd: folder,
  // Its command line's default is 10, with which clients would wait for one another.
  nWorkers: 128,
  graphs: { lead_agent: `${fileURLToPath(new URL('graph.mjs', import.meta.url))}:agent` },
});
process.send({ port: Number(port) });
process.on('SIGTERM', () => process.exit(0));

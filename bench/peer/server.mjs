// Serves the peer from its own package, in a process of its own, with the agents that a file exports under their names;
// its data is left in the folder of the arguments.
import { fileURLToPath } from 'node:url';
import { startServer } from '@langchain/langgraph-api/server';

const [port, folder, agents] = process.argv.slice(2);
const url = new URL(agents, import.meta.url);
const names = Object.keys(await import(url));

process.chdir(folder);
await startServer({
  port: Number(port),
  host: '127.0.0.1',
  cwd: folder,
  // Its command line's default is 10, with which clients would wait for one another.
  nWorkers: 128,
  graphs: Object.fromEntries(names.map((name) => [name, `${fileURLToPath(url)}:${name}`])),
});
process.send({ port: Number(port) });
process.on('SIGTERM', () => process.exit(0));

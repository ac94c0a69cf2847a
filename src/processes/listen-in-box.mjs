// Runs in a box before its command: listens there, hands the listening socket to the service, and ends when
// the service has it. Imports only what every start of Node loads anyway, because each command waits for it.
import { createServer } from 'node:net';

const [, , port] = process.argv;
const server = createServer().listen(Number(port), '127.0.0.1', () => process.send('listening', server));
process.once('message', () => process.exit(0));
process.once('disconnect', () => process.exit(1));

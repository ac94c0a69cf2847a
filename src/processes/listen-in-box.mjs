// Runs in a box before its command: listens there, hands the listening socket to the service, and ends when that has it.
// Nothing is imported but what every start of Node loads anyway, because each command waits for this.
import { createServer } from 'node:net';

const [, , port] = process.argv;
const server = createServer().listen(Number(port), '127.0.0.1', () => process.send('listening', server));
process.once('message', () => process.exit(0));
process.once('disconnect', () => process.exit(1));

// Plain Node beside which the files of the service are measured: bodies into a file as they are, a file into answers, nothing else.
import { createReadStream, createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { tellParent } from './child.ts';

const [folder = ''] = process.argv.slice(2);
const server = createServer((request, response) => {
  if (request.method === 'POST') {
    pipeline(request, createWriteStream(join(folder, 'received')), (error) => {
      response.statusCode = error ? 500 : 200;
      response.end();
    });
  } else pipeline(createReadStream(join(folder, 'served')), response, () => {});
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  tellParent({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
process.on('SIGTERM', () => process.exit(0));

// Runs after `npm ci`: the secret of this machine, and the types of the client. Plain Node: it may be an old one.
import { existsSync } from 'node:fs';
import { makeSecret } from './make-secret.mjs';

makeSecret(process.cwd());
// Without development packages there is nothing to generate, and nothing that needs it.
if (existsSync('node_modules/openapi-typescript') && process.features.typescript)
  await (await import('./make-client.ts')).writeClient();

// Makes the types of the frontend's client from the backend's OpenAPI document. They are not meant to be read: they are not in
// the repository, and are made by `npm ci`, `npm run check` and every start of `npm run dev`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { apiDocument } from '../backend/api-document.ts';
import { createApi } from '../backend/app.ts';
import { migrate } from '../backend/database.ts';
import { parseConfig } from '../config/load-config.ts';

const FILE = fileURLToPath(new URL('../frontend/src/api/schema.d.ts', import.meta.url));

/** Rewrites frontend/src/api/schema.d.ts if it would change. */
export async function writeClient(): Promise<void> {
  const config = parseConfig('', { JWT_SECRET: crypto.randomUUID() });
  const database = new DatabaseSync(':memory:');
  migrate(database);
  const document = apiDocument(createApi({ config, database }), config);
  const nodes = await openapiTS(JSON.stringify(document), { alphabetize: true });
  const text = `// Made by \`npm run client\` from the API of the backend.\n${astToString(nodes)}`;
  if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) writeFileSync(FILE, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeClient();

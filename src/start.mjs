// Starts the command line: its build while that is of the current sources, otherwise the sources themselves.
// Keeps what Node compiled for the next start.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/agent-service', import.meta.url)));
const { isCurrent, SERVICE_BUILD } = await import('./cli/builds.ts');
await import(isCurrent(SERVICE_BUILD) ? new URL('../dist/main.mjs', import.meta.url).href : './main.ts');

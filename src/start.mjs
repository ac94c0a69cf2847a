// Starts the command line, with what Node compiled kept for the next start (types stripped once, not every time).
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/agent-service', import.meta.url)));
await import('./main.ts');

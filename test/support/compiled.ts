// A compile cache that the workers of the tests share with all processes they start.
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(tmpdir(), 'agent-service-compiled');

/** Belongs in the environment of a process. */
export const COMPILED = { NODE_COMPILE_CACHE: FOLDER };

enableCompileCache(FOLDER);

// A compile cache that all processes started by tests share.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Belongs in the environment of a process. */
export const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), 'agent-service-compiled') };

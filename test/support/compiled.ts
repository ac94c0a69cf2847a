// What Node compiles is compiled once for all processes that tests start.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Goes into the environment of a process. */
export const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), 'agent-service-compiled') };

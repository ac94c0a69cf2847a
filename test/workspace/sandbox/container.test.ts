// The contract of the sandbox in containers, if there is an engine: `TEST_CONTAINER_ENGINE` names its command
// line, `TEST_CONTAINER_IMAGE` an image with bash and the usual commands.
import { describe } from 'vitest';
import { createContainerSandbox } from '../../../src/workspace/sandbox/container-sandbox.ts';
import { sandboxContract } from './sandbox.contract.ts';

const engine = process.env.TEST_CONTAINER_ENGINE;
const image = process.env.TEST_CONTAINER_IMAGE ?? 'debian:stable-slim';

describe.runIf(engine !== undefined)('an engine', () => {
  sandboxContract('container', ({ options, ...parts }) => {
    const container = { ...options.container, engine: engine ?? '', image };
    return createContainerSandbox({ ...parts, options: { ...options, container } });
  });
});

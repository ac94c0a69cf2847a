// Runs after `npm ci`: packs the template for its skill; builds the service and the web app, and has Node compile the
// service, when this Node can.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './pack-template.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const START = fileURLToPath(new URL('../src/start.mjs', import.meta.url));

// The pinned Node is a development package: an installation without those builds nothing here, and says so.
if (major > 22 || (major === 22 && minor >= 18)) {
  await import('./build.ts');
  spawnSync(process.execPath, [START, '--help'], { stdio: 'ignore' });
} else
  console.log('The service and the web app are built at the first start, by a Node that runs TypeScript.');

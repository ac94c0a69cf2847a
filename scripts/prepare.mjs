// Runs after `npm ci`: builds the web app, when the Node that is there can run TypeScript.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// The pinned Node is a development package: an installation without those builds nothing here, and says so.
if (major > 22 || (major === 22 && minor >= 18)) await import('./build-web.ts');
else console.log('The web app is built at the first start, by a Node that runs TypeScript.');

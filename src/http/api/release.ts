// The number of this version, which is written down in package.json alone.
import manifest from '../../../package.json' with { type: 'json' };

export const RELEASE = manifest.version;

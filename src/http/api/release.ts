// The version of this release, defined only in package.json.
import manifest from '../../../package.json' with { type: 'json' };

export const RELEASE = manifest.version;

// The release line that the documentation and the runtime's own description name (contract, Versioning).

export const RELEASE = '2.0.0-rc';

// No column changes: long texts may be packed from now on, which earlier releases cannot read.
import type { Migration } from './migration.ts';

export const packedTexts: Migration = { number: 5, name: 'packed texts', statements: [] };

// JSON texts of a package, which may be tens of megabytes long.
import { parseInSlices } from '../json/sliced-json.ts';
import type { Json } from '../messages/message.ts';
import { refusedPackage } from './refused-package.ts';

const MAX_VALUES = 1_000_000;
const MAX_DEEP_BYTES = 524_288;

/** Throws `validation_failed` with a sentence that begins with `where`. */
export async function parsePackageJson(
  bytes: Uint8Array,
  where: string,
  maxValues = MAX_VALUES,
): Promise<Json> {
  try {
    return await parseInSlices(bytes, { maxValues, maxDeepBytes: MAX_DEEP_BYTES });
  } catch (error) {
    throw refusedPackage(`${where}: ${error instanceof Error ? error.message : 'it is no JSON.'}`);
  }
}

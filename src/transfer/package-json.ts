// JSON texts of a package, which may be tens of megabytes long.
import { parseInSlices } from '../json/sliced-json.ts';
import type { Json } from '../messages/message.ts';
import { refusedPackage } from './refused-package.ts';

const LIMITS = { maxValues: 1_000_000, maxDeepBytes: 524_288 };

/** Throws `validation_failed` with a sentence that begins with `where`. */
export async function parsePackageJson(bytes: Uint8Array, where: string): Promise<Json> {
  try {
    return await parseInSlices(bytes, LIMITS);
  } catch (error) {
    throw refusedPackage(`${where}: ${error instanceof Error ? error.message : 'it is no JSON.'}`);
  }
}

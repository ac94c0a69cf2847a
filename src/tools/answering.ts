// What goes wrong in a tool's own work, as an answer that the model can read.
import { ServiceError } from '../errors.ts';
import { failure, type ToolOutcome } from './tool.ts';

/** Turns a `ServiceError` into a `failure` that begins with `Error: `; anything else is a failed tool. */
export async function answering(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return failure(`Error: ${error.detail}`);
    throw error;
  }
}

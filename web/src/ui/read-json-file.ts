// What a file of an export says.

/** Throws an error with `refusal` for a file that is not JSON. */
export async function readJsonFile(file: File, refusal: string): Promise<unknown> {
  const text = await file.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(refusal);
  }
}

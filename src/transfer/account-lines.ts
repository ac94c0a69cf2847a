// What an account has of one kind, such as its agents, as packages have it: a JSON object a line. A port.
import type { Json, JsonObject } from '../messages/message.ts';

export interface AccountLines {
  /** More lines refuse a package. */
  readonly maxLines: number;
  lines(userId: string): AsyncGenerator<JsonObject>;
  /** What a line of a package holds; a string says why it holds nothing. */
  read(line: Json): ArrivingLine | string;
}

export interface ArrivingLine {
  readonly name: string;
  /** Adds what the person does not have, and changes nothing that is there. */
  bringIn(target: LineTarget): Promise<ArrivedLine>;
}

export interface LineTarget {
  readonly userId: string;
  /** By the ids in the package, those that its threads have here. */
  readonly threadIds: ReadonlyMap<string, string>;
}

interface ArrivedLine {
  readonly added: number;
  /** Sentences that say what of it did not come. */
  readonly leftOut: readonly string[];
}

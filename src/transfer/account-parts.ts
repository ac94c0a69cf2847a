// What an account has beside its threads, as packages have it: ports.
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

export interface AccountSkillFile {
  readonly skill: string;
  /** Below the folder of the skill. */
  readonly names: readonly string[];
  read(): AsyncIterable<Uint8Array>;
}

export interface AccountSkills {
  /** Of every custom skill, skill by skill. */
  files(userId: string): AsyncGenerator<AccountSkillFile>;
  /** Skills that are switched off, such as `public/report` and `custom/tea`. */
  off(userId: string): Promise<readonly string[]>;
  /** `undefined` when the skill is there now, all of it; else a sentence that says why none of it is. */
  bringIn(userId: string, name: string, files: readonly AccountSkillFile[]): Promise<string | undefined>;
  /** Does nothing for a public skill that this service does not have. */
  switchOff(userId: string, path: string): Promise<void>;
}

// Accounts as packages: the parts of an account besides its threads, which other modules export and import.
import type { Json, JsonObject } from '../messages/message.ts';

/** The parts that are lists of lines. Memory comes after the agents that remember. */
export const LINE_PARTS = ['agents', 'memory', 'schedules'] as const;

export type LinePart = (typeof LINE_PARTS)[number];

export interface AccountLines {
  /** A package with more lines is refused. */
  readonly maxLines: number;
  lines(userId: string): AsyncGenerator<JsonObject>;
  /** Parses a line of a package. Returns a sentence with the reason for a line that is invalid. */
  read(line: Json): ArrivingLine | string;
}

export interface ArrivingLine {
  readonly name: string;
  /** Adds what the person does not have, and changes nothing that exists. */
  bringIn(target: LineTarget): Promise<ArrivedLine>;
}

export interface LineTarget {
  readonly userId: string;
  /** The ids of the imported threads, by their ids in the package. */
  readonly threadIds: ReadonlyMap<string, string>;
}

/** The lines of every part. */
export type LineParts = Readonly<Record<LinePart, AccountLines>>;

interface ArrivedLine {
  readonly added: number;
  /** Sentences that describe what was omitted. */
  readonly leftOut: readonly string[];
}

export interface AccountSkillFile {
  readonly skill: string;
  /** The path below the folder of the skill. */
  readonly names: readonly string[];
  read(): AsyncIterable<Uint8Array>;
}

export interface AccountSkills {
  /** Yields the files of all custom skills, skill by skill. */
  files(userId: string): AsyncGenerator<AccountSkillFile>;
  /** Returns the skills that are switched off, such as `public/report` and `custom/tea`. */
  off(userId: string): Promise<readonly string[]>;
  /**
   * Adds a whole skill. Returns `undefined` when it was added, or a sentence with the reason why nothing of
   * it was.
   */
  bringIn(userId: string, name: string, files: readonly AccountSkillFile[]): Promise<string | undefined>;
  /** Switches a skill off. Does nothing for a public skill that this service does not have. */
  switchOff(userId: string, path: string): Promise<void>;
}

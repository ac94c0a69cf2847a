// A SKILL.md: YAML front matter between two lines of dashes, followed by the instructions (agentskills.io).
import { type Document, isAlias, isNode, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { invalid, ServiceError } from '../errors.ts';

/** The contents of the front matter. */
export interface SkillHead {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** Empty when the front matter names none. */
  readonly license: string;
  /** Absent: nothing is restricted. An empty list: no tool may be used. */
  readonly allowedTools: readonly string[] | undefined;
}

/** The limit for a SKILL.md and every other text that is written to a skill. */
export const MAX_TEXT_BYTES = 262_144;
export const SKILL_FILE = 'SKILL.md';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
/** Bounds the input of the YAML parser, so that even a hostile text takes it a few milliseconds at most. */
const MAX_HEAD_CHARACTERS = 4_096;
const MAX_HEAD_LINES = 200;
/** Characters that may begin or end an entry, or be an error in their place. */
const MARKS = /[,:?&*!"']/;
const MAX_MARKS = 400;
/** Each level is a nested call of the parser. Closing brackets count as well. */
const MAX_BRACKETS = 128;
const COMPACT_LEVELS = /^[ \t]*(?:[-?:][ \t]+){8}/m;
/** The two lines of dashes, each with its end. */
const OPENING = /^\ufeff?---[ \t]*\r?(?:\n|$)/;
const CLOSING = /\n---[ \t]*\r?(?:\n|$)/;

const name = z
  .string()
  .max(MAX_NAME)
  .regex(NAME, 'must be words of a-z and 0-9 separated by single hyphens, like "code-review"');
const toolName = z.string().regex(/^[^\s,]{1,128}$/, 'must be a name without spaces');
const shortText = z.string().max(500);
const headSchema = z.strictObject({
  name,
  description: z
    .string()
    .transform((text) => text.replace(/\s+/g, ' ').trim())
    .pipe(
      z
        .string()
        .min(1)
        .max(1_024)
        .regex(/^[^<>\p{Cc}]*$/u, 'must not contain <, > or control characters'),
    ),
  license: shortText.nullish(),
  compatibility: shortText.nullish(),
  metadata: z.record(z.string(), z.json()).nullish(),
  version: z.union([shortText, z.number()]).nullish(),
  author: shortText.nullish(),
  /** The standard has names separated by spaces; most skills have a list. */
  'allowed-tools': z
    .union([z.array(toolName).max(100), z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean))])
    .pipe(z.array(toolName).max(100))
    .nullish(),
});
const displayNameSchema = z.object({ display_name: z.string().trim().min(1).max(100) });

export function isSkillName(text: string): boolean {
  return text.length <= MAX_NAME && NAME.test(text);
}

/**
 * Returns the front matter and, without it, the instructions. Throws `invalid` with a sentence that says what to
 * correct, and `payload_too_large`.
 */
export function parseSkillText(text: string) {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    throw tooLarge(`${SKILL_FILE} is larger than ${MAX_TEXT_BYTES / 1_024} KiB.`);
  if (text.includes('\0') || !text.isWellFormed())
    throw invalid(`${SKILL_FILE} is not a text: it has a NUL or half a character in it. Take it out.`);
  const [opening] = OPENING.exec(text) ?? [];
  if (opening === undefined)
    throw wrong('must begin with a line of three dashes, followed by "name" and "description"');
  // From the end of the first line: the next one may be the closing one.
  const rest = text.slice(opening.length - 1);
  const closing = CLOSING.exec(rest);
  if (closing === null) throw wrong('must end its front matter with a second line of three dashes');
  const plain = (from: number, to?: number) => rest.slice(from, to).replaceAll('\r\n', '\n');
  return {
    head: parseHead(plain(1, closing.index + 1)),
    body: plain(closing.index + closing[0].length).trim(),
  };
}

function parseHead(yaml: string): SkillHead {
  const parsed = headSchema.safeParse(yamlValue(yaml));
  if (!parsed.success)
    throw invalid(`The front matter of ${SKILL_FILE} is not valid: ${issueOf(parsed.error)}.`);
  const { name, description, license, metadata, 'allowed-tools': allowedTools } = parsed.data;
  const shown = displayNameSchema.safeParse(metadata);
  return {
    name,
    displayName: shown.success ? shown.data.display_name : inWords(name),
    description,
    license: license ?? '',
    allowedTools: allowedTools ?? undefined,
  };
}

/** Refuses anchors, aliases and tags, which make a value differ from its text. */
function yamlValue(yaml: string): unknown {
  if (yaml.length > MAX_HEAD_CHARACTERS)
    throw wrong(`must have at most ${MAX_HEAD_CHARACTERS} characters of front matter`);
  if (yaml.split('\n').length > MAX_HEAD_LINES)
    throw wrong(`must have at most ${MAX_HEAD_LINES} lines of front matter`);
  if (yaml.split(MARKS).length - 1 > MAX_MARKS)
    throw wrong(
      `must have at most ${MAX_MARKS} quotes, commas, colons and other YAML marks in its front matter`,
    );
  const brackets = yaml.split(/[[\]{}]/).length - 1;
  if (brackets > MAX_BRACKETS || COMPACT_LEVELS.test(yaml)) throw wrong('has a front matter of few levels');
  const document = parseDocument(yaml, {
    schema: 'core',
    merge: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined)
    throw invalid(
      `The front matter of ${SKILL_FILE} is not valid YAML: ${problem.message}. Quote any text that contains a colon or a quote.`,
    );
  if (hasReferences(document))
    throw invalid(`The front matter of ${SKILL_FILE} must not have anchors (&), aliases (*) or tags (!).`);
  return document.toJS();
}

function hasReferences(document: Document): boolean {
  let isFound = false;
  visit(document, (_, node) => {
    if (!isAlias(node) && !(isNode(node) && (node.tag !== undefined || hasAnchor(node)))) return undefined;
    isFound = true;
    return visit.BREAK;
  });
  return isFound;
}

function hasAnchor(node: object): boolean {
  return 'anchor' in node && node.anchor !== undefined;
}

function issueOf({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys') {
    const known = Object.keys(headSchema.shape).join(', ');
    return `it has the unknown key ${JSON.stringify(issue.keys[0]?.slice(0, 64))}; known keys are ${known}; put anything else below "metadata"`;
  }
  const where = issue?.path.length ? `"${issue.path.join('.')}": ` : '';
  return `${where}${issue?.message ?? 'something is missing'}`;
}

function inWords(skillName: string): string {
  const words = skillName.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Returns an error for a text, a file or a package beyond its limit (413). */
export function tooLarge(sentence: string): ServiceError {
  return new ServiceError('payload_too_large', sentence);
}

function wrong(must: string): ServiceError {
  return invalid(`A ${SKILL_FILE} ${must}.`);
}

// A SKILL.md: front matter in YAML between two lines of dashes, and the instructions behind it (agentskills.io).
import { type Document, isAlias, isNode, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { invalid, ServiceError } from '../errors.ts';

/** What the front matter says. */
export interface SkillHead {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** Empty when it names none. */
  readonly license: string;
  /** Absent: nothing is restricted. An empty list: no tool may be used. */
  readonly allowedTools: readonly string[] | undefined;
}

export interface SkillText {
  readonly head: SkillHead;
  /** The instructions, without the front matter. */
  readonly body: string;
}

/** Of a SKILL.md, and of every other text that is written into a skill. */
export const MAX_TEXT_BYTES = 262_144;
export const SKILL_FILE = 'SKILL.md';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
/** What a reader of YAML gets to see: it takes several milliseconds at most, also for a text that was made to be hard. */
const MAX_HEAD_CHARACTERS = 4_096;
const MAX_HEAD_LINES = 200;
/** What may begin or end an entry, or be wrong where it stands. */
const MARKS = /[,:?&*!"']/;
const MAX_MARKS = 400;
/** Each level is a call inside of a call. Closing ones count as well. */
const MAX_BRACKETS = 128;
const COMPACT_LEVELS = /^[ \t]*(?:[-?:][ \t]+){8}/m;
const DASHES = /^---[ \t]*$/;

const name = z
  .string()
  .max(MAX_NAME)
  .regex(NAME, 'must be words of a-z and 0-9 with single hyphens between them, like "code-review"');
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
  /** The standard has names with spaces between them; most write a list. */
  'allowed-tools': z
    .union([z.array(toolName).max(100), z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean))])
    .pipe(z.array(toolName).max(100))
    .nullish(),
});
const displayNameSchema = z.object({ display_name: z.string().trim().min(1).max(100) });

export function isSkillName(text: string): boolean {
  return text.length <= MAX_NAME && NAME.test(text);
}

/** Throws `invalid` with a sentence that says what to correct. */
export function parseSkillText(text: string): SkillText {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    throw new ServiceError(
      'payload_too_large',
      `${SKILL_FILE} is larger than ${MAX_TEXT_BYTES / 1_024} KiB.`,
    );
  if (text.includes('\0') || !text.isWellFormed())
    throw invalid(`${SKILL_FILE} is not a text: it has a NUL or half a character in it. Take it out.`);
  const begin = text.startsWith('\ufeff') ? 1 : 0;
  const first = lineAt(text, begin);
  if (!DASHES.test(first.line))
    throw wrong('begins with a line of three dashes and has "name" and "description" behind it');
  const closing = closingLine(text, first.end);
  if (closing === undefined) throw wrong('ends its front matter with a second line of three dashes');
  return {
    head: parseHead(text.slice(first.end + 1, closing.from).replaceAll('\r\n', '\n')),
    body: text
      .slice(closing.end + 1)
      .replaceAll('\r\n', '\n')
      .trim(),
  };
}

/** The line without its end, and where that is. */
function lineAt(text: string, from: number): { readonly line: string; readonly end: number } {
  const feed = text.indexOf('\n', from);
  const end = feed === -1 ? text.length : feed;
  return { line: text.slice(from, text[end - 1] === '\r' ? end - 1 : end), end };
}

/** The next line of dashes behind the line that ends at `after`. */
function closingLine(text: string, after: number) {
  for (let at = text.indexOf('\n---', after); at !== -1; at = text.indexOf('\n---', at + 1)) {
    const { line, end } = lineAt(text, at + 1);
    if (DASHES.test(line)) return { from: at + 1, end };
  }
  return undefined;
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

/** Anchors, aliases and tags, which make something of a text that it does not say, are refused. */
function yamlValue(yaml: string): unknown {
  if (yaml.length > MAX_HEAD_CHARACTERS)
    throw wrong(`has at most ${MAX_HEAD_CHARACTERS} characters of front matter`);
  if (yaml.split('\n').length > MAX_HEAD_LINES)
    throw wrong(`has at most ${MAX_HEAD_LINES} lines of front matter`);
  if (yaml.split(MARKS).length - 1 > MAX_MARKS)
    throw wrong(
      `has at most ${MAX_MARKS} quotes, commas, colons and other marks of YAML in its front matter`,
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
      `The front matter of ${SKILL_FILE} is not valid YAML: ${problem.message}. Put a text that has a colon or a quote in it in quotes.`,
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
    return `it has the unknown key ${JSON.stringify(issue.keys[0]?.slice(0, 64))}; known are ${known}, and whatever else you want to say goes below "metadata"`;
  }
  const where = issue?.path.length ? `"${issue.path.join('.')}": ` : '';
  return `${where}${issue?.message ?? 'something is missing'}`;
}

function inWords(skillName: string): string {
  const words = skillName.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function wrong(must: string): ServiceError {
  return invalid(`A ${SKILL_FILE} ${must}.`);
}

// What a model proposes to remember, held to what the person said. Pure.
import type { MemoryFact } from '../storage/memories.ts';
import { CATEGORY, DEFAULT_CATEGORY, isSameContent, MAX_CONTENT_CHARACTERS, oneLine } from './facts.ts';

/** Words of the person. */
export interface SaidMessage {
  readonly messageId: string;
  readonly text: string;
  /** What the agent had said before, to understand the words by. No fact is taken out of it. */
  readonly before: string;
}

export interface FactProposal {
  /** The id of the fact that is no longer true; `null`: the fact is new. */
  readonly replaces: string | null;
  /** `null`: nothing takes its place. */
  readonly content: string | null;
  readonly category: string;
  readonly confidence: number;
  readonly messageId: string;
  /** The person's own words that say so. */
  readonly quote: string;
}

interface Held {
  readonly said: readonly SaidMessage[];
  readonly threadId: string;
  readonly maxFacts: number;
  readonly minConfidence: number;
  readonly now: number;
  readonly newId: () => string;
}

const MOST_CHANGES = 10;
const LEAST_QUOTE = 3;

/** The facts with those proposals that hold; the same list when none does. */
export function withProposals(
  facts: readonly MemoryFact[],
  proposals: readonly FactProposal[],
  held: Held,
): readonly MemoryFact[] {
  return proposals
    .slice(0, MOST_CHANGES)
    .filter((proposal) => isSaid(proposal, held))
    .reduce((list, proposal) => withProposal(list, proposal, held), facts);
}

/** The words are in the message as they are quoted, and what the fact names is named there. */
function isSaid({ messageId, quote, content }: FactProposal, { said }: Held): boolean {
  const message = said.find((it) => it.messageId === messageId);
  if (message === undefined) return false;
  const text = comparable(message.text);
  const words = comparable(quote);
  if (words.length < LEAST_QUOTE || !text.includes(words)) return false;
  return content === null || addressesIn(content).every((address) => text.includes(address));
}

function comparable(text: string): string {
  return oneLine(text).normalize('NFKC').toLowerCase();
}

/** What would lead somewhere, or stand for somebody else: links, addresses of mail, long numbers. */
function addressesIn(content: string): readonly string[] {
  const words = comparable(content).split(' ');
  return words.map(withoutMarks).filter((word) => /[@/]|\w\.\w|\d{5}/.test(word));
}

/** A word without the brackets, quotes and stops around it. */
function withoutMarks(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && OPENING.has(word.charAt(start))) start += 1;
  while (end > start && CLOSING.has(word.charAt(end - 1))) end -= 1;
  return word.slice(start, end);
}

const OPENING: ReadonlySet<string> = new Set('("\'<[');
const CLOSING: ReadonlySet<string> = new Set(')"\'>].,;!?');

/** Nobody wants these in every prompt from now on. */
const SECRET =
  /\b(?:password|passwort|passphrase|passcode|api[ _-]?keys?|secret[ _-]?keys?|private[ _-]?keys?|credit[ _-]?card|cvv)\b/i;

function withProposal(
  facts: readonly MemoryFact[],
  proposal: FactProposal,
  held: Held,
): readonly MemoryFact[] {
  const { replaces, messageId } = proposal;
  const old = facts.find(({ id }) => id === replaces);
  if (replaces !== null && old === undefined) return facts;
  if (proposal.content === null) return facts.filter((it) => it !== old);
  const content = oneLine(proposal.content);
  if (!isWorthIt(content, proposal, held)) return facts;
  const others = facts.filter((it) => it !== old);
  // What is said again takes the place of nothing, but what it contradicts goes.
  if (others.some((it) => isSameContent(it.content, content))) return others;
  if (old !== undefined && isSameContent(old.content, content)) return facts;
  const fact: MemoryFact = {
    id: old?.id ?? `fact_${held.newId()}`,
    content,
    category: CATEGORY.test(proposal.category) ? proposal.category : DEFAULT_CATEGORY,
    confidence: proposal.confidence,
    createdAt: held.now,
    source: { kind: 'thread', threadId: held.threadId, messageId },
  };
  if (old !== undefined) return facts.map((it) => (it === old ? fact : it));
  const trimmed = withinLimit(facts, held.maxFacts);
  return trimmed === undefined ? facts : [...trimmed, fact];
}

function isWorthIt(content: string, { confidence }: FactProposal, { minConfidence }: Held): boolean {
  if (content === '' || content.length > MAX_CONTENT_CHARACTERS || SECRET.test(content)) return false;
  return confidence >= minConfidence && confidence <= 1;
}

/** Without the one that is least sure, and of those the oldest; what the person wrote down stays. */
function withinLimit(facts: readonly MemoryFact[], most: number): readonly MemoryFact[] | undefined {
  if (facts.length < most) return facts;
  const [least] = facts
    .filter(({ source }) => source.kind !== 'manual')
    .toSorted((a, b) => a.confidence - b.confidence || a.createdAt - b.createdAt);
  return least && facts.filter((it) => it !== least);
}

const FENCED = /^\s{0,3}(?:```|~~~)/;
const QUOTED = /^\s{0,3}>/;

/** What of a message the person said: not what is pasted as code, or quoted. */
export function ownWords(text: string): string {
  let isFenced = false;
  const lines = text.split('\n').filter((line) => {
    if (!FENCED.test(line)) return !isFenced && !QUOTED.test(line);
    isFenced = !isFenced;
    return false;
  });
  return lines.join('\n').trim();
}

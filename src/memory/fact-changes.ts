// Checks what a model proposes to remember against what the person said. Pure.
import type { MemoryFact } from '../storage/memories.ts';
import { CATEGORY, DEFAULT_CATEGORY, isSameContent, MAX_CONTENT_CHARACTERS, oneLine } from './facts.ts';

export interface SaidMessage {
  readonly messageId: string;
  readonly text: string;
  /** What the agent had said before, as context. No fact is taken from it. */
  readonly before: string;
}

export interface FactProposal {
  /** The id of the fact that is no longer true; `null` for a new fact. */
  readonly replaces: string | null;
  /** `null` when nothing replaces the fact. */
  readonly content: string | null;
  readonly category: string;
  readonly confidence: number;
  readonly messageId: string;
  /** The person's own words that state the fact. */
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

/** Returns the facts with the valid proposals applied; the same list when none is valid. */
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

/** True when the message contains the quoted words and every address that the fact names. */
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

/** Returns words that lead somewhere or may identify somebody else: links, email addresses, long numbers. */
function addressesIn(content: string): readonly string[] {
  const words = comparable(content).split(' ');
  return words.map(withoutMarks).filter((word) => /[@/]|\w\.\w|\d{5}/.test(word));
}

/** Each is read once, however many marks there are. */
const OPENING = /^[("'<[]+/;
const CLOSING = /(?<![)"'>\].,;!?])[)"'>\].,;!?]+$/;

function withoutMarks(word: string): string {
  return word.replace(OPENING, '').replace(CLOSING, '');
}

/** Facts about secrets are refused, because nobody wants them in every later prompt. */
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
  // A repeated fact is not added again, but the fact that it contradicts is removed.
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

/** Drops the least certain fact (the oldest of several) at the limit; `undefined` if the person wrote all. */
function withinLimit(facts: readonly MemoryFact[], most: number): readonly MemoryFact[] | undefined {
  if (facts.length < most) return facts;
  const [least] = facts
    .filter(({ source }) => source.kind !== 'manual')
    .toSorted((a, b) => a.confidence - b.confidence || a.createdAt - b.createdAt);
  return least && facts.filter((it) => it !== least);
}

const FENCED = /^\s{0,3}(?:```|~~~)/;
const QUOTED = /^\s{0,3}>/;

/** Returns the person's own words in a message, without pasted code and quotations. */
export function ownWords(text: string): string {
  let isFenced = false;
  const lines = text.split('\n').filter((line) => {
    if (!FENCED.test(line)) return !isFenced && !QUOTED.test(line);
    isFenced = !isFenced;
    return false;
  });
  return lines.join('\n').trim();
}

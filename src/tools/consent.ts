// A yes or a no in words.

const NO = new Set(['no', 'nope', 'nein', 'false', 'stop', 'never', 'decline', 'cancel', 'reject', 'refuse']);
const YES = new Set(['yes', 'yeah', 'ja', 'true', 'ok', 'okay', 'sure', 'accept', 'approve', 'confirm']);
/** What may follow without changing a yes or a no. */
const POLITE = new Set(['thanks', 'thank', 'you', 'please']);
/** These make a no clearer, and a yes no longer one. */
const REFUSING = new Set(['dont', 'do', 'not', 'it', 'that', 'this', 'way', 'never', 'stop', 'cancel', 'no']);

/** What a text says to a question. */
type Consent = 'yes' | 'no' | 'unclear';

/** Whether all of a text is a yes or a no: anything else is asked again, as nobody's consent is guessed. */
export function consentOf(text: string): Consent {
  const plain = text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[.,;!]/g, ' ')
    .trim();
  const [first = '', ...others] = plain === 'do not' || plain === 'dont' ? ['no'] : plain.split(/\s+/);
  if (YES.has(first) && others.every((word) => POLITE.has(word))) return 'yes';
  if (NO.has(first) && others.every((word) => POLITE.has(word) || REFUSING.has(word))) return 'no';
  return 'unclear';
}

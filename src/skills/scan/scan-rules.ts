// The patterns that the scan applies to a skill's texts. A rule sees a line and the next one, and matches
// quickly on any input.
import type { Severity } from './finding.ts';

export interface ScanRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Each step is searched after the match of the one before: one expression with gaps, in linear time. */
  readonly steps: readonly RegExp[];
}

const SHELL =
  /\|\s{0,9}(?:sudo\s+)?(?:env\s+)?(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da|k|a)?sh|python|perl|ruby|node|php)\b/i;

/** Each entry lists the expressions of one pattern, in the order in which they must occur. */
type Patterns = readonly ScanRule['steps'][];

function critical(rule: string, message: string, patterns: Patterns): readonly ScanRule[] {
  return patterns.map((steps) => ({ rule, severity: 'critical', message, steps }));
}

function warning(rule: string, message: string, patterns: Patterns): readonly ScanRule[] {
  return patterns.map((steps) => ({ rule, severity: 'warning', message, steps }));
}

const SECRET = 'Looks like a secret. Remove it, and revoke it where it is used.';
const FETCHES = /\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b/i;
const INVOKES = /\b(?:iex|invoke-expression)\b/i;

export const SCAN_RULES: readonly ScanRule[] = [
  ...critical('shell-download', 'Runs what it downloads. Download it first and inspect it.', [
    [/\b(?:curl|wget)\s/i, SHELL],
    [/\b(?:(?:ba|z|da|k)?sh|eval|source)\s/i, /(?:<\(|\$\(|`)\s?(?:curl|wget)\s/i],
    [INVOKES, FETCHES],
    [FETCHES, INVOKES],
    [/\b(?:exec|eval)\s?\(/, /\b(?:requests\.get|urlopen|urlretrieve|fetch)\s?\(/],
  ]),
  ...critical(
    'encoded-payload',
    'Decodes code and runs it, which hides what it does. Write the code itself.',
    [
      [/\bbase64\s+(?:-d|-D|--decode)\b/, SHELL],
      [/\bxxd\s+-r\b/, SHELL],
      [
        /\b(?:exec|eval|Function)\s?\(/,
        /\b(?:b64decode|a85decode|atob|fromhex|unhexlify|decompress|marshal\.loads)\s?\(|['"]base64['"]/,
      ],
      [/\bpowershell(?:\.exe)?\s/i, /\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20}/i],
    ],
  ),
  ...warning('encoded-text', 'A long encoded text that people cannot read.', [
    [/[A-Za-z0-9+/]{500}/],
    [/(?:\\x[0-9a-f]{2}){40}/i],
  ]),
  ...critical('secret', SECRET, [
    [/-----BEGIN (?:RSA |EC |DSA |OPENSSH |PGP |ENCRYPTED )?PRIVATE KEY/],
    [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
    [/\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{40}/],
    [/\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32}/],
    [/\bxox[abprs]-[A-Za-z0-9-]{20}|\bAIza[0-9A-Za-z_-]{35}|\bglpat-[A-Za-z0-9_-]{20}/],
  ]),
  ...warning('secret', SECRET, [
    [/\b(?:api[_-]?key|secret|password|passwd|token)["']?\s?[:=]\s?["'][^"'\s$<{]{16}/i],
  ]),
  ...critical('reverse-shell', 'Gives a shell to someone on the network.', [
    [/\/dev\/(?:tcp|udp)\//],
    [/\bn(?:c|cat|etcat)\s+-[a-z]{0,5}[ec]\b/],
  ]),
  ...critical('destructive', 'Removes everything.', [
    [
      /\brm\s+-(?:rf|fr|r\s+-f|f\s+-r)\s+(?:--no-preserve-root\s+)?["']?(?:\/|~|\$HOME|\$\{HOME\})\/?["'*]?(?:\s|$|;|&)/,
    ],
  ]),
  ...critical('destructive', 'Overwrites a disk.', [
    [/\b(?:mkfs\.[a-z0-9]{1,8}\s|dd\s)/, /\/dev\/(?:sd|nvme|hd|vd)/],
  ]),
  ...warning('credential-files', 'Reads files that usually hold credentials.', [
    [/(?:~|\$HOME|\/root)\/\.(?:ssh|aws|gnupg|kube|netrc|docker)\b|\/etc\/shadow\b/],
  ]),
  ...critical('prompt-injection', 'Tells the agent to disregard its instructions.', [
    [
      /\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+|any\s+|of\s+|the\s+|your\s+|my\s+|these\s+){0,3}(?:previous|prior|earlier|above|preceding|system|safety)\s+(?:instruction|prompt|rule|message|guideline|direction)/i,
    ],
    [
      /\byou\s+are\s+(?:now|no\s+longer)\s+(?:in\s+)?(?:dan\b|developer\s+mode|unrestricted|jailbroken|bound\s)/i,
    ],
  ]),
  ...critical('prompt-injection', 'Tells the agent to act without the knowledge of the person.', [
    [
      /\bwithout\s+(?:the\s+)?(?:user|person|human)(?:'s)?\s+(?:knowing|knowledge|consent|noticing|permission)/i,
    ],
  ]),
  ...warning('prompt-injection', 'Tells the agent to keep something from the person.', [
    [
      /\b(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this|it)|reveal|alert|notify)\b/i,
      /\b(?:user|person|human)\b/i,
    ],
  ]),
  ...warning('prompt-injection', 'Asks for the instructions of the agent.', [
    [
      /\b(?:reveal|print|output|repeat|leak|show)\s+(?:me\s+)?(?:the|your)\s+(?:full\s+)?(?:system|hidden|initial)\s+(?:prompt|instruction|message)/i,
    ],
  ]),
  ...warning('prompt-injection', 'Has marks that separate the messages of a prompt.', [
    [
      /<\/?(?:system|assistant|system-reminder|im_start|im_end)>|<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]/i,
    ],
  ]),
  ...critical('hidden-text', 'Has characters that are invisible or change the reading order.', [
    [/[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/u],
  ]),
  ...warning('hidden-text', 'Has several invisible characters in a row.', [
    [/[\u200b\u200c\u2060-\u2064]{3}/u],
  ]),
];

// The patterns that the scan of a skill's texts looks for. Rules see a line and the one behind it, and match quickly
// whatever they get.
import type { Severity } from './finding.ts';

export interface ScanRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Each is looked for behind the match of the one before: what an expression with a gap would find, in linear time. */
  readonly steps: readonly RegExp[];
}

const SHELL =
  /\|\s{0,9}(?:sudo\s+)?(?:env\s+)?(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da|k|a)?sh|python|perl|ruby|node|php)\b/i;

function critical(rule: string, message: string, ...steps: RegExp[]): ScanRule {
  return { rule, severity: 'critical', message, steps };
}

function warning(rule: string, message: string, ...steps: RegExp[]): ScanRule {
  return { rule, severity: 'warning', message, steps };
}

const DOWNLOADS = 'Runs what it downloads. Download it first and inspect it.';
const ENCODED = 'Runs code that it decodes first, so that nobody can read it. Write the code itself.';
const SECRET = 'Looks like a secret. Take it out, and make it invalid where it is used.';
const INJECTION = 'Tells the agent to disregard its instructions.';

export const SCAN_RULES: readonly ScanRule[] = [
  critical('shell-download', DOWNLOADS, /\b(?:curl|wget)\s/i, SHELL),
  critical(
    'shell-download',
    DOWNLOADS,
    /\b(?:(?:ba|z|da|k)?sh|eval|source)\s/i,
    /(?:<\(|\$\(|`)\s?(?:curl|wget)\s/i,
  ),
  critical(
    'shell-download',
    DOWNLOADS,
    /\b(?:iex|invoke-expression)\b/i,
    /\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b/i,
  ),
  critical(
    'shell-download',
    DOWNLOADS,
    /\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b/i,
    /\b(?:iex|invoke-expression)\b/i,
  ),
  critical(
    'shell-download',
    DOWNLOADS,
    /\b(?:exec|eval)\s?\(/,
    /\b(?:requests\.get|urlopen|urlretrieve|fetch)\s?\(/,
  ),
  critical('encoded-payload', ENCODED, /\bbase64\s+(?:-d|-D|--decode)\b/, SHELL),
  critical('encoded-payload', ENCODED, /\bxxd\s+-r\b/, SHELL),
  critical(
    'encoded-payload',
    ENCODED,
    /\b(?:exec|eval|Function)\s?\(/,
    /\b(?:b64decode|a85decode|atob|fromhex|unhexlify|decompress|marshal\.loads)\s?\(|['"]base64['"]/,
  ),
  critical(
    'encoded-payload',
    ENCODED,
    /\bpowershell(?:\.exe)?\s/i,
    /\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20}/i,
  ),
  warning('encoded-text', 'A long encoded text, which nobody can read.', /[A-Za-z0-9+/]{500}/),
  warning('encoded-text', 'A long encoded text, which nobody can read.', /(?:\\x[0-9a-f]{2}){40}/i),
  critical('secret', SECRET, /-----BEGIN (?:RSA |EC |DSA |OPENSSH |PGP |ENCRYPTED )?PRIVATE KEY/),
  critical('secret', SECRET, /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/),
  critical('secret', SECRET, /\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{40}/),
  critical('secret', SECRET, /\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32}/),
  critical(
    'secret',
    SECRET,
    /\bxox[abprs]-[A-Za-z0-9-]{20}|\bAIza[0-9A-Za-z_-]{35}|\bglpat-[A-Za-z0-9_-]{20}/,
  ),
  warning(
    'secret',
    SECRET,
    /\b(?:api[_-]?key|secret|password|passwd|token)["']?\s?[:=]\s?["'][^"'\s$<{]{16}/i,
  ),
  critical('reverse-shell', 'Gives a shell to somebody on the network.', /\/dev\/(?:tcp|udp)\//),
  critical(
    'reverse-shell',
    'Gives a shell to somebody on the network.',
    /\bn(?:c|cat|etcat)\s+-[a-z]{0,5}[ec]\b/,
  ),
  critical(
    'destructive',
    'Removes everything.',
    /\brm\s+-(?:rf|fr|r\s+-f|f\s+-r)\s+(?:--no-preserve-root\s+)?["']?(?:\/|~|\$HOME|\$\{HOME\})\/?["'*]?(?:\s|$|;|&)/,
  ),
  critical(
    'destructive',
    'Overwrites a disk.',
    /\b(?:mkfs\.[a-z0-9]{1,8}\s|dd\s)/,
    /\/dev\/(?:sd|nvme|hd|vd)/,
  ),
  warning(
    'credential-files',
    'Reads files in which people keep credentials.',
    /(?:~|\$HOME|\/root)\/\.(?:ssh|aws|gnupg|kube|netrc|docker)\b|\/etc\/shadow\b/,
  ),
  critical(
    'prompt-injection',
    INJECTION,
    /\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+|any\s+|of\s+|the\s+|your\s+|my\s+|these\s+){0,3}(?:previous|prior|earlier|above|preceding|system|safety)\s+(?:instruction|prompt|rule|message|guideline|direction)/i,
  ),
  critical(
    'prompt-injection',
    INJECTION,
    /\byou\s+are\s+(?:now|no\s+longer)\s+(?:in\s+)?(?:dan\b|developer\s+mode|unrestricted|jailbroken|bound\s)/i,
  ),
  critical(
    'prompt-injection',
    'Tells the agent to act behind the back of the person.',
    /\bwithout\s+(?:the\s+)?(?:user|person|human)(?:'s)?\s+(?:knowing|knowledge|consent|noticing|permission)/i,
  ),
  warning(
    'prompt-injection',
    'Tells the agent to keep something from the person.',
    /\b(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this|it)|reveal|alert|notify)\b/i,
    /\b(?:user|person|human)\b/i,
  ),
  warning(
    'prompt-injection',
    'Asks for what the agent was told.',
    /\b(?:reveal|print|output|repeat|leak|show)\s+(?:me\s+)?(?:the|your)\s+(?:full\s+)?(?:system|hidden|initial)\s+(?:prompt|instruction|message)/i,
  ),
  warning(
    'prompt-injection',
    'Has the marks that part the messages of a prompt.',
    /<\/?(?:system|assistant|system-reminder|im_start|im_end)>|<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]/i,
  ),
  critical(
    'hidden-text',
    'Has characters that people do not see, or that change the order of what they read.',
    /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/u,
  ),
  warning(
    'hidden-text',
    'Has several characters in a row that people do not see.',
    /[\u200b\u200c\u2060-\u2064]{3}/u,
  ),
];

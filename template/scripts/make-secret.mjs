// Puts a secret for this machine into .env, when there is none. Plain Node without packages: it runs before them.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'JWT_SECRET';

/** Keeps what .env says already. The file is readable by its owner only. */
export function makeSecret(folder) {
  const file = join(folder, '.env');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (new RegExp(`^\\s*(export\\s+)?${NAME}=`, 'm').test(text)) return;
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  writeFileSync(file, `${text}${gap}${NAME}=${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
}

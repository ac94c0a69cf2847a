// Records in the audit log when the service starts with a configuration that differs from the last start.
import { createHmac } from 'node:crypto';
import { isFields } from '../json/unknown-json.ts';
import type { JsonObject } from '../messages/message.ts';
import type { AuditLog } from '../storage/audit-log.ts';

/** The configuration by the keys of its sections. */
export type ConfigurationSections = Readonly<Record<string, unknown>>;

interface ConfigurationChangeParts {
  readonly audit: AuditLog;
  readonly sections: ConfigurationSections;
  /** The key of the recorded fingerprints. Without it, guesses of a secret value cannot be tested. */
  readonly secret: string;
}

/** Appends a row with the names of the sections that differ from the last such row. Throws `unavailable`. */
export async function recordConfiguration({ audit, sections, secret }: ConfigurationChangeParts) {
  const last = await audit.list({ act: 'configuration_change', limit: 1 });
  const before = fingerprintsIn(last.entries[0]?.details);
  const now = fingerprints(sections, secret);
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const changed = names.filter((name) => before[name] !== now[name]);
  if (changed.length === 0) return;
  const details = { changed, fingerprints: now };
  await audit.append({ act: 'configuration_change', actor: null, clientIp: null, subject: null, details });
}

function fingerprints(sections: ConfigurationSections, secret: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sections)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        const mac = createHmac('sha256', secret).update(`configuration ${name} ${ordered(value)}`);
        return [name, mac.digest('base64url').slice(0, 22)];
      }),
  );
}

function fingerprintsIn(details: JsonObject | undefined): Readonly<Record<string, unknown>> {
  return isFields(details?.fingerprints) ? details.fingerprints : {};
}

/** Returns JSON text with sorted keys, so that the order of lines in the file does not matter. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (!isFields(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

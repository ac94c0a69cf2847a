// What an operator may configure about accounts and sessions.
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { weaknessOf } from './jwt-secret.ts';

function isAddressOrRange(text: string): boolean {
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}

/** Sign-in protection (docs/contract/authentication.md#lockout). */
const lockoutSchema = z.strictObject({
  /** Failed sign-ins from one client address before it is locked out. */
  failures: z.int().min(1).max(1000).default(5),
  /** Duration of the lock. */
  seconds: z.int().min(1).max(86_400).default(300),
  /**
   * Failed sign-ins to one account, from any address, before each further one must wait: 1 s, 2 s, 4 s ...
   */
  account_failures: z.int().min(1).max(1_000_000).default(10),
  /** The maximum of this wait. */
  account_delay_seconds: z.int().min(1).max(3_600).default(60),
  /** Maximum number of addresses, and of accounts, to remember. Beyond it, the oldest are forgotten. */
  max_addresses: z.int().min(100).max(10_000_000).default(50_000),
});

/** Limit on attempts to create an account. */
const registrationsSchema = z.strictObject({
  /** Attempts allowed from one client address. */
  per_address: z.int().min(1).max(1_000_000).default(10),
  /** Period to which `per_address` applies. */
  seconds: z.int().min(1).max(86_400).default(3_600),
  /** Maximum number of addresses to remember. */
  max_addresses: z.int().min(100).max(10_000_000).default(50_000),
});

/** argon2id costs. */
const passwordHashSchema = z.strictObject({
  memory_kib: z.int().min(8).max(1_048_576).default(19_456),
  iterations: z.int().min(1).max(64).default(2),
  parallelism: z.int().min(1).max(16).default(1),
  /**
   * Maximum number of concurrent hashes. Each occupies one of the four threads that file access needs too.
   */
  at_once: z.int().min(1).max(64).default(1),
  /** Maximum number of waiting hashes. Beyond it, requests are refused. */
  waiting: z.int().min(1).max(100_000).default(200),
});

export const authOptionsSchema = z.strictObject({
  /** Signs the session tokens. If absent, the service generates one once into `<data_home>/.jwt_secret`. */
  jwt_secret: z
    .string()
    .min(32, 'must have at least 32 characters')
    .max(1024, 'must have at most 1,024 characters')
    .superRefine((secret, context) => {
      const message = weaknessOf(secret);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .optional(),
  /** Addresses and CIDR ranges of reverse proxies whose `X-Real-IP` and `X-Forwarded-Proto` are trusted. */
  trusted_proxies: z
    .array(z.string().trim().refine(isAddressOrRange, 'must be an IP address or a CIDR range'))
    .default([]),
  /** Whether people may create accounts. */
  registration: z.boolean().default(true),
  /** E-mail of the administrator that the first start creates. */
  admin_email: z.email().max(254).default('admin@localhost.local'),
  /** Lifetime of a session token. */
  session_days: z.int().min(1).max(365).default(7),
  /**
   * Maximum number of sessions per user. Beyond it, a new session ends one that was never used after its
   * sign-in, or else the least recently used one.
   */
  max_sessions: z.int().min(1).max(10_000).default(100),
  /** Maximum number of API keys per user. */
  max_api_keys: z.int().min(0).max(10_000).default(50),
  lockout: lockoutSchema.prefault({}),
  registrations: registrationsSchema.prefault({}),
  password_hash: passwordHashSchema.prefault({}),
});

export type AuthOptions = z.output<typeof authOptionsSchema>;

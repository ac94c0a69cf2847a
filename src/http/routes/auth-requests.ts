// Request bodies of the authentication routes.
import { z } from 'zod';
import { passwordProblem } from '../../auth/password-rules.ts';

const EMAIL_EXAMPLE = 'ann@example.com';
const PASSWORD_EXAMPLE = 'please choose another one';

const email = z
  .string()
  .trim()
  .max(254)
  .meta({ examples: [EMAIL_EXAMPLE] })
  .pipe(z.email('This is not an e-mail address'));

const newPassword = z
  .string()
  .superRefine((password, context) => {
    const message = passwordProblem(password);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ type: 'string', format: 'password', minLength: 8, maxLength: 1024, examples: [PASSWORD_EXAMPLE] });

/** Looser than the rules for new passwords: a too long password is just wrong, like any other. */
export const shownPassword = z
  .string()
  .min(1)
  .max(65_536)
  .meta({ format: 'password', examples: [PASSWORD_EXAMPLE] });

const checkbox = z
  .enum(['true', 'false', 'on', 'off', '1', '0', ''])
  .transform((value) => value === 'true' || value === 'on' || value === '1')
  .meta({ type: 'boolean' });

export const loginSchema = z
  .object({
    username: z
      .string()
      .trim()
      .min(1)
      .max(254)
      .meta({ description: 'The e-mail address', examples: [EMAIL_EXAMPLE] }),
    password: shownPassword,
    remember_me: checkbox.optional(),
  })
  .meta({ id: 'Login' });

export const credentialsSchema = z.object({ email, password: newPassword }).meta({ id: 'Credentials' });

export const changePasswordSchema = z
  .object({
    current_password: shownPassword,
    new_password: newPassword,
    new_email: email.optional(),
    /** Otherwise the API keys stay valid, so that programs continue to work. */
    revoke_api_keys: z.boolean().optional(),
  })
  .meta({ id: 'ChangePassword' });

export const changeEmailSchema = z
  .object({ current_password: shownPassword, new_email: email })
  .meta({ id: 'ChangeEmail' });

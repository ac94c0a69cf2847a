// The bodies that the authentication routes read.
import { z } from 'zod';
import { passwordProblem } from '../../auth/password-rules.ts';

const email = z.string().trim().max(254).pipe(z.email('This is not an e-mail address'));

const newPassword = z
  .string()
  .superRefine((password, context) => {
    const message = passwordProblem(password);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ type: 'string', format: 'password', minLength: 8, maxLength: 1024 });

/** No longer than one can be chosen. */
const currentPassword = z.string().min(1).max(1_024).meta({ format: 'password' });

const checkbox = z
  .enum(['true', 'false', 'on', 'off', '1', '0', ''])
  .transform((value) => value === 'true' || value === 'on' || value === '1')
  .meta({ type: 'boolean' });

export const loginSchema = z
  .object({
    username: z.string().trim().min(1).max(254).meta({ description: 'The e-mail address' }),
    password: currentPassword,
    remember_me: checkbox.optional(),
  })
  .meta({ id: 'Login' });

export const credentialsSchema = z.object({ email, password: newPassword }).meta({ id: 'Credentials' });

export const changePasswordSchema = z
  .object({
    current_password: currentPassword,
    new_password: newPassword,
    new_email: email.optional(),
    /** They stay valid otherwise: programs go on working. */
    revoke_api_keys: z.boolean().optional(),
  })
  .meta({ id: 'ChangePassword' });

export const changeEmailSchema = z
  .object({ current_password: currentPassword, new_email: email })
  .meta({ id: 'ChangeEmail' });

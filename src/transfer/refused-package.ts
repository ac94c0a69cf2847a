// The one way in which a package is refused: a sentence that says what is wrong with it, and where.
import { type ServiceError, validationFailed } from '../errors.ts';

export function refusedPackage(sentence: string): ServiceError {
  return validationFailed(['body'], sentence, 'package_invalid');
}

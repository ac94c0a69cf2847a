// Whom the threads of an import belong to until they are all there: nobody who has an account.

const HIDDEN = 'import:';

export function hiddenOwner({ importId }: { readonly importId: string }): string {
  return `${HIDDEN}${importId}`;
}

/** Whether a thread of this owner is being imported, and not whole yet. */
export function isHiddenOwner(userId: string | null): boolean {
  return userId?.startsWith(HIDDEN) === true;
}

// What is stored about skills besides their folders: which are off, and which custom ones are being changed.

export interface SkillsOff {
  /** Paths that are off for the owner: `public/x`, `custom/y`. */
  readonly own: readonly string[];
  /** Paths of public skills that are off for all users. */
  readonly shared: readonly string[];
}

/** A claim by one request to change a custom skill, valid across processes. Times are epoch milliseconds. */
interface SkillClaim {
  readonly name: string;
  /** The id of the request. */
  readonly holder: string;
  /** When the claim expires unless the holder renews it. */
  readonly until: number;
}

/** Skill states of one owner. */
export interface SkillStates {
  /** Returns the skills that are off. Both lists are sorted. */
  off(): Promise<SkillsOff>;
  set(path: string, isOn: boolean): Promise<void>;
  /** Claims a custom skill. `busy`: another request is changing it. `no_account`: the account was deleted. */
  claim(claim: SkillClaim, now: number): Promise<'claimed' | 'busy' | 'no_account'>;
  /**
   * Extends the claim. Returns `false` when another request has claimed the skill since, or the account was
   * deleted.
   */
  renew(claim: SkillClaim): Promise<boolean>;
  release(claim: Pick<SkillClaim, 'name' | 'holder'>): Promise<void>;
}

/** Switches of public skills for all users, for the service itself. */
export interface SharedSkillSwitches {
  set(path: string, isOn: boolean): Promise<void>;
}

// What is kept of skills beside their folders: which ones are off, and who is changing a custom one.

export interface SkillsOff {
  /** For the owner: `public/x`, `custom/y`. */
  readonly own: readonly string[];
  /** Public ones, for everybody. */
  readonly shared: readonly string[];
}

/** A custom skill that one request changes, wherever the others run. Times are epoch milliseconds. */
interface SkillClaim {
  readonly name: string;
  /** Of the request. */
  readonly holder: string;
  /** Without a word from the holder, others may take the skill from then on. */
  readonly until: number;
}

/** Of one owner. */
export interface SkillStates {
  /** Both lists sorted. */
  off(): Promise<SkillsOff>;
  set(path: string, isOn: boolean): Promise<void>;
  /** `busy`: another request changes the skill. `no_account`: the account was deleted. */
  claim(claim: SkillClaim, now: number): Promise<'claimed' | 'busy' | 'no_account'>;
  /** `false`: somebody else has taken the skill meanwhile, or the account was deleted. */
  renew(claim: SkillClaim): Promise<boolean>;
  release(claim: Pick<SkillClaim, 'name' | 'holder'>): Promise<void>;
}

/** Public skills that are off for everybody, for the service itself. */
export interface SharedSkillSwitches {
  set(path: string, isOn: boolean): Promise<void>;
}
